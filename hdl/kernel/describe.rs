//! What a block tells the elaborator besides its update function: its module's name and summary, and constants that its
//! expressions use by name.
//!
//! rust-hdl hands the elaborator a block's signals and syntax tree only; `Logic::timing` is the one further text that a
//! block can answer with, so the description travels there, as JSON.

use std::collections::BTreeMap;

use rust_hdl_core::timing::TimingInfo;
use serde::{Deserialize, Serialize};

use crate::apart::named;

/// A block's description.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Described {
    /// Name of the Verilog module, without the prefix `bl_`. Parameters that change the module belong into it.
    pub module: String,
    /// One line that says what the block does.
    pub summary: String,
    /// Source file and line of the description.
    pub source: (String, u32),
    /// Named constants.
    pub constants: BTreeMap<String, u64>,
}

const MARK: &str = "bitline.block";

/// The answer of a block's `timing` function, which is where it says that it is.
#[track_caller]
pub fn describe(module: impl Into<String>, summary: &str, constants: &[(&str, u64)]) -> Vec<TimingInfo> {
    let constants = constants.iter().map(|&(name, value)| (name.to_string(), value)).collect();
    let caller = std::panic::Location::caller();
    let source = (caller.file().to_string(), caller.line());
    let described = Described { module: module.into(), summary: summary.into(), source, constants };
    let text = serde_json::to_string(&described).expect("strings and numbers always serialise");
    vec![TimingInfo { name: MARK.into(), clock: text, inputs: vec![], outputs: vec![] }]
}

impl Described {
    /// Reads a description back.
    pub(crate) fn from_timing(timing: &[TimingInfo]) -> Option<Described> {
        let info = timing.iter().find(|info| info.name == MARK)?;
        let described: Described = serde_json::from_str(&info.clock).expect("written by `describe`");
        Some(Described { module: named(described.module), ..described })
    }
}

/// Names constants for [`describe`]: `constants![X_A, X_B]`; with parameters that the block keeps in fields of its own,
/// `constants![X_A; self._wide]`. Fields count as their value, `bool` as 0 or 1.
#[macro_export]
macro_rules! constants {
    ($($name:ident),* $(,)?) => { &[$((stringify!($name), $name as u64)),*] };
    ($($name:ident),*; $($this:ident . $field:ident),* $(,)?) => {
        &[$((stringify!($name), $name as u64),)* $((stringify!($field), $this.$field as u64)),*]
    };
}
pub use crate::constants;

/// A block's `timing` function: `described!("name", "Summary.")`, and behind a semicolon what [`constants!`] takes.
/// Behind a third one stand fields that are several parameters, whose type answers with them by
/// `constants(&self, field: &str) -> Vec<(String, u64)>`; behind a fourth, lists of named constants.
#[macro_export]
macro_rules! described {
    (
        $module:expr, $summary:expr;
        $($name:ident),*; $($field:ident),*; $($several:ident),*; $($list:expr),+ $(,)?
    ) => {
        fn timing(&self) -> Vec<TimingInfo> {
            let mut constants = vec![];
            $(constants.extend($list.iter().map(|&(name, value)| (name.to_string(), value)));)+
            $(constants.extend(self.$several.constants(stringify!($several)));)*
            $(constants.push((stringify!($name).to_string(), $name as u64));)*
            $(constants.push((stringify!($field).to_string(), self.$field as u64));)*
            let constants: Vec<_> = constants.iter().map(|(name, value)| (name.as_str(), *value)).collect();
            $crate::describe::describe($module, $summary, &constants)
        }
    };
    ($module:expr, $summary:expr $(; $($name:ident),* $(,)? $(; $($field:ident),* $(,)?)?)?) => {
        fn timing(&self) -> Vec<TimingInfo> {
            $crate::describe::describe(
                $module,
                $summary,
                &[$($((stringify!($name), $name as u64),)* $($((stringify!($field), self.$field as u64),)*)?)?],
            )
        }
    };
}
pub use crate::described;

/// Constants of a block as numbers, several in a line: `numbers! { JUMP = Kind::Jump, START = Kind::Start }` are of
/// type `u64`, and `numbers! { usize: ID = register(4), VERSION = register(8) }` of the type named.
#[macro_export]
macro_rules! numbers {
    ($type:ty: $($name:ident = $value:expr),+ $(,)?) => { $(const $name: $type = $value;)+ };
    ($($name:ident = $value:expr),+ $(,)?) => { $(const $name: u64 = $value as u64;)+ };
}
pub use crate::numbers;
