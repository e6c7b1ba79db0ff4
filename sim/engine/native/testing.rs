//! What only tests do with an engine.

use std::cell::Cell;

use super::Native;
use crate::convert::graph;
use crate::graph::Op;
use crate::groups::Groups;
use crate::kernel::flat::Flat;
use crate::lanes::all_lanes;
use crate::observe::Cycles;

thread_local! {
    /// The compiler refuses whatever it gets.
    static REFUSES: Cell<bool> = const { Cell::new(false) };
}

/// What the compiler says when it refuses.
pub(crate) fn refusal() -> Result<(), String> {
    if REFUSES.get() { Err("a test refuses".into()) } else { Ok(()) }
}

impl Native {
    /// An engine on a processor for which there is no compiler.
    pub(crate) fn refused(design: Flat) -> Native {
        REFUSES.set(true);
        let engine = Native::new(design);
        REFUSES.set(false);
        engine
    }

    /// An engine whose design has lanes wherever that is right.
    pub(crate) fn with_lanes(design: Flat, fewest: usize) -> Native {
        let graph = graph(&design, &vec![0; design.memories.len()]);
        let fused = all_lanes(&graph, fewest);
        Native::with(design, graph, fused)
    }

    /// Operations that clock edges need: their names, and the sizes of operands and results that have lanes.
    pub(crate) fn operations(&self) -> impl Iterator<Item = String> {
        let g = &self.fused;
        let mut needed = vec![false; g.nodes.len()];
        g.roots().iter().for_each(|id| needed[id.0 as usize] = true);
        for index in (0..g.nodes.len()).rev() {
            if needed[index] {
                g.nodes[index].args.iter().for_each(|a| needed[a.0 as usize] = true);
            }
        }
        (0..g.nodes.len()).filter(move |&i| needed[i]).map(|i| {
            let name = |op: &Op| format!("{op:?}").split([' ', '(']).next().unwrap_or_default().to_string();
            match &g.nodes[i].op {
                Op::Each { op, of, to, .. } => format!("Each {} {of}-{to}", name(op)),
                op => name(op),
            }
        })
    }

    /// How many operations clock edges have for all lanes together.
    pub(crate) fn lane_count(&self) -> usize {
        self.operations().filter(|name| name.starts_with("Each")).count()
    }

    /// Compiles anew as if an observation had shown these changes.
    pub(crate) fn shake(&mut self, mut changes: impl FnMut() -> Cycles) {
        let changes: Vec<Cycles> = self.fused.leaves.iter().map(|_| changes()).collect();
        self.groups = Groups::new(&self.fused, &changes, f64::MAX);
        self.compile();
    }
}
