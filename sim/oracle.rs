//! rust-hdl's own update loop on a block: the second opinion on the elaborator and on every engine, on ports only.

use num_bigint::BigUint;
use rust_hdl_core::atom::{Atom, AtomKind};
use rust_hdl_core::prelude::{Block, Probe};

use super::engine::Engine;
use crate::kernel::names::{flat, legal};
use crate::kernel::netlist::NetId;
use crate::kernel::nominal::{Snapshot, bits_of};
use crate::kernel::reg::Domain;

/// A port: name as in the netlist, width in bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortInfo {
    /// Name; parts of interfaces are joined by `_`.
    pub name: String,
    /// Width in bits.
    pub width: u32,
}

/// Something that runs a design and shows its ports only. Every [`Engine`] does, and so does [`Oracle`].
pub trait Ports {
    /// Inputs besides clock and reset.
    fn inputs(&self) -> Vec<PortInfo>;
    /// Outputs.
    fn outputs(&self) -> Vec<PortInfo>;
    /// Sets the input with this name for the cycles that follow.
    fn drive(&mut self, input: &str, value: &[u64]);
    /// Values of all outputs in this cycle, in the order of [`Ports::outputs`].
    fn look(&mut self) -> Vec<Vec<u64>>;
    /// One clock edge.
    fn edge(&mut self, reset: bool);
}

impl<E: Engine> Ports for E {
    fn inputs(&self) -> Vec<PortInfo> {
        infos(self, &self.design().inputs)
    }

    fn outputs(&self) -> Vec<PortInfo> {
        infos(self, &self.design().outputs)
    }

    fn drive(&mut self, input: &str, value: &[u64]) {
        let flat = self.design();
        let net = flat.inputs.iter().copied().find(|&net| flat.net(net).path == input);
        self.set_input(net.unwrap_or_else(|| panic!("no input {input}")), value);
    }

    fn look(&mut self) -> Vec<Vec<u64>> {
        let outputs = self.design().outputs.clone();
        outputs.into_iter().map(|net| self.value(net)).collect()
    }

    fn edge(&mut self, reset: bool) {
        self.tick(reset);
    }
}

fn infos<E: Engine>(engine: &E, nets: &[NetId]) -> Vec<PortInfo> {
    let flat = engine.design();
    nets.iter().map(|&net| PortInfo { name: flat.net(net).path.clone(), width: flat.net(net).width }).collect()
}

/// Sets a signal of a block.
pub type Setter<B> = fn(&mut B, &[u64]);

/// A block under rust-hdl's update loop. Made by the macro [`oracle!`](crate::oracle!).
pub struct Oracle<B> {
    block: B,
    clock: Option<fn(&mut B, Domain)>,
    setters: Vec<(String, Setter<B>)>,
    widths: Snapshot,
}

/// Passes after which a block that still changes counts as oscillating.
const PASSES: usize = 10_000;

impl<B: Block> Oracle<B> {
    /// The block with a setter for its clock, if it has one, and for each of its inputs. Its registers hold zeros, not
    /// their reset values, until the first edge with reset.
    pub fn new(mut block: B, clock: Option<fn(&mut B, Domain)>, setters: Vec<(String, Setter<B>)>) -> Oracle<B> {
        block.connect_all();
        let mut oracle = Oracle { block, clock, setters, widths: Snapshot::take() };
        oracle.settle();
        oracle
    }

    /// The block.
    pub fn block(&self) -> &B {
        &self.block
    }

    fn settle(&mut self) {
        let _widths = self.widths.enter();
        for _ in 0..PASSES {
            self.block.update_all();
            if !self.block.has_changed() {
                return;
            }
        }
        panic!("the block does not settle");
    }

    fn ports(&self) -> Vec<(PortInfo, bool, Vec<u64>)> {
        let _widths = self.widths.enter();
        let mut found = TopPorts::default();
        self.block.accept("top", &mut found);
        found.ports
    }
}

impl<B: Block> Ports for Oracle<B> {
    fn inputs(&self) -> Vec<PortInfo> {
        self.ports().into_iter().filter(|p| !p.1).map(|p| p.0).collect()
    }

    fn outputs(&self) -> Vec<PortInfo> {
        self.ports().into_iter().filter(|p| p.1).map(|p| p.0).collect()
    }

    fn drive(&mut self, input: &str, value: &[u64]) {
        let setter = self.setters.iter().find(|(name, _)| name == input);
        let setter = setter.unwrap_or_else(|| panic!("no setter for the input {input}")).1;
        let _widths = self.widths.enter();
        setter(&mut self.block, value);
    }

    fn look(&mut self) -> Vec<Vec<u64>> {
        self.settle();
        self.ports().into_iter().filter(|p| p.1).map(|p| p.2).collect()
    }

    fn edge(&mut self, reset: bool) {
        let Some(clock) = self.clock else { return };
        // Reset and inputs reach every register before the edge does.
        for (clk, rst) in [(false, reset), (true, reset), (false, false)] {
            clock(&mut self.block, Domain { clk, rst });
            self.settle();
        }
    }
}

/// Collects the ports of the outermost block.
#[derive(Default)]
struct TopPorts {
    depth: usize,
    names: Vec<String>,
    ports: Vec<(PortInfo, bool, Vec<u64>)>,
}

impl Probe for TopPorts {
    fn visit_start_scope(&mut self, _: &str, _: &dyn Block) {
        self.depth += 1;
    }

    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        self.depth -= 1;
    }

    fn visit_start_namespace(&mut self, name: &str, _: &dyn Block) {
        self.names.push(name.into());
    }

    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
        self.names.pop();
    }

    fn visit_atom(&mut self, name: &str, atom: &dyn Atom) {
        let output = match atom.kind() {
            AtomKind::OutputParameter => true,
            AtomKind::InputParameter if atom.descriptor().name != crate::kernel::reg::DOMAIN => false,
            _ => return,
        };
        if self.depth != 1 {
            return;
        }
        let parts: Vec<&str> = self.names.iter().map(String::as_str).chain([name]).collect();
        let name = legal(&flat(&parts.join("$")));
        let width = bits_of(&atom.descriptor());
        let text = format!("{:x}", atom.verilog());
        let digits = text.split_once("'h").map_or("", |(_, digits)| digits);
        let value = BigUint::parse_bytes(digits.as_bytes(), 16).unwrap_or_else(|| panic!("{name} is {text}"));
        let mut limbs = value.to_u64_digits();
        limbs.resize(width.div_ceil(64) as usize, 0);
        self.ports.push((PortInfo { name, width }, output, limbs));
    }
}

/// An [`Oracle`](crate::oracle::Oracle): `oracle!(block, clock; a, b, bus.valid)` with the names of its clock and
/// inputs, or `oracle!(block; a, b)` without a clock.
#[macro_export]
macro_rules! oracle {
    ($block:expr $(, $clock:ident)?; $($($part:ident).+),* $(,)?) => {
        $crate::oracle::Oracle::new(
            $block,
            $crate::oracle!(@clock $($clock)?),
            vec![$((
                $crate::kernel::names::legal(&$crate::kernel::names::flat(&[$(stringify!($part)),+].join("$"))),
                |block, limbs| block.$($part).+.next = $crate::kernel::packed::Packed::from_packed(limbs),
            )),*],
        )
    };
    (@clock) => { None };
    (@clock $clock:ident) => { Some(|block, domain| block.$clock.next = domain) };
}
pub use crate::oracle;
