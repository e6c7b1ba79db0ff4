//! Xilinx VC709. Pins are those of its user guide UG887.

use crate::boards::board::{Board, Clock, Family, Pcie, Signal, input, output};

const CMOS18: &str = "LVCMOS18";

/// The board.
pub const BOARD: Board = Board {
    name: "vc709",
    title: "Xilinx VC709",
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
