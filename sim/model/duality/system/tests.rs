//! The parts by themselves.

use super::ways::{STRETCH, Server};
use super::*;
use crate::duality::launch::Launch;
use crate::duality::watch::Nobody;
use bitline_units::duality::cache_params::CacheParams;
use bitline_units::duality::isa::assemble::assemble;

/// A line is fetched once, whoever hints at it; a set that is full writes back what was written, the least recently
/// used line first.
#[test]
fn ways_keep_lines() {
    let params = CacheParams { ways: 2, sets: 4, mshr: 16, lines: false };
    let mut ways = Slices::new(&params, 0..2, [1, 1], Memory { latency: 10, bytes: 8.0 });
    let line = |number: u32| 8 * number;
    let first = ways.request(0, 0, line(0), false, true);
    assert!(first.whole > first.taken + 10, "{first:?}");
    let second = ways.request(0, 1, line(0) + 7, true, false);
    assert_eq!((second.whole, ways.counts()), (first.whole, Counts { misses: 1, merges: 1, ..Counts::default() }));
    // Lines 4 and 8 are of the same set.
    ways.request(0, 1000, line(4), false, false);
    ways.request(0, 2000, line(0), false, false);
    ways.request(0, 3000, line(8), false, false);
    assert_eq!(ways.counts(), Counts { misses: 3, merges: 1, hits: 1, written_back: 0 });
    ways.request(0, 4000, line(0), false, false);
    ways.request(0, 5000, line(8), false, false);
    ways.request(0, 6000, line(4), false, false);
    assert_eq!(ways.counts(), Counts { misses: 4, merges: 1, hits: 3, written_back: 1 });
    ways.flush();
    assert_eq!(ways.counts().written_back, 1);
}

/// A way that is a control block gets no line: of four under one tree two serve.
#[test]
fn ways_that_do_not_serve_get_nothing() {
    let params = CacheParams { ways: 4, sets: 4, mshr: 16, lines: false };
    for serving in [2..4, 1..3] {
        let mut ways = Slices::new(&params, serving.clone(), [1, 1], Memory { latency: 10, bytes: 8.0 });
        // Three lines of a set in turn: none is there when it is asked for.
        let again = [0, 4, 8, 0, 4, 8].iter().enumerate();
        again.for_each(|(at, line)| _ = ways.request(0, 1000 * at as u64, 8 * line, false, false));
        assert_eq!(ways.counts(), Counts { misses: 6, ..Counts::default() }, "{serving:?}");
        ways.request(0, 9000, 8 * 8, false, false);
        ways.request(0, 9100, 8 * 4, false, false);
        assert_eq!(ways.counts().hits, 2, "{serving:?}");
    }
}

/// Control blocks are dealt with one after the other, each as far as it gets: who comes earlier in time waits neither
/// for a line that another asks for much later, nor for the way that this line has then.
#[test]
fn earlier_requests_wait_for_no_later_ones() {
    let params = CacheParams { ways: 1, sets: 4, mshr: 16, lines: false };
    for line in [0, 4] {
        let mut ways = Slices::new(&params, 0..1, [2, 1], Memory { latency: 10, bytes: 8.0 });
        let late = ways.request(0, 1_000_000, 0, false, false);
        assert!(late.whole > 1_000_000);
        let early = ways.request(1, 1000, 8 * line, false, false);
        assert!(early.taken == 1000 && early.next < 1100 && early.whole < early.next, "line {line}: {early:?}");
        // Nobody else has taken the port since.
        assert!(ways.request(1, 2000, 8 * 2, false, false).next < 2100, "line {line}");
    }
}

/// Requests for lines of several slices do not wait for each other; what is written is written back, wherever it is.
#[test]
fn slices_take_requests_side_by_side() {
    let params = CacheParams { ways: 2, sets: 64, mshr: 16, lines: false };
    let last = |slices: usize| {
        let mut ways = Slices::new(&params, 0..2, [1, slices], Memory { latency: 0, bytes: 64.0 });
        (0..64).for_each(|line| _ = ways.request(0, 0, 8 * line, true, false));
        let all = (0..1024).map(|at| ways.request(0, 100_000, 8 * (at % 64), false, false).taken);
        let taken = all.max().expect("requests");
        ways.flush();
        assert_eq!(ways.counts(), Counts { hits: 1024, misses: 64, merges: 0, written_back: 64 });
        taken - 100_000
    };
    // A request a cycle and slice, give or take a stretch of time.
    let [one, four] = [last(1), last(4)];
    assert!((1024 - 2 * STRETCH..1024).contains(&one) && (256 - 2 * STRETCH..256).contains(&four), "{one} {four}");
}

/// Windows of control blocks are in sets of their own, however many slices there are.
#[test]
fn windows_do_not_meet_in_a_set() {
    let params = DualityParams::preset("small").expect("a preset");
    for slices in [1, 2, 7, 8, 16] {
        let set = |number: usize| {
            let unit = MemoryUnit::new(&params, 4, number);
            let line = unit.place(&trace::Touch { thread: 0, at: 0x2000, private: true }) as usize / 8;
            (line % slices, line / slices % params.cache_sets)
        };
        let sets: std::collections::HashSet<_> = (0..32).map(set).collect();
        assert_eq!(sets.len(), 32, "{slices} slices");
    }
}

/// Whoever comes later gets what is left of an earlier time, and no more.
#[test]
fn servers_are_never_behind_themselves() {
    let mut server = Server::default();
    assert_eq!(server.take(640, 640.0), 640);
    assert_eq!(server.take(0, 1.0), 0);
    assert_eq!(server.take(640, 1.0), 1280);
    let begun: Vec<u64> = (0..8).map(|_| server.take(0, 32.0)).collect();
    assert_eq!(begun, [0, 0, 64, 64, 128, 128, 192, 192], "63 are left of the first stretch");
}

/// Of lines that are asked for at once, as many are on their way as the MSHR has entries and as the bus carries.
#[test]
fn lines_share_the_bus() {
    let params = CacheParams { ways: 2, sets: 64, mshr: 16, lines: false };
    let last = |memory: Memory| {
        let mut ways = Slices::new(&params, 0..2, [1, 1], memory);
        (0..64).map(|line| ways.request(0, 0, 8 * line, false, true).whole).max().expect("lines")
    };
    let quick = last(Memory { latency: 0, bytes: 64.0 });
    let narrow = last(Memory { latency: 0, bytes: 1.0 });
    let slow = last(Memory { latency: 1000, bytes: 64.0 });
    assert!(narrow >= 64 * 64 && narrow > 4 * quick, "{quick} {narrow}");
    // Four times sixteen lines.
    assert!((4000..5000).contains(&slow), "{slow}");
}

/// Commands take what the table of cycles says; behind each other they take no longer than alone.
#[test]
fn commands_take_what_the_table_says() {
    let params = DualityParams::preset("tiny").expect("a preset");
    let text = ".name k\n.arrays 1\n    add 0:10:32 0:50:32 0:90:32\n    fadd.f32 0:10:32 0:50:32 0:90:32 \
                scratch=130\n    end 0\n";
    let program = assemble(text, "k.dcs", &params).expect("a program");
    let mut commands = Commands::new(&params);
    for word in &program.words[..2] {
        let shape = commands.operations.asked(*word).expect("it is legal");
        let operation = commands.operations.operation(shape.command.opcode, shape.command.set);
        let formula = operation.cycles(shape.command.width.into(), shape.command.second.into()) as u64;
        let cost = commands.cost(&shape.command, u8::MAX);
        assert!(cost.behind >= formula && cost.behind < formula + 8, "{cost:?}, {formula}");
        assert!(cost.alone > cost.behind && cost.alone < cost.behind + 80, "{cost:?}");
        assert_eq!(commands.cost(&shape.command, u8::MAX), cost);
    }
}

/// A product by a constant takes as long as the constant has ones, whether the word has it or a scalar register.
#[test]
fn products_take_what_their_factor_asks() {
    let params = DualityParams::preset("tiny").expect("a preset");
    let cycles = |factor: &str, parameter: u32| {
        let text = format!(".name k\n.arrays 1\n    mul_const 0:10:32 0:50:16 {factor}\n    end 0\n");
        let program = assemble(&text, "k.dcs", &params).expect("a program");
        let launch = Launch { grid: [1, 1, 1], block: [32, 1, 1], parameters: vec![parameter], ..Launch::default() };
        let memory = Memory { latency: 10, bytes: 8.0 };
        let system = System {
            params: &params,
            blocks: 1,
            slices: 1,
            serving: 1..3,
            memory,
            lockstep: false,
            compute_alone: false,
        };
        let taken = system.run(&program, &launch, &mut FlatMemory::default(), 1, 100).expect("a launch");
        taken.expect("it ends").computing
    };
    let [one, many] = [cycles("0x1", 0), cycles("0x5555", 0)];
    // Seven ones more, each an addition of sixteen bits and a carry.
    assert_eq!(many - one, 7 * 17, "{one} {many}");
    assert_eq!([cycles("%0", 1), cycles("%0", 0x5555)], [one, many]);
}

/// Compute alone takes what is computed, whatever memory takes, and is no more than all; a launch that has been traced
/// takes what it takes when it runs.
#[test]
fn compute_alone_knows_no_memory() {
    let params = DualityParams::preset("tiny").expect("a preset");
    let text = ".name k\n.arrays 1\n.special thread 0:2:5\n    add 0:10:32 0:2:5<<2 %0 scratch=120\n    \
                ld.global.32 0:42:32 [0:10:32]\n    mul 0:74:32 0:42:16 0:42:16\n    \
                st.global.32 [0:10:32] 0:74:32\n    end 0\n";
    let program = assemble(text, "k.dcs", &params).expect("a program");
    let launch = Launch { grid: [3, 1, 1], block: [32, 1, 1], parameters: vec![0x10000], ..Launch::default() };
    let mut data = FlatMemory::default();
    data.map(0x10000, 4096, true);
    let traced = Traced::of(&params, &program, &launch, &mut data.clone(), [1, 100], &mut Nobody);
    let traced = traced.expect("a launch").expect("it ends");
    let system = |latency: u64, compute_alone: bool| {
        let memory = Memory { latency, bytes: 8.0 };
        System { params: &params, blocks: 2, slices: 1, serving: 1..3, memory, lockstep: false, compute_alone }
    };
    let mut commands = Commands::new(&params);
    let [slow, fast] = [1000, 10].map(|latency| system(latency, false).replay(&program, &traced, &mut commands));
    let [alone, same] = [1000, 10].map(|latency| system(latency, true).replay(&program, &traced, &mut commands));
    assert_eq!((&alone, alone.memory), (&same, 0));
    assert!(
        alone.cycles < fast.cycles && fast.cycles < slow.cycles,
        "{} {} {}",
        alone.cycles,
        fast.cycles,
        slow.cycles
    );
    assert_eq!(fast.computing, slow.computing, "the same commands run");
    // What a word of memory hides is seen where it takes no time: set-ups of four commands.
    let seen = alone.computing - slow.computing;
    assert!(seen > 0 && seen < 4 * 32, "{seen}");
    // Two waves of a control block, an addition and a product each.
    let [add, product] = [32, 16 * 16];
    assert!(alone.cycles > 2 * (add + product) && alone.cycles < 4 * (add + product), "{}", alone.cycles);
    let ran = system(10, false).run(&program, &launch, &mut data, 1, 100).expect("a launch").expect("it ends");
    assert_eq!(ran, fast);
}

/// Windows overlap: a program whose words are in two arrays takes less than one with all in one, and in bundles no less
/// than decoupled.
#[test]
fn windows_overlap() {
    let params = DualityParams::preset("tiny").expect("a preset");
    let cycles = |second: u64, lockstep: bool| {
        let text = format!(
            ".name k\n.arrays 2\n    mul 0:10:32 0:50:16 0:90:16\n    mul {second}:10:32 {second}:50:16 \
             {second}:90:16\n    add {second}:50:32 {second}:10:32 {second}:90:32\n    end 0\n"
        );
        let program = assemble(&text, "k.dcs", &params).expect("a program");
        let launch = Launch { grid: [3, 1, 1], block: [16, 1, 1], ..Launch::default() };
        let memory = Memory { latency: 10, bytes: 8.0 };
        let system =
            System { params: &params, blocks: 1, slices: 1, serving: 1..3, memory, lockstep, compute_alone: false };
        let taken = system.run(&program, &launch, &mut FlatMemory::default(), 1, 100).expect("a launch").expect("ends");
        assert_eq!(taken.outcome.waves, 3);
        taken.cycles
    };
    let [one, two, bundles] = [cycles(0, false), cycles(1, false), cycles(1, true)];
    assert!(3 * two < 2 * one && two < bundles, "{one} {two} {bundles}");
}

/// What stops a program is told, and a launch that cannot be is refused.
#[test]
fn what_the_judge_refuses_is_told() {
    let params = DualityParams::preset("tiny").expect("a preset");
    let program = assemble(".name k\n.arrays 4\n    ld.global.32 0:10:32 [%0]\n    end 0\n", "k", &params);
    let program = program.expect("a program");
    let memory = Memory { latency: 10, bytes: 8.0 };
    let system =
        System { params: &params, blocks: 2, slices: 1, serving: 1..3, memory, lockstep: false, compute_alone: false };
    let mut launch = Launch { grid: [1, 1, 1], block: [8, 1, 1], ..Launch::default() };
    let stop = system.run(&program, &launch, &mut FlatMemory::default(), 1, 100).expect("a launch");
    assert!(stop.expect_err("nothing is mapped").to_string().starts_with("word 0: trap unmapped"));
    launch.block[0] = 9;
    assert!(system.run(&program, &launch, &mut FlatMemory::default(), 1, 100).is_err());
}
