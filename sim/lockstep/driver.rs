//! The one lock step: any engine with any model that has tables of its ports and its state.

use super::Divergence;
use super::places::{Difference, Places, Table};
use super::ports::{Ports, Taps};
use crate::engine::Engine;
use crate::kernel::flat::Flat;
use crate::model::seen::{Broken, Source};
use crate::model::state::Walk;

/// After so many cycles, and when a model says so, all words of memories are compared; else those that were written.
pub(super) const WHOLE: u64 = 1024;

/// A model that can run beside its hardware.
pub trait Unit: Clone {
    /// What else its tables and its reset depend on.
    type Params;
    /// What goes in in a cycle.
    type Inputs: Clone;
    /// What comes out.
    type Outputs;

    /// Inputs of a cycle in which nothing happens.
    fn idle(&self) -> Self::Inputs;

    /// Passes the input ports with their values.
    fn inputs<W: Walk>(&self, inputs: &Self::Inputs, to: W) -> W;

    /// Whether [`Unit::alike`] may tell anything.
    const ALIKE: bool = false;

    /// Whether input ports have the same values with these inputs as with those, whatever the model's state.
    fn alike(_these: &Self::Inputs, _those: &Self::Inputs) -> bool {
        false
    }

    /// Passes the output ports with their values.
    fn outputs<W: Walk>(&self, inputs: &Self::Inputs, outputs: &Self::Outputs, to: W) -> W;

    /// Passes registers and memories with what they hold.
    fn state<W: Walk>(&self, params: &Self::Params, to: W) -> W;

    /// One clock edge.
    fn step(&mut self, inputs: &Self::Inputs) -> Self::Outputs;

    /// A clock edge with the reset on has passed.
    fn reset(&mut self, params: &Self::Params);

    /// Whether all words of memories are to be compared after the cycle with these outputs.
    fn ends(_outputs: &Self::Outputs) -> bool {
        false
    }

    /// Takes from the hardware what the model follows.
    fn see(&mut self, _hardware: &mut dyn Source) {}

    /// The rule that the hardware broke in the last step, if it did.
    fn broken(&mut self) -> Option<Broken> {
        None
    }

    /// Whether a register or a memory that the model does not hold is judged all the same, by what leaves its block.
    fn judged(_path: &str) -> bool {
        false
    }

    /// What the model has noted as written was compared.
    fn forget(&mut self) {}
}

/// Implements [`Unit`] for a model whose functions and tables have the trait's names: its idle inputs, and what else
/// the tables of its ports depend on; more functions may follow.
macro_rules! unit {
    (
        $model:ident, $in:ty => $out:ty, |$me:ident, $inputs:ident| $idle:expr, ($($given:expr),*), ($($asked:expr),*);
        $($more:item)*
    ) => {
        #[allow(unused_variables)] // Not every table depends on something.
        impl Unit for $model {
            type Params = ();
            type Inputs = $in;
            type Outputs = $out;

            fn idle(&self) -> $in {
                let $me = self;
                $idle
            }

            fn inputs<W: Walk>(&self, $inputs: &$in, to: W) -> W {
                let $me = self;
                $inputs.state($($given,)* &Path::TOP, to)
            }

            fn outputs<W: Walk>(&self, $inputs: &$in, outputs: &$out, to: W) -> W {
                let $me = self;
                outputs.state($($asked,)* &Path::TOP, to)
            }

            fn state<W: Walk>(&self, (): &(), to: W) -> W {
                self.state(&Path::TOP, to)
            }

            fn step(&mut self, inputs: &$in) -> $out {
                self.step(inputs)
            }

            fn reset(&mut self, (): &()) {
                self.reset();
            }

            $($more)*
        }
    };
}
pub(super) use unit;

/// A model's table of its state.
struct Held<'a, U: Unit>(&'a U, &'a U::Params);

impl<U: Unit> Table for Held<'_, U> {
    fn pass<W: Walk>(&self, to: W) -> W {
        self.0.state(self.1, to)
    }
}

/// A model's table of what goes in.
struct Given<'a, U: Unit>(&'a U, &'a U::Inputs);

impl<U: Unit> Table for Given<'_, U> {
    fn pass<W: Walk>(&self, to: W) -> W {
        self.0.inputs(self.1, to)
    }
}

/// A model's table of what it shows.
struct Shown<'a, U: Unit>(&'a U, &'a U::Inputs, &'a U::Outputs);

impl<U: Unit> Table for Shown<'_, U> {
    fn pass<W: Walk>(&self, to: W) -> W {
        self.0.outputs(self.1, self.2, to)
    }
}

/// Hardware and model.
pub struct Driver<E: Engine, U: Unit> {
    pub(super) params: U::Params,
    pub(super) seed: u64,
    pub(super) cycle: u64,
    pub(super) checked: bool,
    /// Registers and memories are compared in every cycle.
    every: bool,
    /// The hardware.
    pub engine: E,
    /// The model.
    pub model: U,
    pub(super) places: Places,
    inputs: Ports,
    /// What the hardware's inputs are, if only this has set them.
    driven: Option<U::Inputs>,
    outputs: Ports,
    taps: Taps,
}

impl<E: Engine, U: Unit> Driver<E, U> {
    /// Brings the hardware out of reset, all inputs 0, its memories filled with what the model's hold. `seed` is
    /// where that comes from.
    ///
    /// # Panics
    /// If the design lacks something that the model knows: it is the hardware of another model.
    pub fn around(mut engine: E, mut model: U, params: U::Params, seed: u64) -> Driver<E, U> {
        let design = engine.design();
        let places = Places::find(design, |to| model.state(&params, to));
        let idle = model.idle();
        let inputs = Ports::find(design, |to| model.inputs(&idle, to));
        let shown = model.clone().step(&idle);
        let outputs = Ports::find(design, |to| model.outputs(&idle, &shown, to));
        let taps = Taps::find(design, |from| model.clone().see(from));
        quiet(&mut engine);
        places.settle(&mut engine, false, |to| model.state(&params, to));
        engine.tick(true);
        engine.forget_written();
        model.forget();
        Driver {
            params,
            seed,
            cycle: 0,
            checked: true,
            every: true,
            engine,
            model,
            places,
            inputs,
            driven: None,
            outputs,
            taps,
        }
    }

    /// Parameters of the design.
    pub fn params(&self) -> &U::Params {
        &self.params
    }

    /// Registers and memories of the hardware that are neither compared with the model nor judged by what leaves their
    /// block. Contents of ROMs cannot change.
    pub fn unseen(&self) -> Vec<&str> {
        self.places.unseen(self.engine.design(), U::judged)
    }

    /// How many registers, memories and outputs are compared.
    pub fn counts(&self) -> [usize; 3] {
        let [registers, memories] = self.places.counts();
        [registers, memories, self.outputs.count()]
    }

    /// Cycles since the reset.
    pub fn cycle_count(&self) -> u64 {
        self.cycle
    }

    /// One clock cycle of both; everything is compared.
    ///
    /// # Errors
    /// The first difference.
    pub fn cycle(&mut self, inputs: &U::Inputs) -> Result<U::Outputs, Box<Divergence>> {
        let outputs = self.shown(inputs)?;
        self.engine.tick(false);
        self.cycle += 1;
        if self.every {
            self.compare(U::ends(&outputs))?;
        }
        Ok(outputs)
    }

    /// Whether registers and memories are compared in every cycle, or only when [`Driver::compare_memory`] asks for it,
    /// which takes a part of the time. Outputs are compared in every cycle.
    pub fn compare_every_cycle(&mut self, every: bool) {
        self.every = every;
    }

    /// Inputs go in, the model takes its step, and what the hardware shows is compared.
    fn shown(&mut self, inputs: &U::Inputs) -> Result<U::Outputs, Box<Divergence>> {
        let (engine, model) = (&mut self.engine, &mut self.model);
        if !self.driven.as_ref().is_some_and(|driven| U::alike(inputs, driven)) {
            self.inputs.drive_all(engine, &Given(&*model, inputs));
            self.driven = U::ALIKE.then(|| inputs.clone());
        }
        self.taps.read(engine, |from| model.see(from));
        let outputs = model.step(inputs);
        let broken = model.broken();
        if self.checked {
            let kept = broken.map_or(Ok(()), |Broken(rule)| Err(Box::new(Difference::new(rule, &[], []))));
            let same = kept.and_then(|()| self.outputs.compare(engine, &Shown(model, inputs, &outputs)));
            same.map_err(|difference| self.diverged(*difference))?;
        }
        Ok(outputs)
    }

    /// One clock cycle of both with the reset on. Memories keep their words.
    ///
    /// # Errors
    /// The first difference.
    pub fn reset(&mut self, inputs: &U::Inputs) -> Result<(), Box<Divergence>> {
        self.shown(inputs)?;
        self.model.reset(&self.params);
        self.engine.tick(true);
        self.cycle += 1;
        self.compare(true)
    }

    /// Compares all registers and all words of memories.
    ///
    /// # Errors
    /// The first difference.
    pub fn compare_memory(&mut self) -> Result<(), Box<Divergence>> {
        self.compare(true)
    }

    pub(super) fn compare(&mut self, whole: bool) -> Result<(), Box<Divergence>> {
        if !self.checked {
            return Ok(());
        }
        let whole = whole || self.cycle.is_multiple_of(WHOLE);
        let same = self.places.compare(&mut self.engine, whole, &Held(&self.model, &self.params));
        self.model.forget();
        same.map_err(|difference| self.diverged(*difference))
    }

    /// Gives the hardware what the model holds: its memories' words, and its registers' values too if `registers`.
    pub(super) fn settle(&mut self, registers: bool) {
        self.places.settle(&mut self.engine, registers, |to| self.model.state(&self.params, to));
        self.engine.forget_written();
        self.model.forget();
    }

    pub(super) fn diverged(&self, difference: Difference) -> Box<Divergence> {
        difference.at(self.seed, self.cycle)
    }

    /// Sets all inputs of the hardware to 0.
    pub(super) fn quiet(&mut self) {
        self.driven = None;
        quiet(&mut self.engine);
    }
}

/// Sets all inputs of the hardware to 0.
pub(super) fn quiet<E: Engine>(engine: &mut E) {
    let design: &Flat = engine.design();
    let inputs: Vec<_> = design.inputs.iter().map(|&input| (input, design.net(input).width)).collect();
    inputs.into_iter().for_each(|(input, width)| engine.set_input(input, &vec![0; width.div_ceil(64) as usize]));
}
