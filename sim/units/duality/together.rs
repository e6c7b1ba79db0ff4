//! Random launches on several control blocks: loads, stores, atomic operations on words that all of them change, shared
//! windows, spill rows, partial waves; ways become caches and control blocks again meanwhile, and a processor reads and
//! writes words of a page of its own. What memory holds afterwards is compared with the judge's, byte by byte, but for
//! what depends on the order of waves ([`run_unordered`]).

use bitline_units::duality::DualityParams;
use bitline_units::duality::isa::assemble::assemble;
use bitline_units::duality::params::SLOTS;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::launching::Ended;
use super::machine::Mode;
use super::unit::{How, UnitMachine};
use crate::engine::Engine;
use crate::model::duality::{FlatMemory, Launch, run_unordered};

/// Where each thread of the grid has a line of its own.
const OWN: u32 = 0x2_0000;
/// Words that all threads change: a line for each operation.
const COMMON: u32 = 0x1234_0000;
const COMMON_BYTES: u32 = 64 * OPERATIONS.len() as u32;
/// Where windows and spill rows are.
const SHARED: u32 = 0x7_0000;
const SPILL: u32 = 0x9_0000;
const SPILL_ROWS: u32 = 40;
/// Operations on common words. The last three, and their mixture, depend on the order.
const OPERATIONS: [&str; 11] = ["add", "min", "min.s", "max", "max.s", "and", "or", "xor", "fadd", "exch", "cas"];
const ANY_ORDER: usize = 8;

/// What happened in a campaign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TogetherCoverage {
    /// Launches, and those of which nothing can be said.
    pub launches: u64,
    /// Of which how programs end depends on the order.
    pub open: u64,
    /// Waves.
    pub waves: u64,
    /// Bytes that were compared and that the launch has changed: of threads, and of common words.
    pub compared: [u64; 2],
    /// Bytes that depend on the order.
    pub undetermined: u64,
}

fn program(rng: &mut ChaCha8Rng, arrays: usize) -> String {
    let mut lines: Vec<String> = [
        ".name together",
        &format!(".arrays {arrays}"),
        ".reg cta 0 8",
        ".reg tid 0 8",
        ".special ctaid.x cta",
        ".special tid.x tid",
        ".reg a 0 32",
        ".reg b 0 32",
        ".reg x 0 32",
        ".reg y 0 32",
        ".reg z 0 32",
        "mul a cta %0",
        "add a a tid",
        "add a a<<6 %1",
        "ld.global.32 x [a]",
        "ld.global.32 y [a + 4]",
        "ld.global.32 z [a + 8]",
    ]
    .map(String::from)
    .into();
    for _ in 0..rng.random_range(3..16) {
        let [d, s] = [0; 2].map(|_| ["x", "y", "z"][rng.random_range(0..3)]);
        let offset = 4 * rng.random_range(0..12);
        match rng.random_range(0..12) {
            0 => lines.push(format!("ld.global.32 {d} [a + {offset}]")),
            1 => lines.push(format!("st.global.32 [a + {offset}] {s}")),
            2 => lines.push(format!("add {d} {d} {s}")),
            3 => {
                lines.push("mul b tid 4".into());
                lines.push(format!("st.shared.32 [b] {s}"));
            }
            4 => {
                lines.push("mul b tid 4".into());
                lines.push(format!("ld.shared.32 {d} [b]"));
            }
            5 => lines.push(format!("st.spill [{}] {s}", rng.random_range(0..SPILL_ROWS - 31))),
            6 => lines.push(format!("ld.spill {d} [{}]", rng.random_range(0..SPILL_ROWS - 31))),
            7 => lines.push(format!("ld.global.32 {d} [{:#x}]", COMMON + offset)),
            kind => {
                let most = if kind == 8 { OPERATIONS.len() } else { ANY_ORDER };
                let at = rng.random_range(0..most);
                let place = COMMON + 64 * at as u32;
                // Few words, so that control blocks meet.
                lines.push(format!("and b {s} {:#x}", rng.random_range(0..4) * 4));
                let third = if OPERATIONS[at] == "cas" { s } else { "" };
                // The old value goes where it does not matter, more often than not.
                let old = if kind == 9 { d } else { "b" };
                lines.push(format!("atom.{}.global.32 {old} [b + {place:#x}] {s} {third}", OPERATIONS[at]));
            }
        }
    }
    lines.extend([("x", 52), ("y", 56), ("z", 60)].map(|(x, at)| format!("st.global.32 [a + {at}] {x}")));
    lines.push(format!("end {}", rng.random_range(0..3)));
    lines.join("\n") + "\n"
}

/// Runs so many random launches.
///
/// # Panics
/// If one leaves other memory than the judge says, or ends otherwise, or does not end.
pub fn run<E: Engine>(engine: E, params: &DualityParams, seed: u64, launches: u64) -> TogetherCoverage {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut machine = UnitMachine::new(engine, params, seed);
    machine.modes_change(seed);
    machine.processor(seed);
    let mut covered = TogetherCoverage::default();
    for number in 0..launches {
        let arrays = [SLOTS, 2, 1][rng.random_range(0..3)];
        let threads = params.threads(arrays) as u32;
        let text = program(&mut rng, arrays);
        let cta = rng.random_range(1..=threads.min(12));
        let waves = rng.random_range(1..8);
        let ctas = (threads / cta * waves).saturating_sub(rng.random_range(0..3)).max(1);
        let launch = Launch {
            grid: [ctas, 1, 1],
            block: [cta, 1, 1],
            parameters: vec![cta, OWN],
            shared_bytes: 64,
            shared_base: SHARED,
            spill_base: SPILL,
            spill_rows: SPILL_ROWS,
        };
        let told = || format!("seed {seed}, launch {number}: {launch:?}\n{text}");
        let program = assemble(&text, "together", params).unwrap_or_else(|e| panic!("{e}: {}", told()));
        let mut memory = FlatMemory::default();
        let words = |rng: &mut ChaCha8Rng, count: u32| (0..count).map(|_| rng.random()).collect::<Vec<u32>>();
        memory.place(OWN, &words(&mut rng, 16 * ctas * cta));
        memory.place(COMMON, &words(&mut rng, COMMON_BYTES / 4));
        memory.map(SHARED, threads * 64, true);
        memory.map(SPILL, SPILL_ROWS * threads / 8, true);
        let before = memory.clone();
        let mut expected = memory.clone();
        let judged = run_unordered(params, &program, &launch, &mut expected, seed + number, 1 << 20)
            .unwrap_or_else(|e| panic!("{e}: {}", told()));
        let how = How {
            mode: [Mode::Lockstep, Mode::Decoupled][rng.random_range(0..2)],
            host_fed: rng.random_range(0..10) == 0,
            latency: rng.random_range(1..30),
            stalls: rng.random_range(0..2) == 0,
        };
        let (ended, counts) =
            machine.run(&program, &launch, &mut memory, how).unwrap_or_else(|e| panic!("{e}: {}", told()));
        covered.launches += 1;
        covered.waves += counts.waves;
        let Some((outcome, undetermined)) = judged else {
            covered.open += 1;
            continue;
        };
        assert_eq!((ended, counts.waves), (Ended::Code(outcome.code), outcome.waves), "{}", told());
        covered.undetermined += undetermined.len() as u64;
        for (kind, base, bytes) in [(0, OWN, 64 * ctas * cta), (1, COMMON, COMMON_BYTES)] {
            for at in (base..base + bytes).filter(|at| !undetermined.contains(at)) {
                let [is, should, was] = [&memory, &expected, &before].map(|memory| memory.read(at, 1));
                assert_eq!(is, should, "{at:#x}: {how:?}, {}", told());
                covered.compared[kind] += u64::from(should != was);
            }
        }
    }
    covered
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::engine;
    use crate::external::tool::some_of;
    use bitline_units::array::isa::microcode::Microcode;
    use bitline_units::duality::blocks::duality_top;

    #[test]
    fn duality_control_blocks_leave_what_the_judge_says() {
        let count =
            std::env::var("BITLINE_TOGETHER").map_or(some_of(20, 2) as u64, |count| count.parse().expect("a number"));
        for (name, seed, launches) in [("pair", 7, count), ("tiny", 9, count / 2)] {
            println!("{name}, seed {seed}");
            let params = DualityParams::preset(name).expect("it is there");
            let netlist = duality_top(&params, &Microcode::assemble(&params.array())).expect("legal");
            let covered = run(engine(&netlist), &params, seed, launches);
            println!("{covered:?}");
            assert!(covered.compared.iter().all(|&count| count > 0) && covered.undetermined > 0, "{covered:?}");
            assert!(covered.waves > 2 * covered.launches && covered.open < covered.launches / 4, "{covered:?}");
        }
    }
}
