//! What is between a control block and the cache ways: rows become words of threads, addresses become places in
//! memory, accesses follow each other in the order of threads, and back.

mod access;
mod answers;
mod atomic;
mod chosen;
mod element;
mod float_add;
mod kind;
mod look;
pub(super) mod places;
mod row_switch;
mod sequence;
mod spill;
mod states;
mod store_merge;
mod threads;
mod translate;
mod unit;

use crate::duality::params::DualityParams;
use crate::error::Result;
use crate::kernel::elaborate::elaborate;
use crate::kernel::netlist::Netlist;
use crate::kernel::prelude::*;

pub use access::DualityAccess;
pub use answers::DualityAnswers;
pub use chosen::DualityChosen;
pub use float_add::DualityFloatAdd;
pub use look::DualityLook;
pub use sequence::DualityMemorySequence;
pub use spill::DualitySpill;
pub use store_merge::DualityStoreMerge;
pub use threads::DualityThreads;
pub use translate::{DualityTranslate, PAGE_BITS};
pub use unit::DualityMemoryUnit;

/// The blocks of a design's memory unit that keep something, each alone, by their files' names.
///
/// # Errors
/// [`crate::error::Error::Parameter`] if the parameters are not legal; [`crate::error::Error::Netlist`] if a block
/// breaks a rule.
pub fn duality_memory_parts(params: &DualityParams) -> Result<Vec<(&'static str, Netlist)>> {
    params.check()?;
    let _widths = Widths::keep().set::<Row>(params.columns);
    Ok(vec![
        ("access", alone(DualityAccess::of(params))?),
        ("answers", alone(DualityAnswers::new())?),
        ("chosen", alone(DualityChosen::new(params.columns))?),
        ("float_add", alone(DualityFloatAdd::default())?),
        ("look", alone(DualityLook::new())?),
        ("sequence", alone(DualityMemorySequence::default())?),
        ("spill", alone(DualitySpill::new(params))?),
        ("store_merge", alone(DualityStoreMerge::default())?),
        ("threads", alone(DualityThreads::default())?),
        ("translate", alone(DualityTranslate::new())?),
    ])
}

/// A block as a design of its own.
pub(super) fn alone<B: Block>(mut block: B) -> Result<Netlist> {
    block.connect_all();
    elaborate(&block)
}
