//! The board top tests itself, natively and under Verilator.

use crate::blocks::{Top, design};
use crate::presets::{PRESETS, preset};
use crate::sim::engine::{Engine, Lookup, engine};
use crate::tb::agree::fill;
use crate::tb::tool::{cache_folder, require};
use crate::tb::verilator::Verilated;

#[test]
fn the_board_tests_itself() {
    for p in &PRESETS {
        let netlist = design(&p.params(), Top::Vc709).unwrap_or_else(|e| panic!("{}: {e}", p.name));
        let mut board = engine(&netlist);
        self_test(&mut board, p.name);
    }
    if require("verilator").is_some() {
        let netlist = design(&preset("tiny").unwrap(), Top::Vc709).unwrap();
        let mut board = Verilated::build(&netlist, &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
        self_test(&mut board, "tiny under Verilator");
    }
}

fn self_test(board: &mut dyn Engine, name: &str) {
    const RUNNING: u64 = 1 << 1;
    const PASSED: u64 = 1 << 2;
    const FAILED: u64 = 1 << 3;
    let net = |board: &dyn Engine, path: &str| board.design().find_net(path).unwrap();
    let (led, button, dip) = (net(board, "led"), net(board, "button"), net(board, "dip"));
    let row = (0..).zip(&board.design().memories).find(|(_, m)| m.path.contains("rows")).unwrap().0;
    fill(board, 75);
    board.set_input(button, &[0]);
    board.set_input(dip, &[0]);
    board.tick(true);
    let run = |board: &mut dyn Engine, spoil: bool| {
        (0..4).for_each(|_| board.tick(false));
        for cycle in 0..400_000 {
            let lights = board.value(led)[0];
            if lights & RUNNING == 0 {
                println!("{name}: {cycle} cycles, {lights:#04x}");
                return lights & (PASSED | FAILED);
            }
            // A bit that flips all the time for longer than any one operation takes.
            if spoil && (2000..6000).contains(&cycle) {
                let limbs = board.design().memories[row].width.div_ceil(64) as usize;
                let mut word = board.memory(row)[..limbs].to_vec();
                word[0] ^= 1;
                board.set_word(row, 0, &word);
            }
            board.tick(false);
        }
        panic!("{name}: the self-test does not end");
    };
    assert_eq!(run(board, false), PASSED, "{name}");
    for spoil in [false, true] {
        board.set_input(button, &[1 << 4]);
        board.tick(false);
        board.set_input(button, &[0]);
        assert_eq!(run(board, spoil), if spoil { FAILED } else { PASSED }, "{name}");
    }
}
