//! Models of units within a larger design.

use super::super::Divergence;
use super::super::driver::{Unit, WHOLE};
use super::super::places::{Places, Table};
use super::super::ports::{Ports, Taps};
use crate::engine::Engine;
use crate::model::seen::Source;
use crate::model::state::{Path, Walk};

/// A model that can run beside its unit within a larger design.
pub trait Inside: Unit<Params = ()> {
    /// What the unit gets there.
    fn seen(&self, at: &Path<'_>, from: &mut dyn Source) -> Self::Inputs;

    /// Passes what it must show there.
    fn shows<W: Walk>(&self, outputs: &Self::Outputs, at: &Path<'_>, to: W) -> W;

    /// Passes what it must hold there.
    fn holds<W: Walk>(&self, at: &Path<'_>, to: W) -> W;
}

/// The model of a unit within a larger design: it gets what the unit gets there, and must show and hold the same.
pub struct Beside<M: Inside> {
    /// The model.
    pub model: M,
    name: String,
    seed: u64,
    cycle: u64,
    places: Places,
    inputs: Taps,
    outputs: Ports,
}

/// The state of a unit of this name.
struct Named<'a, M>(&'a M, &'a str);

impl<M: Inside> Table for Named<'_, M> {
    fn pass<W: Walk>(&self, to: W) -> W {
        self.0.holds(&Path::TOP.at(self.1), to)
    }
}

/// What a unit of this name shows.
struct Shown<'a, M: Inside>(&'a M, &'a M::Outputs, &'a str);

impl<M: Inside> Table for Shown<'_, M> {
    fn pass<W: Walk>(&self, to: W) -> W {
        self.0.shows(self.1, &Path::TOP.at(self.2), to)
    }
}

impl<M: Inside> Beside<M> {
    /// Beside the unit of this name in a design that has just come out of reset, whose memories get what those of the
    /// model hold.
    ///
    /// # Panics
    /// If there is no such unit, or something of it is neither compared nor judged.
    pub fn new<E: Engine>(engine: &mut E, model: M, name: &str, seed: u64) -> Beside<M> {
        let at = &Path::TOP.at(name);
        let design = engine.design();
        let table = Named(&model, name);
        let places = Places::find(design, |to| table.pass(to));
        let inputs = Taps::find(design, |from| _ = model.seen(at, from));
        let shown = model.clone().step(&model.idle());
        let outputs = Ports::find(design, |to| model.shows(&shown, at, to));
        let own = format!("{name}.");
        let judged = |path: &str| path.strip_prefix(&own).is_none_or(M::judged);
        assert_eq!(places.unseen(design, judged), Vec::<&str>::new(), "not compared");
        places.settle(engine, false, |to| table.pass(to));
        Beside { model, name: name.into(), seed, cycle: 0, places, inputs, outputs }
    }

    /// One clock edge, with what the unit gets before it; the design's own is `tick`.
    ///
    /// # Errors
    /// The first difference.
    pub fn cycle<E: Engine>(&mut self, engine: &mut E, tick: impl FnOnce(&mut E)) -> Result<(), Box<Divergence>> {
        let at = &Path::TOP.at(&self.name);
        let mut seen = self.model.idle();
        self.inputs.read(engine, |from| seen = self.model.seen(at, from));
        let shown = self.model.step(&seen);
        let same = self.outputs.compare(engine, &Shown(&self.model, &shown, &self.name));
        tick(engine);
        self.cycle += 1;
        let whole = self.cycle.is_multiple_of(WHOLE);
        let same = same.and_then(|()| self.places.compare(engine, whole, &Named(&self.model, &self.name)));
        same.map_err(|difference| difference.at(self.seed, self.cycle))
    }
}
