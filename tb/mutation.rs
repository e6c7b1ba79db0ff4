//! Does the comparison notice? Single fields of the micro-program tables are changed in the hardware's ROMs, and
//! operators of the netlist exchanged: lock-step must tell each from the original, unless it can be shown to be the
//! same.

mod essence;
mod glue;
mod proof;
mod structure;
mod tables;

/// With `BITLINE_DEEP=1` in the environment everything is tried, else one in `part`.
fn stride(part: usize) -> usize {
    if bitline::sim::external::tool::deep() { 1 } else { part }
}

/// Which table a mutant is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Table {
    Flow,
    Control,
    Setup,
}
