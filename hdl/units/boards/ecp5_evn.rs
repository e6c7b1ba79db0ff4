//! Lattice ECP5 Evaluation Board with the LFE5UM5G-85F. Pins are those of its user guide FPGA-EB-02017.

use crate::boards::board::{Board, Clock, Family, Signal, input, output};

const CMOS25: &str = "LVCMOS25";
const CMOS33: &str = "LVCMOS33";

/// The board.
pub const BOARD: Board = Board {
    name: "ecp5-evn",
    title: "Lattice ECP5 Evaluation Board",
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
    uart: "The board's USB chip is a UART only after a change: R22 and R23 removed, 0 ohm on R34 and R35, and its port \
           B configured as a virtual COM port.",
    pcie: None,
};
