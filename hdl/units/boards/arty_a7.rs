//! Digilent Arty A7 with the XC7A35T. Pins are those of Digilent's master constraints.

use crate::boards::board::{Board, Clock, Family, Signal, input, output};

const CMOS33: &str = "LVCMOS33";

/// The board.
pub const BOARD: Board = Board {
    name: "arty-a7",
    title: "Digilent Arty A7 with the XC7A35T",
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
