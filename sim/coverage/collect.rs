//! The native engine with somebody who watches it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use super::{Arm, Module, Net, State};
use crate::engine::{Engine, Kept, Limbs, Native};
use crate::kernel::flat::Flat;
use crate::kernel::netlist::{self, Binary, Driver, Expr, ExprKind, NetId, Netlist};

/// A value that is watched: nets that are connected are watched once.
struct Watched {
    net: NetId,
    width: u32,
    last: Vec<u64>,
    rose: Vec<u64>,
    fell: Vec<u64>,
    /// Constants that it is compared with, and whether it has held each.
    states: Vec<(u64, bool)>,
    /// There is more to see.
    open: bool,
}

/// Counts what a run covers; when it is dropped, adds that to what earlier runs have covered.
pub struct Covered {
    engine: Native,
    watched: Vec<Watched>,
    /// The watched value behind each net of the flat design.
    behind: HashMap<NetId, usize>,
    /// Arms of each instance.
    arms: Vec<Vec<(NetId, bool)>>,
    begun: bool,
    modules: Vec<Module>,
    all: Arc<Mutex<Vec<Module>>>,
}

/// What a module has that can be covered.
fn empty(netlist: &Netlist, number: usize) -> Module {
    let module = &netlist.modules[number];
    let words = |width: u32| vec![0; width.div_ceil(64) as usize];
    let nets = module.nets.iter().map(|net| Net {
        name: net.name.clone(),
        width: net.width,
        register: matches!(net.driver, Driver::Register(_)),
        rose: words(net.width),
        fell: words(net.width),
    });
    let states = states(module, netlist.arms.get(number).map_or(&[], |arms| &arms.exprs));
    let states = states.into_iter().map(|(net, values)| State {
        name: module.net(net).name.clone(),
        values: values.into_iter().map(|value| (value, false)).collect(),
    });
    let (mut file, mut line, mut list) = (String::new(), 0, vec![]);
    if let Some(arms) = netlist.arms.get(number) {
        (file, line) = (arms.file.clone(), arms.line);
        let arm = |arm: &crate::kernel::arms::Arm| Arm {
            place: arm.place,
            number: arm.number,
            label: arm.label.clone(),
            taken: false,
        };
        list = arms.list.iter().map(arm).collect();
    }
    Module { name: module.name.clone(), file, line, nets: nets.collect(), arms: list, states: states.collect() }
}

/// Registers that are compared with constants, and these, if there are at least two.
fn states(module: &netlist::Module, arms: &[Expr]) -> BTreeMap<NetId, BTreeSet<u64>> {
    let mut found: BTreeMap<NetId, BTreeSet<u64>> = BTreeMap::new();
    for exprs in [&module.exprs[..], arms] {
        for expr in exprs {
            let ExprKind::Binary(Binary::Eq | Binary::Ne, a, b) = expr.kind else { continue };
            for (net, value) in [(a, b), (b, a)] {
                if let (ExprKind::Net(net), ExprKind::Const(value)) =
                    (&exprs[net.0 as usize].kind, &exprs[value.0 as usize].kind)
                    && matches!(module.net(*net).driver, Driver::Register(_))
                    && let Ok(value) = u64::try_from(value)
                {
                    found.entry(*net).or_default().insert(value);
                }
            }
        }
    }
    found.retain(|_, values| values.len() > 1);
    found
}

impl Covered {
    /// Counts what a run of this design covers, and adds it to `all`.
    pub fn new(netlist: &Netlist, all: Arc<Mutex<Vec<Module>>>) -> Covered {
        let mut flat = Flat::new(netlist);
        let nets = flat.nets.len() as u32;
        let arms = flat.add_arms(netlist);
        let (mut watched, mut behind, mut place) = (Vec::new(), HashMap::new(), HashMap::new());
        for net in (0..nets).map(NetId) {
            let source = flat.source(net);
            let at = *place.entry(source).or_insert_with(|| {
                let width = flat.net(source).width;
                let words = vec![0; width.div_ceil(64) as usize];
                let (last, rose, fell) = (words.clone(), words.clone(), words);
                watched.push(Watched { net: source, width, last, rose, fell, states: vec![], open: true });
                watched.len() - 1
            });
            behind.insert(net, at);
        }
        for instance in &flat.instances {
            let number = instance.module.0 as usize;
            let arms = netlist.arms.get(number).map_or(&[][..], |arms| &arms.exprs);
            for (net, values) in states(netlist.module(instance.module), arms) {
                let watched = &mut watched[behind[&NetId(instance.first_net + net.0)]];
                watched.states.extend(values.into_iter().map(|value| (value, false)));
            }
        }
        let modules = (0..netlist.modules.len()).map(|number| empty(netlist, number)).collect();
        let arms = arms.into_iter().map(|arms| arms.into_iter().map(|net| (net, false)).collect()).collect();
        Covered { engine: Native::new(flat), watched, behind, arms, begun: false, modules, all }
    }

    /// Looks at everything in this cycle.
    fn look(&mut self) {
        for watched in self.watched.iter_mut().filter(|watched| watched.open) {
            if watched.width > 64 {
                let value = self.engine.value(watched.net);
                watched.see(&value, self.begun);
            } else {
                watched.see(&[self.engine.low(watched.net)], self.begun);
            }
        }
        for (net, taken) in self.arms.iter_mut().flatten().filter(|(_, taken)| !taken) {
            *taken = self.engine.low(*net) == 1;
        }
        self.begun = true;
    }
}

impl Watched {
    fn see(&mut self, value: &[u64], begun: bool) {
        self.states.iter_mut().for_each(|(state, held)| *held |= value[0] == *state);
        if begun && self.last == value {
            return;
        }
        let mut left = 0;
        for (limb, &new) in value.iter().enumerate() {
            let old = std::mem::replace(&mut self.last[limb], new);
            if begun {
                self.rose[limb] |= new & !old;
                self.fell[limb] |= old & !new;
            }
            let bits = (self.width - 64 * limb as u32).min(64);
            left |= (u64::MAX >> (64 - bits)) & !(self.rose[limb] & self.fell[limb]);
        }
        self.open = left != 0 || self.states.iter().any(|(_, held)| !held);
    }
}

impl Drop for Covered {
    fn drop(&mut self) {
        let instances = self.engine.design().instances.clone();
        for (instance, arms) in instances.iter().zip(&self.arms) {
            let module = &mut self.modules[instance.module.0 as usize];
            let or = |into: &mut [u64], from: &[u64]| into.iter_mut().zip(from).for_each(|(a, b)| *a |= b);
            for (number, net) in (0..).zip(&mut module.nets) {
                let seen = &self.watched[self.behind[&NetId(instance.first_net + number)]];
                or(&mut net.rose, &seen.rose);
                or(&mut net.fell, &seen.fell);
                if let Some(state) = module.states.iter_mut().find(|state| state.name == net.name) {
                    for (value, held) in &mut state.values {
                        *held |= seen.states.iter().any(|(other, held)| other == value && *held);
                    }
                }
            }
            module.arms.iter_mut().zip(arms).for_each(|(arm, &(_, taken))| arm.taken |= taken);
        }
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if all.is_empty() {
            *all = std::mem::take(&mut self.modules);
        } else {
            all.iter_mut().zip(&self.modules).for_each(|(module, more)| module.add(more));
        }
    }
}

impl Engine for Covered {
    fn design(&self) -> &Flat {
        self.engine.design()
    }

    fn set_input(&mut self, input: NetId, value: &[u64]) {
        self.engine.set_input(input, value);
    }

    fn value(&mut self, net: NetId) -> Vec<u64> {
        self.engine.value(net)
    }

    fn low(&mut self, net: NetId) -> u64 {
        self.engine.low(net)
    }

    fn tick(&mut self, reset: bool) {
        self.look();
        self.engine.tick(reset);
    }

    fn register(&self, register: usize) -> Limbs<'_> {
        self.engine.register(register)
    }

    fn kept(&self) -> Option<Kept<'_>> {
        self.engine.kept()
    }

    fn set_register(&mut self, register: usize, value: &[u64]) {
        self.engine.set_register(register, value);
    }

    fn memory(&self, memory: usize) -> &[u64] {
        self.engine.memory(memory)
    }

    fn written(&self, memory: usize) -> Option<&[u64]> {
        self.engine.written(memory)
    }

    fn forget_written(&mut self) {
        self.engine.forget_written();
    }

    fn set_word(&mut self, memory: usize, word: usize, value: &[u64]) {
        self.engine.set_word(memory, word, value);
    }
}
