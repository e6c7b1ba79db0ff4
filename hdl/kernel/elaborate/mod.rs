//! rust-hdl block ─▶ [`Netlist`].
//!
//! rust-hdl gives a block's signals through its `Probe` and the block's update function as a syntax tree without types.
//! The elaborator unrolls loops, resolves names (also behind several indices), derives every width and sign as Rust
//! does, and merges assignments into one expression per net, so that the netlist means what the Rust code means:
//!
//! * `val()` of an output or a local signal is what was last assigned in the same update, or the settled value before
//!   the first assignment; of an input it is always the settled value.
//! * An assignment under a condition keeps the value assigned before. Without one, the signal would have to remember: a
//!   latch, which is refused.
//! * An exhaustive `match` needs no default: its last arm is one.
//!
//! Whatever it does not understand is an error with the instance path, the signal or construct, and the rule.

mod children;
mod expr;
mod index;
mod mention;
mod module;
mod statement;
mod tidy;
mod walk;

use rust_hdl_core::prelude::Block;

pub(super) use module::Mention;

use super::netlist::Netlist;
use crate::error::Result;

/// Elaborates `top` and checks the netlist.
///
/// # Errors
/// [`crate::error::Error::Netlist`]: a construct that is not understood, or a rule of [`super::check`] that the design
/// breaks.
pub fn elaborate(top: &dyn Block) -> Result<Netlist> {
    let scope = walk::walk(top)?;
    let netlist = module::Elaborator::default().design(&scope)?;
    super::check::check(&netlist)?;
    Ok(netlist)
}
