//! Where each net, register and memory of a flat design is found in the emitted Verilog.

use crate::kernel::flat::Flat;
use crate::kernel::netlist::{Driver, ExprKind, ModuleId, NetId, Netlist};
use crate::kernel::verilog::printed_names;

/// Where a net's value is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Spot {
    /// A variable: number of its instance, name.
    Variable(usize, String),
    /// It is constant and was not declared.
    Constant(Vec<u64>),
    /// It is another net and was not declared.
    Same(NetId),
}

/// Names of a design in its Verilog.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// For every instance, the top first: names of the instances on the way, and its module.
    pub instances: Vec<(Vec<String>, ModuleId)>,
    /// For every net of the flat design.
    pub nets: Vec<Spot>,
    /// For every memory: number of its instance, name.
    pub memories: Vec<(usize, String)>,
}

impl Names {
    /// Walks the hierarchy in the order in which [`Flat`] does.
    pub fn new(netlist: &Netlist, flat: &Flat) -> Names {
        let printed: Vec<_> = netlist.modules.iter().map(|m| printed_names(netlist, m)).collect();
        let mut names = Names::default();
        names.instance(netlist, &printed, ModuleId(netlist.modules.len() as u32 - 1), vec![]);
        assert_eq!((names.nets.len(), names.memories.len()), (flat.nets.len(), flat.memories.len()));
        names
    }

    fn instance(&mut self, netlist: &Netlist, printed: &[Vec<Option<String>>], id: ModuleId, path: Vec<String>) {
        let module = netlist.module(id);
        let (number, first) = (self.instances.len(), self.nets.len() as u32);
        self.instances.push((path.clone(), id));
        for (net, name) in module.nets.iter().zip(&printed[id.0 as usize]) {
            self.nets.push(match (name, &net.driver) {
                (Some(name), _) => Spot::Variable(number, name.clone()),
                (None, Driver::Expr(e)) => match &module.expr(*e).kind {
                    ExprKind::Const(value) => Spot::Constant(limbs(&value.to_u64_digits(), net.width)),
                    ExprKind::Net(other) => Spot::Same(NetId(other.0 + first)),
                    _ => unreachable!("only constants and other nets are not declared"),
                },
                _ => unreachable!("only expressions are not declared"),
            });
        }
        self.memories.extend(module.memories.iter().map(|m| (number, m.name.clone())));
        for inner in &module.instances {
            let path = path.iter().cloned().chain([inner.name.clone()]).collect();
            self.instance(netlist, printed, inner.module, path);
        }
    }

    /// The variable or constant behind a net.
    pub fn spot(&self, mut net: NetId) -> (NetId, &Spot) {
        while let Spot::Same(other) = self.nets[net.0 as usize] {
            net = other;
        }
        (net, &self.nets[net.0 as usize])
    }
}

/// Number of 64-bit limbs.
pub(super) fn limb_count(width: u32) -> usize {
    width.div_ceil(64) as usize
}

/// A value with exactly the limbs of its width, and no bits above it.
pub(super) fn limbs(value: &[u64], width: u32) -> Vec<u64> {
    let mut limbs: Vec<u64> = (0..limb_count(width)).map(|i| value.get(i).copied().unwrap_or(0)).collect();
    if !width.is_multiple_of(64) {
        *limbs.last_mut().expect("a net has a bit") &= (1 << (width % 64)) - 1;
    }
    limbs
}
