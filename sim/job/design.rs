//! Which array a program runs on.

use serde::Deserialize;

use crate::data::Number;
use crate::error::Result;
use crate::isa::{Set, custom};
use crate::params::{Latch, Memory, Params, Sensing};
use crate::presets::preset;

/// A design as a program file asks for it: a preset and what differs from it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DesignSource {
    /// Preset; `default` if absent.
    pub preset: Option<String>,
    /// Wordlines.
    pub rows: Option<usize>,
    /// Columns.
    pub columns: Option<usize>,
    /// Sensing mode.
    pub sensing: Option<Sensing>,
    /// Memory kind.
    pub memory: Option<Memory>,
    /// Latches besides C and T.
    pub latches: Option<Vec<Latch>>,
    /// Micro-program sets.
    pub sets: Option<Vec<Set>>,
    /// Depth of the command queue.
    pub command_fifo: Option<usize>,
    /// Floating point.
    pub float: Option<bool>,
    /// Radix of the columns.
    pub radix: Option<u8>,
    /// Floating-point operations report exceptions.
    pub exception_flags: Option<bool>,
    /// There are operations on unpacked floating-point numbers.
    pub unpacked: Option<bool>,
    /// Operations of the library's user.
    pub custom: Option<Vec<String>>,
}

impl DesignSource {
    /// Sets a field by its name.
    pub fn set(&mut self, key: &str, value: &str) -> std::result::Result<(), String> {
        let number = || {
            let number = Number::parse(value).and_then(Number::whole::<usize>);
            number.ok_or_else(|| format!("{key} = {value}: must be a whole number"))
        };
        match key {
            "preset" => self.preset = Some(value.into()),
            "rows" => self.rows = Some(number()?),
            "columns" => self.columns = Some(number()?),
            "command_fifo" => self.command_fifo = Some(number()?),
            "float" => self.float = Some(named(key, value, &[("true", true), ("false", false)])?),
            "exception_flags" => {
                self.exception_flags = Some(named(key, value, &[("true", true), ("false", false)])?);
            }
            "unpacked" => self.unpacked = Some(named(key, value, &[("true", true), ("false", false)])?),
            "radix" => self.radix = Some(named(key, value, &[("2", 2), ("4", 4)])?),
            "sensing" => self.sensing = Some(named(key, value, &Sensing::ALL.map(|s| (s.name(), s)))?),
            "memory" => self.memory = Some(named(key, value, &Memory::ALL.map(|m| (m.name(), m)))?),
            "latches" => {
                let all: Vec<_> = Latch::ALL.iter().map(|&latch| (latch.name(), latch)).collect();
                self.latches = Some(list(key, value, &all)?);
            }
            "custom" => self.custom = Some(value.split(',').map(str::to_string).collect()),
            "sets" => self.sets = Some(list(key, value, &Set::ALL.map(|s| (s.name(), s)))?),
            _ => {
                let keys = "preset, rows, columns, sensing, memory, latches, sets, command_fifo, float, radix, \
                            exception_flags, unpacked, custom";
                return Err(format!("key = {key:?}: must be one of {keys}"));
            }
        }
        Ok(())
    }

    /// The parameters, checked. A changed sensing mode brings its latches unless latches are given.
    ///
    /// # Errors
    /// [`crate::error::Error::Parameter`].
    pub fn params(&self) -> Result<Params> {
        let mut params = preset(self.preset.as_deref().unwrap_or("default"))?;
        params.rows = self.rows.unwrap_or(params.rows);
        params.columns = self.columns.unwrap_or(params.columns);
        if let Some(sensing) = self.sensing {
            if sensing != params.sensing {
                params.latches = Latch::of(sensing);
            }
            params.sensing = sensing;
        }
        params.memory = self.memory.unwrap_or(params.memory);
        params.latches = self.latches.clone().unwrap_or(params.latches);
        params.sets = self.sets.clone().unwrap_or(params.sets);
        params.command_fifo = self.command_fifo.unwrap_or(params.command_fifo);
        params.float = self.float.unwrap_or(params.float);
        params.radix = self.radix.unwrap_or(params.radix);
        params.exception_flags = self.exception_flags.unwrap_or(params.exception_flags);
        params.unpacked = self.unpacked.unwrap_or(params.unpacked);
        if let Some(names) = &self.custom {
            params.custom = names.iter().map(|name| custom::named(name)).collect::<Result<_>>()?;
        }
        params.check()?;
        Ok(params)
    }
}

/// Looks up a name.
pub fn named<T: Copy>(key: &str, value: &str, all: &[(&str, T)]) -> std::result::Result<T, String> {
    all.iter().find(|(name, _)| *name == value).map(|&(_, found)| found).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
        format!("{key} = {value}: must be one of {}", names.join(", "))
    })
}

fn list<T: Copy>(key: &str, value: &str, all: &[(&str, T)]) -> std::result::Result<Vec<T>, String> {
    value.split(',').filter(|part| !part.is_empty()).map(|part| named(key, part, all)).collect()
}
