//! The memory unit of a control block and its blocks, each alone, in lock step with their models.

use super::super::driver::{Driver, Unit, unit};
use super::beside::Inside;
use crate::model::duality::memory::access::{Access, AccessInputs, AccessOutputs};
use crate::model::duality::memory::answers::{Answers, AnswersInputs, AnswersOutputs};
use crate::model::duality::memory::chosen::{Chosen, ChosenInputs, ChosenOutputs};
use crate::model::duality::memory::float_add::{FloatAdd, FloatAddInputs, FloatAddOutputs};
use crate::model::duality::memory::look::{Look, LookInputs, LookOutputs};
use crate::model::duality::memory::sequence::{Sequence, SequenceInputs, SequenceOutputs};
use crate::model::duality::memory::spill::{Spill, SpillInputs, SpillOutputs};
use crate::model::duality::memory::store_merge::{StoreMerge, StoreMergeInputs, StoreMergeOutputs};
use crate::model::duality::memory::threads::{Threads, ThreadsInputs, ThreadsOutputs};
use crate::model::duality::memory::translate::{Translate, TranslateInputs, TranslateOutputs};
use crate::model::duality::memory::unit::{MemoryUnit, UnitInputs, UnitOutputs};
use crate::model::seen::Source;
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
unit! { Answers, AnswersInputs => AnswersOutputs, |answers, inputs| AnswersInputs::default(), (), (); }
unit! { StoreMerge, StoreMergeInputs => StoreMergeOutputs, |merge, inputs| StoreMergeInputs::default(), (), (); }
unit! { Threads, ThreadsInputs => ThreadsOutputs, |threads, inputs| ThreadsInputs::default(), (), (); }
unit! { Translate, TranslateInputs => TranslateOutputs, |translate, inputs| TranslateInputs::default(), (), (); }

impl Inside for MemoryUnit {
    fn seen(&self, at: &Path<'_>, from: &mut dyn Source) -> UnitInputs {
        UnitInputs::see(self.members(), at, from)
    }

    fn shows<W: Walk>(&self, outputs: &UnitOutputs, at: &Path<'_>, to: W) -> W {
        outputs.state(self.members(), at, to)
    }

    fn holds<W: Walk>(&self, at: &Path<'_>, to: W) -> W {
        self.state(at, to)
    }
}
