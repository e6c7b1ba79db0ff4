//! What is between a control block and the cache ways: rows become words of threads, addresses become places in
//! memory, accesses follow each other in the order of threads, and back.

mod access;
mod atomic;
mod chosen;
mod element;
mod float_add;
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

pub use access::DualityAccess;
pub use chosen::DualityChosen;
pub use float_add::DualityFloatAdd;
pub use look::DualityLook;
pub use sequence::DualityMemorySequence;
pub use spill::DualitySpill;
pub use store_merge::DualityStoreMerge;
pub use threads::DualityThreads;
pub use translate::{DualityTranslate, PAGE_BITS};
pub use unit::DualityMemoryUnit;
