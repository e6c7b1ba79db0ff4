//! What only tests do with an engine.

use super::Bytecode;
use crate::code::Instr;
use crate::convert::graph;
use crate::graph::Leaf;
use crate::groups::Groups;
use crate::kernel::flat::Flat;
use crate::lanes::all_lanes;
use crate::observe::Cycles;
use crate::special::{Values, specialise};

impl Bytecode {
    /// An engine whose design has lanes wherever that is right.
    pub(crate) fn with_lanes(design: Flat, fewest: usize) -> Bytecode {
        let graph = graph(&design);
        let fused = all_lanes(&graph, fewest);
        Bytecode::with(design, graph, fused)
    }

    /// Operations of lanes in the code, and lanes that are put together one by one.
    pub(crate) fn lane_counts(&self) -> (usize, usize) {
        let each = self.tables.lanes.len();
        let single = self.code.iter().map(|i| if let Instr::Copies { n, .. } = i { *n as usize } else { 0 }).sum();
        (each, single)
    }

    /// Functions of lanes in the code, each with the sizes of operands and result.
    pub(crate) fn lane_kinds(&self) -> impl Iterator<Item = String> {
        let text = self.tables.lanes.iter().map(|each| format!("{each:?}"));
        text.map(|text| text.split(" {").next().unwrap_or_default().to_string())
    }

    /// Words of the code, its last instruction included.
    pub(crate) fn code_words(&self) -> usize {
        // An end is its kind and its number.
        self.program.starts.last().map_or(0, |&end| end as usize + 2)
    }

    /// The kinds of instructions in the code, a bit each.
    pub(crate) fn kinds(&self) -> u64 {
        self.program.starts.iter().fold(0, |all, &at| all | 1 << self.program.words[at as usize])
    }

    /// Runs as if the design were too large for positions of 16 bits.
    pub(crate) fn enlarge(&mut self) {
        self.checked = true;
        self.compile(true);
    }

    /// Compiles anew as if an observation had shown these changes.
    pub(crate) fn shake(&mut self, mut changes: impl FnMut() -> Cycles, mut values: impl FnMut(u64) -> Vec<u64>) {
        (self.groups, self.special) = (Groups::none(&self.fused), None);
        let used = self.compile(false);
        let changes: Vec<_> = used.iter().map(|slot| slot.map(|_| changes())).collect();
        self.groups = Groups::new(&self.fused, &changes);
        let single = |i: &usize| self.fused.leaves[*i] <= 64 && self.fused.parts[*i].is_none();
        let leaves = (0..self.fused.leaves.len()).filter(single);
        let now = leaves.map(|i| (Leaf(i as u32), self.state[self.layout.leaf(Leaf(i as u32)) as usize]));
        let values: Vec<Values> = now
            .map(|(leaf, now)| {
                let mut values: Vec<(u64, u32)> = values(now).into_iter().map(|value| (value, 1)).collect();
                values.sort_unstable();
                values.dedup();
                (leaf, values)
            })
            .filter(|(_, values)| !values.is_empty())
            .collect();
        if !self.patched {
            self.special = specialise(&self.fused, &self.groups, &values, Some(f64::MIN));
        }
        self.compile(true);
    }
}
