//! The memory unit of a control block and its blocks, each alone, in lock step with their models.

use super::super::Divergence;
use super::super::driver::{Driver, Unit, WHOLE, unit};
use super::super::places::{Places, Table};
use super::super::ports::{Ports, Taps};
use crate::engine::Engine;
use crate::model::duality::memory::access::{Access, AccessInputs, AccessOutputs};
use crate::model::duality::memory::chosen::{Chosen, ChosenInputs, ChosenOutputs};
use crate::model::duality::memory::float_add::{FloatAdd, FloatAddInputs, FloatAddOutputs};
use crate::model::duality::memory::look::{Look, LookInputs, LookOutputs};
use crate::model::duality::memory::sequence::{Sequence, SequenceInputs, SequenceOutputs};
use crate::model::duality::memory::spill::{Spill, SpillInputs, SpillOutputs};
use crate::model::duality::memory::store_merge::{StoreMerge, StoreMergeInputs, StoreMergeOutputs};
use crate::model::duality::memory::threads::{Threads, ThreadsInputs, ThreadsOutputs};
use crate::model::duality::memory::translate::{Translate, TranslateInputs, TranslateOutputs};
use crate::model::duality::memory::unit::{MemoryUnit, UnitInputs, UnitOutputs};
use crate::model::state::{Path, Walk};

/// A memory unit and its model.
pub type MemoryLockstep<E> = Driver<E, MemoryUnit>;

unit! {
    MemoryUnit, UnitInputs => UnitOutputs, |unit, inputs| UnitInputs::default(), (unit.members()), (unit.members());

    fn judged(path: &str) -> bool {
        MemoryUnit::judged(path)
    }
}
unit! {
    Access, AccessInputs => AccessOutputs, |access, inputs| AccessInputs::default(), (), ();

    fn judged(path: &str) -> bool {
        Access::judged(path)
    }
}
unit! {
    FloatAdd, FloatAddInputs => FloatAddOutputs, |sum, inputs| FloatAddInputs::default(), (), ();

    fn judged(path: &str) -> bool {
        FloatAdd::judged(path)
    }
}
unit! { Chosen, ChosenInputs => ChosenOutputs, |chosen, inputs| ChosenInputs::default(), (), (); }
unit! { Look, LookInputs => LookOutputs, |look, inputs| LookInputs::default(), (), (); }
unit! { Sequence, SequenceInputs => SequenceOutputs, |sequence, inputs| SequenceInputs::default(), (), (); }
unit! { Spill, SpillInputs => SpillOutputs, |spill, inputs| SpillInputs::default(), (), (); }
unit! { StoreMerge, StoreMergeInputs => StoreMergeOutputs, |merge, inputs| StoreMergeInputs::default(), (), (); }
unit! { Threads, ThreadsInputs => ThreadsOutputs, |threads, inputs| ThreadsInputs::default(), (), (); }
unit! { Translate, TranslateInputs => TranslateOutputs, |translate, inputs| TranslateInputs::default(), (), (); }

/// The model of a memory unit within a larger design: it gets what the unit gets there, and must show and hold the
/// same.
pub struct MemoryBeside {
    model: MemoryUnit,
    name: String,
    seed: u64,
    cycle: u64,
    places: Places,
    inputs: Taps,
    outputs: Ports,
}

/// The state of a unit of this name.
struct Named<'a>(&'a MemoryUnit, &'a str);

impl Table for Named<'_> {
    fn pass<W: Walk>(&self, to: W) -> W {
        self.0.state(&Path::TOP.at(self.1), to)
    }
}

/// What a unit of this name with so many members shows.
struct Shown<'a>(&'a UnitOutputs, usize, &'a str);

impl Table for Shown<'_> {
    fn pass<W: Walk>(&self, to: W) -> W {
        self.0.state(self.1, &Path::TOP.at(self.2), to)
    }
}

impl MemoryBeside {
    /// Beside the unit of this name in a design that has just come out of reset, whose memories get what those of the
    /// model hold.
    ///
    /// # Panics
    /// If there is no such unit, or something of it is neither compared nor judged.
    pub fn new<E: Engine>(engine: &mut E, model: MemoryUnit, name: &str, seed: u64) -> MemoryBeside {
        let at = &Path::TOP.at(name);
        let design = engine.design();
        let table = Named(&model, name);
        let places = Places::find(design, |to| table.pass(to));
        let inputs = Taps::find(design, |from| _ = UnitInputs::see(model.members(), at, from));
        let shown = model.clone().step(&UnitInputs::default());
        let outputs = Ports::find(design, |to| shown.state(model.members(), at, to));
        let own = format!("{name}.");
        let judged = |path: &str| path.strip_prefix(&own).is_none_or(MemoryUnit::judged);
        assert_eq!(places.unseen(design, judged), Vec::<&str>::new(), "not compared");
        places.settle(engine, false, |to| table.pass(to));
        MemoryBeside { model, name: name.into(), seed, cycle: 0, places, inputs, outputs }
    }

    /// One clock edge, with what the unit gets before it; the design's own is `tick`.
    ///
    /// # Errors
    /// The first difference.
    pub fn cycle<E: Engine>(&mut self, engine: &mut E, tick: impl FnOnce(&mut E)) -> Result<(), Box<Divergence>> {
        let (members, at) = (self.model.members(), &Path::TOP.at(&self.name));
        let mut seen = UnitInputs::default();
        self.inputs.read(engine, |from| seen = UnitInputs::see(members, at, from));
        let shown = self.model.step(&seen);
        let same = self.outputs.compare(engine, &Shown(&shown, members, &self.name));
        tick(engine);
        self.cycle += 1;
        let whole = self.cycle.is_multiple_of(WHOLE);
        let same = same.and_then(|()| self.places.compare(engine, whole, &Named(&self.model, &self.name)));
        same.map_err(|difference| difference.at(self.seed, self.cycle))
    }
}
