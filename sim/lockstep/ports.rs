//! Ports of a design that a model's tables pass, and nets that it takes from the hardware: found once by their names,
//! then driven, compared or read by their order.

use super::places::{Difference, same};
use crate::engine::{Engine, Lookup};
use crate::kernel::flat::Flat;
use crate::kernel::netlist::NetId;
use crate::model::seen::Source;
use crate::model::state::{Contents, Path, Visit};

/// Ports in the order in which a table passes them, and whether they have 64 bits at most.
#[derive(Clone, Debug)]
pub struct Ports(Vec<(NetId, bool)>);

impl Ports {
    /// Finds what a walk passes.
    ///
    /// # Panics
    /// If the design lacks one.
    pub fn find(design: &Flat, walk: impl FnOnce(&mut dyn Visit)) -> Ports {
        let mut ports = Ports(vec![]);
        walk(&mut Each(|at: &Path<'_>, _: Shown<'_>| {
            let path = at.to_string();
            let net = design.find_net(&path).unwrap_or_else(|| panic!("the design has no signal {path}"));
            ports.0.push((net, design.net(net).width <= 64));
        }));
        ports
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Sets inputs to the values of a walk; those without a value stay as they are.
    pub fn drive<E: Engine>(&self, engine: &mut E, walk: impl FnOnce(&mut dyn Visit)) {
        let mut nets = self.0.iter();
        walk(&mut Each(|_: &Path<'_>, value: Shown<'_>| {
            let (net, _) = *nets.next().expect("as many as were found");
            if let Shown::All(value) = value {
                engine.set_input(net, value);
            }
        }));
    }

    /// Compares outputs with the values of a walk.
    ///
    /// # Errors
    /// The first difference.
    pub fn compare<E: Engine>(&self, engine: &mut E, walk: impl FnOnce(&mut dyn Visit)) -> Result<(), Box<Difference>> {
        let (mut nets, mut wrong) = (self.0.iter(), None);
        walk(&mut Each(|at: &Path<'_>, value: Shown<'_>| {
            let (net, narrow) = *nets.next().expect("as many as were found");
            if wrong.is_some() {
                return;
            }
            let expected = match value {
                Shown::None => return,
                Shown::Bits(bit) => {
                    let (width, actual) = (engine.design().net(net).width as usize, engine.value(net));
                    let held = |number: usize| actual[number / 64] >> (number % 64) & 1;
                    let differs = |number: &usize| bit(*number).is_some_and(|bit| u64::from(bit) != held(*number));
                    wrong = (0..width).find(differs).map(|number| {
                        let path = format!("{at}, bit {number}");
                        Box::new(Difference::new(path, &[1 - held(number)], [held(number)]))
                    });
                    return;
                }
                Shown::All(expected) => expected,
            };
            let differs = |actual: &[u64]| Some(Box::new(Difference::new(at.to_string(), expected, actual)));
            if narrow {
                let actual = [engine.low(net)];
                wrong = if same(expected, &actual) { None } else { differs(&actual) };
            } else {
                let actual = engine.value(net);
                wrong = if same(expected, &actual) { None } else { differs(&actual) };
            }
        }));
        wrong.map_or(Ok(()), Err)
    }
}

/// What a walk says of a port.
enum Shown<'a> {
    /// Nothing in this cycle.
    None,
    /// All of it.
    All(&'a [u64]),
    /// Some bits.
    Bits(&'a dyn Fn(usize) -> Option<bool>),
}

/// Tells each port of a walk.
struct Each<F>(F);

impl<F: FnMut(&Path<'_>, Shown<'_>)> Visit for Each<F> {
    fn register(&mut self, at: &Path<'_>, value: Option<&[u64]>) {
        self.0(at, value.map_or(Shown::None, Shown::All));
    }

    fn bits(&mut self, at: &Path<'_>, _: bool, bit: &dyn Fn(usize) -> Option<bool>) {
        self.0(at, Shown::Bits(bit));
    }

    fn memory(&mut self, _: &[Path<'_>], _: &Contents<'_>) {
        unreachable!("ports are no memories");
    }
}

/// Nets in the order in which a model takes them from the hardware.
#[derive(Clone, Debug, Default)]
pub struct Taps(Vec<NetId>);

impl Taps {
    /// Finds what a model takes.
    ///
    /// # Panics
    /// If the design lacks a net.
    pub fn find(design: &Flat, see: impl FnOnce(&mut dyn Source)) -> Taps {
        let mut find = FindNets { design, nets: vec![] };
        see(&mut find);
        Taps(find.nets)
    }

    /// Hands the model what the hardware shows.
    pub fn read<E: Engine>(&self, engine: &mut E, see: impl FnOnce(&mut dyn Source)) {
        see(&mut ReadNets { engine, nets: self.0.iter() });
    }
}

/// Looks for the nets that a model takes.
struct FindNets<'a> {
    design: &'a Flat,
    nets: Vec<NetId>,
}

impl Source for FindNets<'_> {
    fn low(&mut self, at: &Path<'_>) -> u64 {
        let path = at.to_string();
        self.nets.push(self.design.find_net(&path).unwrap_or_else(|| panic!("the design has no signal {path}")));
        0
    }

    fn all(&mut self, at: &Path<'_>) -> Vec<u64> {
        vec![self.low(at)]
    }
}

/// Reads them.
struct ReadNets<'a, E: Engine> {
    engine: &'a mut E,
    nets: std::slice::Iter<'a, NetId>,
}

impl<E: Engine> Source for ReadNets<'_, E> {
    fn low(&mut self, _: &Path<'_>) -> u64 {
        self.engine.low(*self.nets.next().expect("as many as were found"))
    }

    fn all(&mut self, _: &Path<'_>) -> Vec<u64> {
        self.engine.value(*self.nets.next().expect("as many as were found"))
    }
}
