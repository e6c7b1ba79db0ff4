//! Boards: which pin carries which signal.

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
    /// Pins, bit 0 first.
    pub pins: &'static [&'static str],
    /// I/O standard.
    pub standard: &'static str,
    /// Slew rate and drive strength in mA of outputs that need them.
    pub drive: Option<(&'static str, u32)>,
    /// What it is.
    pub doc: &'static str,
}

/// A differential clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Ports: positive, negative.
    pub ports: [&'static str; 2],
    /// Pins: positive, negative.
    pub pins: [&'static str; 2],
    /// I/O standard.
    pub standard: &'static str,
    /// Frequency in MHz.
    pub mhz: u32,
}

/// A board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board {
    /// Name.
    pub name: &'static str,
    /// The FPGA as its tools call it.
    pub part: &'static str,
    /// Family for yosys.
    pub family: &'static str,
    /// Voltage select of the configuration banks.
    pub cfgbvs: &'static str,
    /// Configuration voltage.
    pub config_voltage: &'static str,
    /// System clock.
    pub clock: Clock,
    /// Push-button that resets, active high.
    pub reset: Signal,
    /// Everything else that a design may use by the name of its port.
    pub signals: &'static [Signal],
}

const fn input(name: &'static str, pins: &'static [&'static str], doc: &'static str) -> Signal {
    Signal { name, direction: PinDirection::Input, pins, standard: "LVCMOS18", drive: None, doc }
}

const fn output(name: &'static str, pins: &'static [&'static str], doc: &'static str) -> Signal {
    Signal { name, direction: PinDirection::Output, pins, standard: "LVCMOS18", drive: None, doc }
}

/// Xilinx VC709.
pub const VC709: Board = Board {
    name: "vc709",
    part: "xc7vx690tffg1761-2",
    family: "xc7",
    cfgbvs: "GND",
    config_voltage: "1.8",
    clock: Clock { ports: ["sys_clk_p", "sys_clk_n"], pins: ["H19", "G18"], standard: "DIFF_SSTL15_DCI", mhz: 200 },
    reset: input("cpu_reset", &["AV40"], "reset push-button SW8, active high"),
    signals: &[
        Signal {
            drive: Some(("SLOW", 12)),
            ..output("led", &["AM39", "AN39", "AR37", "AT37", "AR35", "AP41", "AP42", "AU39"], "user LEDs")
        },
        input("button", &["AR40", "AW40", "AP40", "AU38", "AV39"], "push-buttons up, left, down, right, centre"),
        input("dip", &["AV30", "AY33", "BA31", "BA32", "AW30", "AY30", "BA30", "BB31"], "DIP switches"),
        output("uart_txd", &["AU36"], "UART, from the FPGA"),
        input("uart_rxd", &["AU33"], "UART, to the FPGA"),
        input("uart_rts", &["AT32"], "UART request to send"),
        output("uart_cts", &["AR34"], "UART clear to send"),
        output("fan_pwm", &["BA37"], "fan speed"),
    ],
};

impl Board {
    /// The FPGA without package and speed grade, as programming tools call it.
    pub fn device(&self) -> &'static str {
        self.part.find("ff").map_or(self.part, |end| &self.part[..end])
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
        let board = VC709;
        let mut pins: Vec<&str> = board.clock.pins.to_vec();
        pins.extend(board.reset.pins);
        pins.extend(board.signals.iter().flat_map(|s| s.pins));
        let mut seen = HashSet::new();
        for pin in pins {
            assert!(seen.insert(pin), "{pin} twice");
            let letters = pin.chars().take_while(char::is_ascii_uppercase).count();
            assert!((1..=2).contains(&letters) && pin[letters..].parse::<u8>().is_ok(), "{pin}");
        }
    }

    #[test]
    fn drive_is_for_outputs() {
        assert!(VC709.signals.iter().all(|s| s.drive.is_none() || s.direction == PinDirection::Output));
        assert_eq!(VC709.signal("led").map(|s| s.pins.len()), Some(8));
        assert_eq!(VC709.signal("gpio"), None);
        assert_eq!(VC709.device(), "xc7vx690t");
    }
}
