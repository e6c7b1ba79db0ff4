//! Random launches through register block, dispatch and launch units. Control blocks, memory units and cache ways are
//! stand-ins that do what their contracts allow, at any speed, and look at everything that they are asked in every
//! cycle.

mod plan;
mod world;

use bitline_units::duality::DualityParams;
use bitline_units::duality::isa::codes::Trap;
use bitline_units::duality::params::{MOST_BLOCKS, SCALARS};
use bitline_units::duality::registers::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::engine::Engine;
use plan::Plan;
use world::World;

/// What happened in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrontCoverage {
    /// Launches with the program in memory, and fed by the host.
    pub launches: [u64; 2],
    /// Waves.
    pub waves: u64,
    /// Launches by how they ended: all waves, a trap, the host.
    pub outcomes: [u64; 3],
    /// Programs that went on behind their last word, and programs of which memory could not give a word.
    pub past_end: [u64; 2],
    /// Writes that were refused: in a launch, of a word for which there was no room, of a start, of ways in use, of a
    /// word for a way that is a cache.
    pub refused: [u64; 5],
    /// Changes of modes before launches, in their midst, and with waves that are cut off.
    pub modes: [u64; 3],
    /// Flushes.
    pub flushes: u64,
    /// Most programs that ran at the same time.
    pub together: usize,
    /// Traps by control block.
    pub traps: [u64; MOST_BLOCKS],
}

impl FrontCoverage {
    /// Whether everything has happened.
    pub fn all(&self) -> bool {
        let lists: [&[u64]; 5] = [&self.launches, &self.outcomes, &self.past_end, &self.refused, &self.modes];
        lists.concat().iter().chain(&[self.waves, self.flushes]).all(|&count| count > 0)
    }
}

/// Offset of the first of the registers that a launch is made of, and their number.
const HELD: (u64, u64) = (REG_MODE, (REG_PUSH - REG_MODE) / 4);

/// Runs launches, so many.
///
/// # Panics
/// If the hardware does something else than the registers and the launch unit's contract say.
pub fn run<E: Engine>(engine: E, params: &DualityParams, seed: u64, launches: u64) -> FrontCoverage {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut world = World::new(engine, params, seed);
    let mut covered = FrontCoverage::default();
    for r in REGISTERS.iter().filter(|r| r.offset != REG_COMMAND) {
        assert_eq!(world.read(r.offset), reset_value(params, r), "seed {seed}: {} after reset", r.name);
    }
    let mut refused = 0;
    for _ in 0..launches {
        let plan = Plan::random(&mut rng, params);
        refused += prepare(&mut world, &mut rng, &plan, &mut covered);
        let parameters: Vec<u32> = (0..plan.parameters).map(|_| rng.random()).collect();
        for (number, &value) in parameters.iter().enumerate() {
            world.write(PARAMETERS + 4 * number as u64, value);
        }
        let mut scalars = [0; SCALARS];
        scalars[..parameters.len()].copy_from_slice(&parameters);
        for (number, &word) in plan.specials.iter().enumerate() {
            world.write(SPECIALS + 4 * number as u64, word);
        }
        let (waves, code_at) = (plan.waves.clone(), plan.code_at);
        refused += partition(&mut world, &mut rng, params, &mut covered);
        world.begin(plan.clone(), scalars);
        assert!(world.write(REG_COMMAND, 1), "seed {seed}: a launch begins");
        // While it is under way.
        let abort = (rng.random_range(0..6) == 0).then(|| rng.random_range(0..1000));
        let mut begun = 0;
        loop {
            let status = world.read(REG_STATUS);
            if status & 1 << STATUS_BUSY_LSB == 0 {
                break;
            }
            begun += 1;
            assert!(begun < 200_000, "seed {seed}: no end: {plan:?}");
            if abort.is_some_and(|at| begun * 4 >= at) {
                assert!(world.write(REG_COMMAND, 1 << COMMAND_ABORT_LSB), "seed {seed}: it is ended");
                world.aborted = true;
            }
            if rng.random_range(0..60) == 0 {
                // Waves are seldom cut off, which ends the launch.
                let cut = if rng.random_range(0..12) == 0 { rng.random_range(0..16) << WAY_MODES_ABORT_LSB } else { 0 };
                world.aborted |= cut != 0;
                assert!(world.write(REG_WAY_MODES, rng.random_range(0..16) | cut), "seed {seed}: modes at any time");
                covered.modes[1 + usize::from(cut != 0)] += 1;
            }
            if rng.random_range(0..40) == 0 {
                let at = HELD.0 + 4 * rng.random_range(0..HELD.1);
                let before = world.read(at);
                if !world.write(at, rng.random()) {
                    covered.refused[0] += 1;
                    refused += 1;
                    assert_eq!(world.read(at), before, "seed {seed}: a write that was refused");
                } else {
                    assert_eq!(world.read(REG_STATUS) & 1, 0, "seed {seed}: a launch does not change");
                    world.write(at, before);
                }
            }
            if plan.host_fed {
                // Words go in whether there is room or not; one that comes too late for its wave is refused.
                let k = rng.random_range(0..params.blocks);
                assert!(world.write(REG_BLOCK, k as u32), "seed {seed}: the host looks at a control block");
                let (wave, Some(word)) = (world.blocks[k].wave as u32, world.next_word(k)) else { continue };
                for (register, shift) in [(REG_WORD_0, 0), (REG_WORD_1, 32), (REG_WORD_2, 64)] {
                    world.write(register, (word >> shift) as u32);
                }
                world.write(REG_FEED, wave);
                if !world.write(REG_PUSH, (word >> 96) as u32) {
                    covered.refused[1] += 1;
                    refused += 1;
                }
            }
        }
        world.idle(rng.random_range(2..20));
        // What it has come to.
        let result = world.read(REG_RESULT);
        let outcome = result & 3;
        let (code, pc) = ((result >> RESULT_CODE_LSB) as u8, world.read(REG_TRAP_PC));
        let expected = world.expected();
        assert_eq!((outcome, code), (expected.0, expected.1), "seed {seed}: outcome and code of {plan:?}");
        assert_eq!(pc, if outcome == 2 { expected.2 } else { 0 }, "seed {seed}: the word of {plan:?}");
        let told = [RESULT_SLOT_LSB, RESULT_BLOCK_LSB].map(|lsb| (result >> lsb & 3) as usize);
        let thread = [REG_TRAP_THREAD, REG_TRAP_ADDRESS].map(|offset| world.read(offset));
        if outcome == 2 {
            let k = expected.3;
            assert_eq!((told, thread), ([k, k], [10 + k as u32, 0x100 + k as u32]), "seed {seed}: who has stopped it");
            covered.traps[k] += 1;
        } else {
            assert_eq!((told, thread), ([0, 0], [0, 0]), "seed {seed}: nobody has stopped it");
        }
        for k in 0..MOST_BLOCKS {
            world.write(REG_BLOCK, k as u32);
            let block = world.blocks.get(k).unwrap_or(&world.blocks[0]).clone();
            let shown = [REG_PC, REG_FRONTIER, REG_TAIL, REG_BLOCK_WAVE].map(|offset| world.read(offset));
            assert_eq!(shown, [block.pc, block.frontier, block.tail, block.wave as u32], "seed {seed}: what {k} is at");
        }
        covered.outcomes[outcome as usize - 1] += 1;
        covered.past_end[0] += u64::from(outcome == 2 && u64::from(code) == Trap::PastEnd.code());
        covered.past_end[1] += u64::from(outcome == 2 && u64::from(code) == Trap::Bus.code());
        if outcome == 1 {
            assert_eq!(world.wave, waves.len() as u64, "seed {seed}: waves of {plan:?}");
        }
        let counts = [REG_WAVES, REG_MEMORY_CYCLES, REG_HITS, REG_MISSES, REG_MERGES, REG_WRITTEN_BACK];
        assert_eq!(counts.map(|at| u64::from(world.read(at))), world.events(), "seed {seed}: counters");
        let cycles = u64::from(world.read(REG_CYCLES_LOW)) | u64::from(world.read(REG_CYCLES_HIGH)) << 32;
        assert_eq!(cycles, world.busy_cycles, "seed {seed}: cycles");
        assert_eq!(world.read(REG_CODE), code_at, "seed {seed}");
        // Its interrupt.
        assert_eq!(world.read(REG_INTERRUPT) & 1, 1, "seed {seed}: a launch has ended");
        assert_eq!(world.irq(), plan.interrupt, "seed {seed}: the interrupt line");
        world.write(REG_INTERRUPT, 1 << INTERRUPT_DONE_LSB);
        world.idle(2);
        assert!(!world.irq() && world.read(REG_INTERRUPT) & 1 == 0, "seed {seed}: it is cleared");
        covered.launches[usize::from(plan.host_fed)] += 1;
        covered.waves += world.wave;
        covered.together = covered.together.max(world.together);
        if world.used {
            assert!(!world.write(REG_WAYS, 1), "seed {seed}: ways that are in use");
            covered.refused[3] += 1;
            refused += 1;
        }
        if rng.random_range(0..3) == 0 {
            flush(&mut world);
            covered.flushes += 1;
            let all = (1u32 << params.cache_ways) - 1;
            settle(&mut world, all);
            if rng.random() {
                assert!(world.write(REG_WAYS, 0), "seed {seed}: no way is in use");
                assert!(!world.write(REG_COMMAND, 1), "seed {seed}: no launch without a cache");
                covered.refused[2] += 1;
                refused += 1;
            }
            let enabled = rng.random::<u32>() | 1 << (params.cache_ways - 1);
            assert!(world.write(REG_WAYS, enabled), "seed {seed}: the ways are empty");
            let served = enabled & all & !left(&mut world);
            assert_eq!((world.read(REG_WAYS), world.enabled()), (enabled & all, served), "seed {seed}");
        }
        assert_eq!(world.read(REG_REFUSED), refused, "seed {seed}: writes that were refused");
    }
    covered
}

/// Writes what a launch is made of, in any order, and now and then tries to start what cannot be. Returns how many
/// writes were refused.
fn prepare<E: Engine>(world: &mut World<E>, rng: &mut ChaCha8Rng, plan: &Plan, covered: &mut FrontCoverage) -> u32 {
    let mut writes = plan.registers();
    for at in (1..writes.len()).rev() {
        writes.swap(at, rng.random_range(0..=at));
    }
    for &(offset, value) in &writes {
        assert!(world.write(offset, value), "register {offset:#x} can be written");
    }
    for (offset, value) in writes {
        assert_eq!(world.read(offset), value, "register {offset:#x} holds what was written");
    }
    let mut refused = 0;
    for (offset, bad) in [(REG_AT_ONCE, 0), (REG_GRID_Y, 0), (REG_COUNTS, 33), (REG_COUNTS, 9 << 8), (REG_MODE, 3 << 4)]
    {
        if rng.random_range(0..10) == 0 {
            let good = world.read(offset);
            world.write(offset, bad);
            assert!(!world.write(REG_COMMAND, 1), "no launch: register {offset:#x} holds {bad:#x}");
            assert_eq!(world.read(REG_STATUS) & 1, 0, "nothing begins");
            world.write(offset, good);
            covered.refused[2] += 1;
            refused += 1;
        }
    }
    if rng.random_range(0..10) == 0 {
        let both = 1 << COMMAND_START_LSB | 1 << COMMAND_ABORT_LSB;
        assert!(!world.write(REG_COMMAND, both), "a launch does not begin and end at once");
        assert_eq!(world.read(REG_STATUS) & 1, 0, "nothing begins");
        covered.refused[2] += 1;
        refused += 1;
    }
    refused
}

/// Ways of control blocks that have left the cache.
fn left<E: Engine>(world: &mut World<E>) -> u32 {
    let states = world.read(REG_WAY_STATES);
    (0..MOST_BLOCKS).filter(|k| states >> (2 * k + 1) & 1 == 1).fold(0, |ways, k| ways | 1 << k)
}

/// Waits until each way is what it is wanted to be, but for those that must go on as a cache of these ways.
fn settle<E: Engine>(world: &mut World<E>, ways: u32) {
    for _ in 0..1000 {
        let wanted = world.read(REG_WAY_MODES);
        let (states, serving) = (world.read(REG_WAY_STATES), ways & !left(world));
        let is = |k: usize| {
            let state = states >> (2 * k) & 3;
            let last = state == 1 && serving & !(1 << k) == 0;
            state == 2 * (wanted >> k & 1) || last
        };
        if (0..MOST_BLOCKS).all(is) {
            return;
        }
    }
    panic!("ways do not become what they are wanted to be");
}

/// Says which ways are control blocks, and tries what may not be meanwhile. Returns how many writes were refused.
fn partition<E: Engine>(
    world: &mut World<E>,
    rng: &mut ChaCha8Rng,
    params: &DualityParams,
    covered: &mut FrontCoverage,
) -> u32 {
    let ways = world.read(REG_WAYS);
    let blocks = (1u32 << params.blocks) - 1;
    let mut refused = 0;
    if rng.random_range(0..6) == 0 {
        assert!(world.write(REG_WAY_MODES, 0xf0), "all ways are a cache");
        settle(world, ways);
        assert_eq!([REG_WAY_MODES, REG_WAY_STATES].map(|at| world.read(at)), [0, 0], "all ways are a cache");
        assert!(!world.write(REG_COMMAND, 1), "no launch without a control block");
        assert!(world.write(REG_BLOCK, rng.random_range(0..4)), "the host looks at a control block");
        assert!(!world.write(REG_PUSH, rng.random()), "no word for a cache");
        covered.refused[2] += 1;
        covered.refused[4] += 1;
        refused += 2;
    }
    if world.read(REG_WAY_MODES) == 0 || rng.random_range(0..4) == 0 {
        let wanted = if rng.random_range(0..3) == 0 { rng.random_range(1..=blocks) } else { blocks };
        let before = world.read(REG_WAY_STATES);
        world.write(REG_INTERRUPT, 1 << INTERRUPT_MODES_LSB);
        assert!(world.write(REG_WAY_MODES, wanted), "modes at any time");
        assert_eq!(world.read(REG_WAY_MODES), wanted);
        if rng.random() {
            settle(world, ways);
            let (after, interrupt) = (world.read(REG_WAY_STATES), world.read(REG_INTERRUPT));
            let changed = interrupt >> INTERRUPT_MODES_LSB & 1 == 1;
            assert!(changed || after == before, "{before:#x}, {after:#x}: an interrupt");
        }
        covered.modes[0] += 1;
    }
    refused
}

fn flush<E: Engine>(world: &mut World<E>) {
    assert!(world.write(REG_COMMAND, 1 << COMMAND_FLUSH_LSB), "the ways can be flushed");
    while world.read(REG_STATUS) >> STATUS_FLUSHING_LSB & 1 == 1 {}
    assert_eq!(world.read(REG_STATUS) >> STATUS_CLEAN_LSB & 1, 1, "nothing is in the ways");
    assert_eq!(world.read(REG_INTERRUPT) >> INTERRUPT_FLUSHED_LSB & 1, 1, "a flush has ended");
    world.write(REG_INTERRUPT, 1 << INTERRUPT_FLUSHED_LSB);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::engine;
    use crate::external::tool::some_of;
    use bitline_units::duality::blocks::duality_front;

    #[test]
    fn duality_launches_are_what_registers_say() {
        for (name, blocks, seed) in [("tiny", 1, 1), ("cb", 1, 2), ("tiny", 2, 3), ("tiny", 4, 4)] {
            let preset = DualityParams::preset(name).expect("it is there");
            let params = DualityParams { blocks, cache_ways: blocks + 2, ..preset };
            let netlist = duality_front(&params).expect("legal");
            println!("{name}, control blocks: {blocks}, seed {seed}");
            let covered = run(engine(&netlist), &params, seed, some_of(150, 2) as u64);
            println!("{covered:?}");
            assert!(covered.all(), "{covered:?}");
            assert_eq!(covered.together, params.blocks, "{covered:?}");
            assert!(covered.traps[..params.blocks].iter().all(|&count| count > 0), "{covered:?}");
        }
    }
}
