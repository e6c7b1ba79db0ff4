//! Boards: which FPGA is on them, and which pin carries which signal.
//!
//! Pins are those of the boards' own documents: VC709 User Guide UG887; Arty A7 master constraints of Digilent; ECP5 Evaluation Board User
//! Guide FPGA-EB-02017.

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
    /// Name.
    pub name: &'static str,
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

const fn input(name: &'static str, standard: &'static str, pins: &'static [&'static str], doc: &'static str) -> Signal {
    signal(name, PinDirection::Input, standard, pins, doc)
}

const fn output(
    name: &'static str,
    standard: &'static str,
    pins: &'static [&'static str],
    doc: &'static str,
) -> Signal {
    signal(name, PinDirection::Output, standard, pins, doc)
}

const CMOS18: &str = "LVCMOS18";
const CMOS25: &str = "LVCMOS25";
const CMOS33: &str = "LVCMOS33";

/// Xilinx VC709.
pub const VC709: Board = Board {
    name: "vc709",
    part: "xc7vx690tffg1761-2",
    device: "xc7vx690t",
    // DS183, "MMCM specification", speed grade -2.
    family: Family::Xilinx7 { cfgbvs: "GND", config_voltage: "1.8", oscillator_mhz: (600, 1440) },
    clock: Clock { ports: &["sys_clk_p", "sys_clk_n"], pins: &["H19", "G18"], standard: "DIFF_SSTL15_DCI", mhz: 200 },
    reset: input("cpu_reset", CMOS18, &["AV40"], "reset push-button SW8, active high"),
    signals: &[
        Signal {
            drive: Some(("SLOW", 12)),
            ..output("led", CMOS18, &["AM39", "AN39", "AR37", "AT37", "AR35", "AP41", "AP42", "AU39"], "user LEDs")
        },
        input(
            "button",
            CMOS18,
            &["AR40", "AW40", "AP40", "AU38", "AV39"],
            "push-buttons up, left, down, right, centre",
        ),
        input("dip", CMOS18, &["AV30", "AY33", "BA31", "BA32", "AW30", "AY30", "BA30", "BB31"], "DIP switches"),
        output("uart_txd", CMOS18, &["AU36"], "UART, from the FPGA"),
        input("uart_rxd", CMOS18, &["AU33"], "UART, to the FPGA"),
        input("uart_rts", CMOS18, &["AT32"], "UART request to send"),
        output("uart_cts", CMOS18, &["AR34"], "UART clear to send"),
        output("fan_pwm", CMOS18, &["BA37"], "fan speed"),
    ],
    absent: &[],
    preset: "vc709",
    design_mhz: None,
    uart: "",
    pcie: Some(Pcie {
        board_part: "xilinx.com:vc709:part0",
        block: "X0Y1",
        lanes: 8,
        speed: "8.0",
        clock_pins: ["AB8", "AB7"],
        reset: Signal { low: true, ..input("pcie_reset_n", CMOS18, &["AV35"], "reset of the connector, active low") },
        memory: "ddr3_sdram_socket_j1",
        memory_bytes: 1 << 32,
    }),
};

/// Digilent Arty A7 with the XC7A35T.
pub const ARTY_A7: Board = Board {
    name: "arty-a7",
    part: "xc7a35ticsg324-1L",
    device: "xc7a35t",
    // DS181, "MMCM specification", speed grade -1.
    family: Family::Xilinx7 { cfgbvs: "VCCO", config_voltage: "3.3", oscillator_mhz: (600, 1200) },
    clock: Clock { ports: &["sys_clk"], pins: &["E3"], standard: CMOS33, mhz: 100 },
    reset: Signal { low: true, ..input("reset_n", CMOS33, &["C2"], "reset push-button, active low") },
    signals: &[
        output("led", CMOS33, &["H5", "J5", "T9", "T10"], "green LEDs LD4 to LD7"),
        input("button", CMOS33, &["D9", "C9", "B9", "B8"], "push-buttons BTN0 to BTN3"),
        input("dip", CMOS33, &["A8", "C11", "C10", "A10"], "slide switches SW0 to SW3"),
        output("uart_txd", CMOS33, &["D10"], "UART, from the FPGA"),
        input("uart_rxd", CMOS33, &["A9"], "UART, to the FPGA"),
    ],
    absent: &["uart_rts", "uart_cts", "fan_pwm"],
    preset: "tiny",
    design_mhz: Some(60),
    uart: "",
    pcie: None,
};

/// Lattice ECP5 Evaluation Board with the LFE5UM5G-85F.
pub const ECP5_EVN: Board = Board {
    name: "ecp5-evn",
    part: "LFE5UM5G-85F-8BG381",
    device: "LFE5UM5G-85F",
    family: Family::Ecp5 { device: "um5g-85k", package: "CABGA381", speed: 8 },
    clock: Clock { ports: &["sys_clk"], pins: &["A10"], standard: CMOS33, mhz: 12 },
    reset: Signal { low: true, ..input("reset_n", CMOS33, &["G2"], "reset push-button SW4, active low") },
    signals: &[
        Signal {
            low: true,
            ..output("led", CMOS25, &["A13", "A12", "B19", "A18", "B18", "C17", "A17", "B17"], "LEDs D5 to D12")
        },
        Signal { low: true, ..input("button", CMOS25, &["P4"], "push-button SW2") },
        // Switches 1 to 3 are on a bank with another voltage.
        Signal { low: true, ..input("dip", CMOS25, &["E15", "D16", "B16", "C16", "A16"], "DIP switches 4 to 8") },
        output("uart_txd", CMOS33, &["P3"], "UART, from the FPGA"),
        input("uart_rxd", CMOS33, &["P2"], "UART, to the FPGA"),
    ],
    absent: &["uart_rts", "uart_cts", "fan_pwm"],
    preset: "tiny",
    design_mhz: Some(60),
    uart: "The board's USB chip is a UART only after a change: R22 and R23 removed, 0 ohm on R34 and R35, and its port B configured as a virtual COM port.",
    pcie: None,
};

/// Every board.
pub const BOARDS: [&Board; 3] = [&VC709, &ARTY_A7, &ECP5_EVN];

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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_pin_is_used_once_and_looks_like_one() {
        for board in BOARDS {
            let mut pins: Vec<&str> = board.clock.pins.to_vec();
            assert_eq!(pins.len(), board.clock.ports.len());
            pins.extend(board.reset.pins);
            pins.extend(board.signals.iter().flat_map(|s| s.pins));
            pins.extend(board.pcie.iter().flat_map(|p| p.clock_pins.iter().chain(p.reset.pins)));
            let mut seen = HashSet::new();
            for pin in pins {
                assert!(seen.insert(pin), "{}: {pin} twice", board.name);
                let letters = pin.chars().take_while(char::is_ascii_uppercase).count();
                assert!((1..=2).contains(&letters) && pin[letters..].parse::<u8>().is_ok(), "{pin}");
            }
        }
    }

    #[test]
    fn drive_is_for_outputs() {
        for board in BOARDS {
            assert!(board.signals.iter().all(|s| s.drive.is_none() || s.direction == PinDirection::Output));
            assert!(board.absent.iter().all(|name| board.signal(name).is_none()), "{}", board.name);
            assert!(board.part.to_lowercase().starts_with(&board.device.to_lowercase()));
        }
        assert_eq!(VC709.signal("led").map(|s| s.pins.len()), Some(8));
        assert_eq!(VC709.signal("gpio"), None);
        assert_eq!(ECP5_EVN.identifier(), "ecp5_evn");
    }
}
