//! Ports of a design that a model's tables pass, and nets that it takes from the hardware: found once by their names,
//! then driven, compared or read by their order.

use std::ops::Range;

use super::places::{Difference, Table, same};
use super::quick::{Memo, Memories};
use crate::engine::{self, Engine, Lookup};
use crate::kernel::flat::Flat;
use crate::kernel::netlist::NetId;
use crate::model::seen::Source;
use crate::model::state::{Bank, Contents, Element, Path, Row, Visit, Walk};

/// Ports in the order in which a table passes them.
#[derive(Debug, Default)]
pub struct Ports {
    nets: Vec<NetId>,
    /// 0, 1, 2 ...
    numbers: Vec<usize>,
    /// Whether they have 64 bits at most.
    narrow: Vec<bool>,
    /// Whether all of them do.
    all_narrow: bool,
    /// What was driven together the last time.
    values: Vec<u64>,
    /// What the cycles before have shown, for an engine that keeps what nets show together.
    memo: Memo,
}

impl Ports {
    /// Finds what a walk passes.
    ///
    /// # Panics
    /// If the design lacks one.
    pub fn find(design: &Flat, walk: impl FnOnce(&mut dyn Visit) -> &mut dyn Visit) -> Ports {
        let mut ports = Ports::default();
        walk(&mut Each(|at: &Path<'_>, _: Shown<'_>| {
            let path = at.to_string();
            let net = design.find_net(&path).unwrap_or_else(|| panic!("the design has no signal {path}"));
            ports.numbers.push(ports.nets.len());
            ports.nets.push(net);
            ports.narrow.push(design.net(net).width <= 64);
        }));
        ports.all_narrow = ports.narrow.iter().all(|&narrow| narrow);
        ports
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.nets.len()
    }

    /// Sets inputs to the values of a walk; those without a value stay as they are.
    pub fn drive<E: Engine>(&mut self, engine: &mut E, walk: impl FnOnce(&mut dyn Visit) -> &mut dyn Visit) {
        let Ports { nets, values, all_narrow: narrow, .. } = self;
        values.clear();
        let mut at = 0;
        walk(&mut Each(|_: &Path<'_>, value: Shown<'_>| {
            match value {
                // Together, if all of them are to be set.
                Shown::All(&[value]) if *narrow && values.len() == at => values.push(value),
                Shown::All(value) => engine.set_input(nets[at], value),
                Shown::None | Shown::Bits(_) => {}
            }
            at += 1;
        }));
        if values.len() == nets.len() {
            engine.set_inputs(nets, values);
        } else {
            nets.iter().zip(values).for_each(|(&net, value)| engine.set_input(net, &[*value]));
        }
    }

    /// The same of a table, which is quicker where all inputs have a value of at most 64 bits.
    pub fn drive_all<E: Engine>(&mut self, engine: &mut E, table: &impl Table) {
        self.values.clear();
        let all = table.pass(Given { values: &mut self.values, all: true }).all;
        if all && self.values.len() == self.nets.len() && self.all_narrow {
            return engine.set_inputs(&self.nets, &self.values);
        }
        self.drive(engine, |to| table.pass(to));
    }

    /// Compares outputs with the values of a table.
    ///
    /// # Errors
    /// The first difference.
    pub fn compare<E: Engine>(&mut self, engine: &mut E, table: &impl Table) -> Result<(), Box<Difference>> {
        let Ports { nets, numbers, memo, .. } = self;
        if let Some(kept) = engine.shown(nets) {
            memo.fit(&kept, numbers);
            memo.walk(table, &mut NoMemories, true);
            if memo.same(&kept) {
                return Ok(());
            }
        }
        // Which port it is, this walk tells.
        let (mut nets, mut wrong) = (self.nets.iter().zip(&self.narrow), None);
        let mut each = Each(|at: &Path<'_>, value: Shown<'_>| {
            let (&net, &narrow) = nets.next().expect("as many as were found");
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
        });
        table.pass(&mut each as &mut dyn Visit);
        wrong.map_or(Ok(()), Err)
    }
}

/// Notes the values of inputs, as long as all of them have one of at most 64 bits.
struct Given<'a> {
    values: &'a mut Vec<u64>,
    all: bool,
}

impl Walk for Given<'_> {
    fn word(self, _: &Path<'_>, value: u64) -> Self {
        self.values.push(value);
        self
    }

    fn seldom(mut self, _: &Path<'_>, value: Option<u64>) -> Self {
        self.all &= value.is_some();
        self.values.extend(value);
        self
    }

    fn words(self, at: &Path<'_>, value: &[u64]) -> Self {
        self.seldom_words(at, Some(value))
    }

    fn seldom_words(mut self, _: &Path<'_>, value: Option<&[u64]>) -> Self {
        let value = value.filter(|value| value.len() == 1);
        self.all &= value.is_some();
        self.values.extend(value.unwrap_or_default());
        self
    }

    fn row<T: Element>(self, _: &Row<'_>, values: &[T]) -> Self {
        self.values.extend(values.iter().map(|&value| value.into()));
        self
    }

    fn bits(mut self, _: &Path<'_>, _: bool, _: &dyn Fn(usize) -> Option<bool>) -> Self {
        self.all = false;
        self
    }

    fn memory(self, _: &[Path<'_>], _: &Contents<'_>) -> Self {
        unreachable!("ports are no memories");
    }
}

/// Ports are no memories.
struct NoMemories;

impl Memories for NoMemories {
    fn copies(&mut self, _: usize, _: usize, _: &Contents<'_>) {
        unreachable!("ports are no memories");
    }

    fn noted(&self, _: Range<usize>) -> Option<Range<usize>> {
        None
    }

    fn untouched(&self, _: Range<usize>) -> bool {
        false
    }

    fn bank(&self, _: Range<usize>) -> Option<engine::Bank> {
        None
    }

    fn same<F: Fn(usize, usize) -> u64>(&self, _: &engine::Bank, _: &Bank<'_, F>) -> bool {
        false
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
