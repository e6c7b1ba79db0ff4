//! Geometries of cache compute systems: parameters, their rules, presets and files.

use std::path::Path;

use crate::config_file::{self, Keys};
use crate::error::{Error, Result};

/// What is behind the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CcsMemory {
    /// A port as wide as a line, for memory on the chip.
    Line,
    /// An AXI4 master with 128 bits of data.
    Axi128,
    /// An AXI4 master with 256 bits of data.
    Axi256,
    /// An AXI4 master with 512 bits of data.
    Axi512,
}

impl CcsMemory {
    /// Every kind.
    pub const ALL: [CcsMemory; 4] = [CcsMemory::Line, CcsMemory::Axi128, CcsMemory::Axi256, CcsMemory::Axi512];

    /// Data bits of the bus; 0 for a line port.
    pub fn bus_bits(self) -> usize {
        match self {
            CcsMemory::Line => 0,
            CcsMemory::Axi128 => 128,
            CcsMemory::Axi256 => 256,
            CcsMemory::Axi512 => 512,
        }
    }
}

/// Keys of a file that describes a geometry.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    base: Option<String>,
    name: Option<String>,
    lanes: Option<usize>,
    element_bits: Option<usize>,
    lines: Option<usize>,
    memory: Option<CcsMemory>,
    read_ports: Option<usize>,
}

/// Parameters of a cache compute system.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CcsGeometry {
    /// Name in headers and messages.
    #[serde(default)]
    pub name: String,
    /// Lanes, and elements of a line: a power of two from 4 to 128.
    pub lanes: usize,
    /// Bits of an element: 8, 16 or 32.
    pub element_bits: usize,
    /// Lines of the cache: a power of two from 2 to 32.
    pub lines: usize,
    /// What is behind it.
    pub memory: CcsMemory,
    /// Lines that it gives in a cycle: 1, or 2 on a line port, one for each operand.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub read_ports: usize,
}

fn one() -> usize {
    1
}

fn is_one(ports: &usize) -> bool {
    *ports == 1
}

/// Named geometries: name, what it is, and lanes, bits of an element, lines.
pub const CCS_PRESETS: [(&str, &str, [usize; 3]); 3] = [
    ("vc709", "64 lanes of 32 bits, 16 lines of 256 bytes, as in the paper", [64, 32, 16]),
    ("small", "16 lanes of 32 bits, 8 lines of 64 bytes", [16, 32, 8]),
    ("tiny", "4 lanes of 32 bits, 4 lines of 16 bytes: for tests and quick looks", [4, 32, 4]),
];

impl CcsGeometry {
    /// The geometry of this name, with a line port.
    ///
    /// # Errors
    /// [`Error::Parameter`] if there is none.
    pub fn preset(name: &str) -> Result<CcsGeometry> {
        let Some((name, _, [lanes, element_bits, lines])) = CCS_PRESETS.iter().find(|preset| preset.0 == name) else {
            let names = CCS_PRESETS.map(|preset| preset.0).join(", ");
            return Err(Error::parameter("geometry", name, format!("must be one of {names}")));
        };
        let name = name.to_string();
        Ok(CcsGeometry {
            name,
            lanes: *lanes,
            element_bits: *element_bits,
            lines: *lines,
            memory: CcsMemory::Line,
            read_ports: 1,
        })
    }

    /// The geometry that a TOML file describes, checked: keys of a [`CcsGeometry`], and `base`, the preset whose values
    /// hold for those that are not there (`vc709` if it is not there either). It is called as the file unless it says
    /// so.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be read; the same or [`Error::Syntax`] with the line if it is wrong.
    pub fn load(path: &Path) -> Result<CcsGeometry> {
        config_file::load(path, CcsGeometry::parse)
    }

    /// The same from the text of a file that messages call `origin`.
    ///
    /// # Errors
    /// As [`CcsGeometry::load`].
    pub fn parse(text: &str, origin: &str, stem: &str) -> Result<CcsGeometry> {
        CcsGeometry::of(config_file::keys(text, origin)?, &Keys::of(text, origin), stem)
    }

    /// The geometry that keys describe, checked.
    ///
    /// # Errors
    /// As [`CcsGeometry::load`].
    pub(crate) fn of(file: File, keys: &Keys<'_>, stem: &str) -> Result<CcsGeometry> {
        let placed = |e| keys.placed(e);
        let base = CcsGeometry::preset(file.base.as_deref().unwrap_or("vc709")).map_err(|e| placed(e.about("base")))?;
        let geometry = CcsGeometry {
            name: config_file::name(file.name, stem).map_err(placed)?,
            lanes: file.lanes.unwrap_or(base.lanes),
            element_bits: file.element_bits.unwrap_or(base.element_bits),
            lines: file.lines.unwrap_or(base.lines),
            memory: file.memory.unwrap_or(base.memory),
            read_ports: file.read_ports.unwrap_or(base.read_ports),
        };
        geometry.check().map_err(placed)?;
        Ok(geometry)
    }

    /// Checks it.
    ///
    /// # Errors
    /// [`Error::Parameter`] with the first that breaks its rule.
    pub fn check(&self) -> Result<()> {
        for (name, value, least, most) in
            [("lanes", self.lanes, 4, 128), ("element_bits", self.element_bits, 8, 32), ("lines", self.lines, 2, 32)]
        {
            if !value.is_power_of_two() || !(least..=most).contains(&value) {
                return Err(Error::parameter(name, value, format!("must be a power of two from {least} to {most}")));
            }
        }
        if self.memory.bus_bits() > 8 * self.line_bytes() {
            let rule = format!("must not be wider than a line, {} bits", 8 * self.line_bytes());
            return Err(Error::parameter("memory", format!("{} bits", self.memory.bus_bits()), rule));
        }
        if !(1..=2).contains(&self.read_ports) {
            return Err(Error::parameter("read_ports", self.read_ports, "must be 1 or 2"));
        }
        if self.read_ports > 1 && self.memory != CcsMemory::Line {
            let rule =
                "must be 1 with an AXI4 master: only memory on the chip, with `memory = \"line\"`, has a second port";
            return Err(Error::parameter("read_ports", self.read_ports, rule));
        }
        Ok(())
    }

    /// Bytes of a line.
    pub fn line_bytes(&self) -> usize {
        self.lanes * self.element_bits / 8
    }

    /// Bytes of an element.
    pub fn element_bytes(&self) -> usize {
        self.element_bits / 8
    }

    /// All ones, in an element.
    pub fn ones(&self) -> u32 {
        u32::MAX >> (32 - self.element_bits)
    }
}
