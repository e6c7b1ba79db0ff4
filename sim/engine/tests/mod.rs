//! The engine against a naive evaluation of the same flat design.

mod batch;
mod design;
mod image;
mod lanes;
mod maker;
mod random;
mod unit;

/// So many random designs with `BITLINE_DEEP=1`, else half of them.
fn some_of(all: u32) -> u32 {
    if std::env::var_os("BITLINE_DEEP").is_some() { all } else { all / 2 }
}
