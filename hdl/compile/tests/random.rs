//! Random kernels as words against the interpreter of PTX; and that no rule of the compiler can be left out unnoticed.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::common::outline::outlined;
use crate::common::random::{INPUT, OUTPUT, Random};
use bitline_compile::launch::{Argument, Buffer, Plan};
use bitline_compile::ptx::{ast::Module, parse};
use bitline_compile::words::{Rule, Words};
use bitline_units::duality::DualityParams;
use bitline_units::duality::isa::codes::Kind;
use rand::{Rng, SeedableRng};

/// How a comparison ended.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Verdict {
    Same,
    /// The kernel has no words: the reason.
    Refused(String),
    Wrong(String),
}

/// Rows and a ring in which every kernel has room.
fn roomy() -> DualityParams {
    DualityParams { rows: 512, ring: 512, columns: 32, ..DualityParams::preset("tiny").expect("a preset") }
}

fn launch(seed: u64) -> Plan {
    launch_of(seed, None)
}

/// A launch whose blocks have so many threads, or any number.
fn launch_of(seed: u64, threads: Option<u32>) -> Plan {
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(seed ^ 0x5eed);
    let (grid, block) = (random.random_range(1..4), random.random_range(1..21));
    let block = threads.unwrap_or(block);
    let threads = u64::from(grid * block);
    let element = |name: &str| name.parse().expect("a type");
    // Small numbers, floats among them, a NaN and a subnormal one.
    let mut word = |at: u64| match at % 5 {
        0 => u64::from(random.random_range(-3.0_f32..3.0).to_bits()),
        1 => random.random_range(0..5),
        2 if random.random_bool(0.2) => u64::from(f32::NAN.to_bits()),
        3 if random.random_bool(0.3) => 0x0000_4000,
        _ => random.random_range(0..=u64::from(u32::MAX)),
    };
    let input = Buffer::of(element("u32"), (0..INPUT).map(&mut word));
    let zeros = |count| Argument::Buffer(Buffer::of(element("u32"), (0..count).map(|_| 0)));
    let number = |bits| Argument::Number { element: element("u32"), bits };
    let (a, b) = (word(1), word(4));
    let arguments = vec![Argument::Buffer(input), zeros(threads * OUTPUT), zeros(3 * threads), number(a), number(b)];
    Plan { grid: [grid, 1, 1], block: [block, 1, 1], arguments, limit: 2_000_000, ..Plan::new("k") }
}

/// What the interpreter says: the buffer of integers, and that of numbers with one NaN for all.
fn buffers(buffers: &[Option<Buffer>]) -> (Vec<u64>, Vec<u32>) {
    let bits = |index: usize| buffers[index].as_ref().expect("a buffer").bits();
    let number = |bits: u64| if f32::from_bits(bits as u32).is_nan() { 0x7fff_ffff } else { bits as u32 };
    (bits(1).collect(), bits(2).map(number).collect())
}

fn compared(
    module: &Module,
    plan: &Plan,
    expected: &(Vec<u64>, Vec<u32>),
    params: &DualityParams,
    without: Option<Rule>,
) -> Verdict {
    // Programs for any launch, or for this one; with one array a thread, two or four. Most rules have nothing to do
    // with arrays and orders: without them kernels are translated plainly, which takes less time.
    let (simple, spread) = (without.is_some_and(|rule| !rule.is_of_schedules()), without.is_none());
    let arrays = Some(match (spread, simple) {
        (true, _) => 1 << (plan.grid[0] - 1),
        (_, true) => 1,
        _ => 4,
    });
    let (general, checked) = (plan.block[0].is_multiple_of(3), without.is_none_or(|rule| rule == Rule::Scratch));
    let words = Words { without, arrays, simple, checked, general, tries: 1, ..Words::new(params) };
    match catch_unwind(AssertUnwindSafe(|| plan.compile(module, &words))) {
        Ok(Ok(_)) => {}
        // No interpreter has scratch rows: the checker of words does.
        Ok(Err(error)) if error.to_string().starts_with("program = ") => return Verdict::Wrong(error.to_string()),
        Ok(Err(error)) => return Verdict::Refused(error.to_string()),
        Err(_) => return Verdict::Wrong("the compiler panics".into()),
    }
    match plan.words(module, &words) {
        Err(error) => Verdict::Wrong(error.to_string()),
        Ok(ran) => {
            let found = buffers(&ran.buffers);
            let differs = found.0.iter().zip(&expected.0).position(|(a, b)| a != b);
            match differs.or(found.1.iter().zip(&expected.1).position(|(a, b)| a != b)) {
                None => Verdict::Same,
                Some(at) => {
                    let (found, expected) = (found.0.get(at).copied(), expected.0.get(at).copied());
                    let place = format!("thread {}, word {}", at as u64 / OUTPUT, at as u64 % OUTPUT);
                    let spilled = ran.compiled.spilled;
                    Verdict::Wrong(format!("{place}: {found:x?}, not {expected:x?}; {spilled} spill rows"))
                }
            }
        }
    }
}

/// How many kernels: `BITLINE_RANDOM_PTX` of them, else as many as told.
fn count(otherwise: u64) -> u64 {
    std::env::var("BITLINE_RANDOM_PTX").ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Kernels with exchanges in whole warps, on designs whose crossbar does them, a row at once or in turns, and on one
/// without: the same is left, in fewer cycles by the compiler's own estimate.
#[test]
fn random_kernels_exchange_by_the_crossbar() {
    let (mut crossing, mut estimates) = ([0; 2], [0; 2]);
    let first = std::env::var("BITLINE_RANDOM_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(500);
    println!("seeds from {first}");
    for seed in first..first + count(24) {
        let text = Random::with_warps(seed);
        let module = parse("random.ptx", &text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        let plan = launch_of(seed, Some([32, 64][seed as usize % 2]));
        let expected =
            plan.interpret(&module, &mut |_, _| ()).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        let mut taken = vec![];
        for crossbar in [0, [32, 4][seed as usize / 2 % 2]] {
            let params = DualityParams { crossbar, ..roomy() };
            let arrays = Some([1, 2][seed as usize / 4 % 2]);
            // A crossbar is worth most where threads have turns at memory, as in a whole unit. If fewer schedules are
            // tried, luck decides which of the two gets the better one.
            let words = Words { arrays, checked: true, tries: 4, turns: true, ..Words::new(&params) };
            let ran = match plan.words(&module, &words) {
                Ok(ran) => ran,
                Err(why) if why.to_string().contains("a loop with two ways in") => continue,
                Err(why) => panic!("seed {seed}, crossbar = {crossbar}: {why}\n{text}"),
            };
            assert_eq!(buffers(&ran.buffers), buffers(&expected.buffers), "seed {seed}, crossbar = {crossbar}\n{text}");
            let memory = ran.compiled.program.words.iter().filter(|word| word.kind() == Ok(Kind::Memory));
            let own = memory.filter(|word| word.crosses()).map(|word| word.reduces()).collect::<Vec<_>>();
            assert!(crossbar > 0 || own.is_empty(), "seed {seed}: there is no crossbar");
            own.iter().for_each(|reduces| crossing[usize::from(*reduces)] += 1);
            taken.push(ran.compiled.estimate);
        }
        estimates.iter_mut().zip(&taken).for_each(|(all, own)| *all += own);
    }
    println!("{crossing:?} shuffles and reductions; {estimates:?} cycles estimated without and with a crossbar");
    assert!(crossing.iter().all(|count| *count > 5), "{crossing:?}");
    assert!(estimates[1] < estimates[0], "{estimates:?}");
}

#[test]
fn random_kernels_do_the_same() {
    let params = roomy();
    let (mut same, mut irreducible, mut rows) = (0, 0, 0);
    let first = std::env::var("BITLINE_RANDOM_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    println!("seeds from {first}");
    for seed in first..first + count(40) {
        let text = match seed % 4 {
            1 => Random::with_warps(seed),
            3 => Random::with_rare(seed),
            _ => Random::kernel(seed),
        };
        let module = parse("random.ptx", &text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        let plan = launch(seed);
        let expected =
            plan.interpret(&module, &mut |_, _| ()).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        match compared(&module, &plan, &buffers(&expected.buffers), &params, None) {
            Verdict::Same => same += 1,
            Verdict::Refused(why) if why.contains("a loop with two ways in") => irreducible += 1,
            Verdict::Refused(why) if why.starts_with("rows = 512: ") || why.ends_with(", the ring 512") => rows += 1,
            other => panic!("seed {seed}: {other:?}\n{text}"),
        }
    }
    println!("{same} the same, {irreducible} irreducible, {rows} without room");
    assert!(same > 8 * (irreducible + rows), "{same} {irreducible} {rows}");
}

/// Lines of random kernels are put into functions: the interpreter finds the same, and so do words.
#[test]
fn random_kernels_with_functions_do_the_same() {
    let params = roomy();
    let first = std::env::var("BITLINE_RANDOM_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    println!("seeds from {first}");
    let (mut same, mut refused, mut functions) = (0, 0, 0);
    for seed in first..first + count(8) {
        let plain = match seed % 4 {
            1 => Random::with_warps(seed),
            3 => Random::with_rare(seed),
            _ => Random::kernel(seed),
        };
        let text = outlined(&plain, seed);
        functions += text.matches(".func").count();
        let read =
            |text: &str| parse("random.ptx", text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        let (module, plan) = (read(&text), launch(seed));
        let run = |module: &Module| {
            let outcome = plan.interpret(module, &mut |_, _| ());
            buffers(&outcome.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}")).buffers)
        };
        let expected = run(&read(&plain));
        assert!(run(&module) == expected, "seed {seed}: the interpreter finds something else\n{text}");
        match compared(&module, &plan, &expected, &params, None) {
            Verdict::Same => same += 1,
            Verdict::Refused(why)
                if why.contains("a loop with two ways in")
                    || why.starts_with("rows = 512: ")
                    || why.ends_with(", the ring 512") =>
            {
                refused += 1;
            }
            other => panic!("seed {seed}: {other:?}\n{text}"),
        }
    }
    println!("{functions} functions; {same} the same, {refused} without words");
    assert!(same > 2 * refused && functions > 5 * same, "{same} {refused} {functions}");
}

/// Each rule that is left out makes some kernel wrong.
#[test]
fn no_rule_can_be_left_out() {
    let params = roomy();
    let quiet = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    // The first ones, and one in which a copy in another array becomes old.
    let kernels: Vec<_> = (0..18)
        .chain([114])
        .map(|seed| {
            let module = parse("random.ptx", &Random::kernel(seed)).expect("PTX");
            let plan = launch(seed);
            let expected = buffers(&plan.interpret(&module, &mut |_, _| ()).expect("it runs").buffers);
            (module, plan, expected)
        })
        .collect();
    let noticed = |rule: Rule| {
        let wrong = |(module, plan, expected): &(Module, Plan, _)| {
            matches!(compared(module, plan, expected, &params, Some(rule)), Verdict::Wrong(_))
        };
        kernels.iter().position(wrong)
    };
    // Loops that share their beginning are in `meets.rs`: these kernels have none.
    let rules = Rule::ALL.into_iter().filter(|rule| *rule != Rule::Beginnings);
    let found: Vec<(Rule, Option<usize>)> = rules.map(|rule| (rule, noticed(rule))).collect();
    std::panic::set_hook(quiet);
    println!("{found:?}");
    for (rule, seed) in found {
        assert!(seed.is_some(), "without {rule:?} all kernels do the same");
    }
}

/// The checker finds what is wrong of a program without running it.
#[test]
fn the_checker_notices_rules_that_are_left_out() {
    let params = roomy();
    let kernels: Vec<(Module, Plan)> =
        (0..18).map(|seed| (parse("random.ptx", &Random::kernel(seed)).expect("PTX"), launch(seed))).collect();
    for rule in [
        Rule::MaskedWrites,
        Rule::WaitingValues,
        Rule::LoopValues,
        Rule::LastUses,
        Rule::Scratch,
        Rule::Moves,
        Rule::LaterWrites,
    ] {
        let (arrays, simple) = (Some(if rule.is_of_schedules() { 4 } else { 1 }), !rule.is_of_schedules());
        let noticed = |(module, plan): &(Module, Plan)| {
            let words = Words { arrays, simple, checked: true, without: Some(rule), ..Words::new(&params) };
            plan.compile(module, &words).is_err_and(|error| error.to_string().starts_with("program = "))
        };
        let seed = kernels.iter().position(noticed);
        println!("{rule:?}: {seed:?}");
        assert!(seed.is_some(), "{rule:?}");
    }
}
