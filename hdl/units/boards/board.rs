//! What a board is: which FPGA is on it, and which pin carries which signal. The boards are in [`crate::boards`].

/// Direction of a board signal, seen from the FPGA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PinDirection {
    /// Into the FPGA.
    Input,
    /// Out of the FPGA.
    Output,
}

/// A signal of one or more bits on a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal {
    /// Name of the top module's port.
    pub name: &'static str,
    /// Direction.
    pub direction: PinDirection,
    /// Pins, bit 0 first. A board may have fewer than the design has bits: inputs without a pin are 0.
    pub pins: &'static [&'static str],
    /// I/O standard.
    pub standard: &'static str,
    /// Slew rate and drive strength in mA of outputs that need them.
    pub drive: Option<(&'static str, u32)>,
    /// Active low: pressed, on and lit are 0 at the pin. The board top turns it round.
    pub low: bool,
    /// What it is.
    pub doc: &'static str,
}

/// The clock that comes from the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Ports: one, or positive and negative.
    pub ports: &'static [&'static str],
    /// Their pins.
    pub pins: &'static [&'static str],
    /// I/O standard.
    pub standard: &'static str,
    /// Frequency in MHz.
    pub mhz: u32,
}

/// An FPGA's family, with what its tools must be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Xilinx 7-series, for Vivado.
    Xilinx7 {
        /// Voltage select of the configuration banks.
        cfgbvs: &'static str,
        /// Configuration voltage.
        config_voltage: &'static str,
        /// Least and greatest frequency of a clock manager's oscillator in MHz, at the part's speed grade.
        oscillator_mhz: (u32, u32),
    },
    /// Lattice ECP5, for yosys and nextpnr.
    Ecp5 {
        /// Device, as the option of nextpnr-ecp5.
        device: &'static str,
        /// Package, as nextpnr-ecp5 calls it.
        package: &'static str,
        /// Speed grade.
        speed: u32,
    },
}

/// A board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board {
    /// Name on the command line and in file names.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// The FPGA as its tools call it.
    pub part: &'static str,
    /// The same without package and speed grade, as programming tools call it.
    pub device: &'static str,
    /// Its family.
    pub family: Family,
    /// System clock.
    pub clock: Clock,
    /// Push-button that resets.
    pub reset: Signal,
    /// Everything else that a design may use by the name of its port.
    pub signals: &'static [Signal],
    /// Ports of designs that the board has nothing for: inputs are 0, outputs lead nowhere.
    pub absent: &'static [&'static str],
    /// Preset of the system that is built for it unless another is asked for.
    pub preset: &'static str,
    /// The design's clock in MHz unless another is asked for, where the preset's is too fast or cannot be made.
    pub design_mhz: Option<u32>,
    /// What to know about the UART, if anything.
    pub uart: &'static str,
    /// PCI Express and the memory beside it, if a design with Vivado's IP can use them.
    pub pcie: Option<Pcie>,
}

/// A board's PCI Express connector, and DDR memory that the vendor's files of the board describe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pcie {
    /// The board in Vivado's catalogue, without version.
    pub board_part: &'static str,
    /// The FPGA's block of PCI Express, as Vivado calls it.
    pub block: &'static str,
    /// Lanes of the connector.
    pub lanes: u32,
    /// GT/s of a lane, as Vivado writes it.
    pub speed: &'static str,
    /// Pins of the reference clock of 100 MHz, positive and negative.
    pub clock_pins: [&'static str; 2],
    /// The connector's reset, active low. It needs a pull-up.
    pub reset: Signal,
    /// The memory's name in the files of the board.
    pub memory: &'static str,
    /// Its bytes.
    pub memory_bytes: u64,
}

const fn signal(
    name: &'static str,
    direction: PinDirection,
    standard: &'static str,
    pins: &'static [&'static str],
    doc: &'static str,
) -> Signal {
    Signal { name, direction, pins, standard, drive: None, low: false, doc }
}

pub(crate) const fn input(
    name: &'static str,
    standard: &'static str,
    pins: &'static [&'static str],
    doc: &'static str,
) -> Signal {
    signal(name, PinDirection::Input, standard, pins, doc)
}

pub(crate) const fn output(
    name: &'static str,
    standard: &'static str,
    pins: &'static [&'static str],
    doc: &'static str,
) -> Signal {
    signal(name, PinDirection::Output, standard, pins, doc)
}

impl Family {
    /// What builds a design for it.
    pub fn tools(&self) -> &'static str {
        match self {
            Family::Xilinx7 { .. } => "Vivado",
            Family::Ecp5 { .. } => "yosys and nextpnr",
        }
    }
}

impl Board {
    /// The name as modules and files of Verilog carry it.
    pub fn identifier(&self) -> String {
        self.name.replace('-', "_")
    }

    /// The signal that a port of this name is connected to.
    pub fn signal(&self, name: &str) -> Option<&'static Signal> {
        self.signals.iter().find(|s| s.name == name)
    }
}
