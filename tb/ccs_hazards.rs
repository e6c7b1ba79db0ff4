//! Steps of the cache compute system that need what earlier steps have left, at every distance: with lines in the
//! cache and in memory, with one read port and with two.

use super::ccs::bench::{Bench, with_lines, with_two_ports};
use bitline::ccs::CcsCommand;
use bitline::sim::units::ccs::machine::Launch;

fn benches(seed: u64) -> [Bench; 4] {
    [
        with_lines(4, 32, 4, seed),
        with_lines(4, 32, 32, seed + 1),
        with_two_ports(4, 32, 4, seed + 2),
        with_two_ports(4, 32, 32, seed + 3),
    ]
}

fn code(name: &str) -> u8 {
    CcsCommand::named(name).expect("a command").code
}

/// Each row of a reduction leaves its result in a line that a later row reads, so many rows later, with other lines in
/// the cache before. With two read ports the first operand must not be read from there then.
#[test]
fn rows_read_what_earlier_rows_have_left() {
    for bench in &mut benches(520) {
        let (line, lanes) = (bench.geometry().line_bytes() as u32, bench.geometry().lanes as u32);
        for distance in 1..=24 {
            let near = [60..61, distance..distance + 1, 0..32, distance..distance + 36, 0..distance];
            // Commands whose results differ, so that a line as it was before is not as it must be.
            for (near, name) in near.into_iter().zip(["SUMV", "XORV", "MAXV", "SUMV", "MINV"]) {
                near.for_each(|at| bench.read(at * line));
                let steps = [line, 0, line];
                let rows = Launch { store: true, count: 36, steps, ..Launch::new(code(name), [0; 3], lanes) };
                bench.runs(&Launch { bases: [0, 0, distance * line + 4 * (distance % lanes)], ..rows });
            }
        }
    }
}

/// The result lies some lines behind a, behind b, behind the only vector, or behind both.
#[test]
fn results_behind_operands_are_read() {
    for bench in &mut benches(530) {
        let (line, lanes) = (bench.geometry().line_bytes() as u32, bench.geometry().lanes as u32);
        for behind in 0..=13 {
            for near in [false, true] {
                let two = [[0, 30, behind], [30, 0, behind], [0, 1, 1 + behind]].map(|bases| ("SUBVV", bases));
                for (name, bases) in two.into_iter().chain([("ADDVC", [0, 0, behind])]) {
                    let lines = if near { 0..20 } else { 40..60 };
                    lines.for_each(|at| bench.read(at * line));
                    let constant = 0x9e37_79b9 + behind;
                    let bases = bases.map(|base| base * line);
                    bench.runs(&Launch { constant, ..Launch::new(code(name), bases, 15 * lanes) });
                }
            }
        }
    }
}
