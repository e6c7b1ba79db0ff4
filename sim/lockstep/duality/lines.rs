//! The unit of operations on lines and its blocks, each alone, in lock step with their models.

use super::super::driver::{Driver, Unit, unit};
use super::beside::Inside;
use crate::model::duality::lines::check::{Check, CheckInputs, CheckOutputs};
use crate::model::duality::lines::operands::{Operands, OperandsInputs, OperandsOutputs};
use crate::model::duality::lines::registers::{Registers, RegistersInputs, RegistersOutputs};
use crate::model::duality::lines::unit::{LineUnit, LinesInputs, LinesOutputs};
use crate::model::duality::lines::walk::{LineWalk, WalkInputs, WalkOutputs};
use crate::model::seen::Source;
use crate::model::state::{Path, Walk};

/// A line unit and its model.
pub type LinesLockstep<E> = Driver<E, LineUnit>;

unit! { Check, CheckInputs => CheckOutputs, |check, inputs| CheckInputs::default(), (), (); }
unit! { Operands, OperandsInputs => OperandsOutputs, |operands, inputs| OperandsInputs::default(), (), (); }
unit! { Registers, RegistersInputs => RegistersOutputs, |registers, inputs| RegistersInputs::default(), (), (); }
unit! { LineWalk, WalkInputs => WalkOutputs, |walk, inputs| WalkInputs::default(), (), (); }
unit! { LineUnit, LinesInputs => LinesOutputs, |unit, inputs| LinesInputs::default(), (), (); }

impl Inside for LineUnit {
    fn seen(&self, at: &Path<'_>, from: &mut dyn Source) -> LinesInputs {
        LinesInputs::see(at, from)
    }

    fn shows<W: Walk>(&self, outputs: &LinesOutputs, at: &Path<'_>, to: W) -> W {
        outputs.state(at, to)
    }

    fn holds<W: Walk>(&self, at: &Path<'_>, to: W) -> W {
        self.state(at, to)
    }
}
