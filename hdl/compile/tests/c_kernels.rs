//! Random kernels in C through clang, at five levels of optimisation: interpreter and words leave what plain numbers
//! say. `BITLINE_RANDOM_C` says how many kernels, `BITLINE_CLANG` which clangs, with commas between them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;

use crate::common::c::{INPUT, Kernel, Maker, PRELUDE};
use bitline_compile::launch::{Argument, Buffer, Plan};
use bitline_compile::ptx::parse;
use bitline_compile::words::Words;
use bitline_units::duality::DualityParams;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const LEVELS: [&str; 5] = ["-O0", "-O1", "-O2", "-O3", "-Os"];
/// Kernels of a file.
const FILE: usize = 10;

struct Case {
    kernel: Kernel,
    input: Vec<u32>,
    blocks: u32,
    threads: u32,
    expected: Vec<u32>,
}

fn case(random: &mut ChaCha8Rng) -> Case {
    loop {
        let kernel = Maker::new(random).kernel();
        let input: Vec<u32> = (0..INPUT).map(|_| random.random::<u32>() >> random.random_range(0..32)).collect();
        let (blocks, threads) = (random.random_range(1..3), random.random_range(1..21));
        if let Some(expected) = kernel.result(&input, blocks, threads) {
            return Case { kernel, input, blocks, threads, expected };
        }
    }
}

/// The PTX that clang makes of a file, or nothing if there is no such clang.
fn compiled(clang: &str, level: &str, pointers: &str, text: &str) -> Option<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let (source, target) = (folder.path().join("k.cu"), folder.path().join("k.ptx"));
    std::fs::write(&source, text).expect("a file");
    let mut command = Command::new(clang);
    command.args(["-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "--cuda-gpu-arch=sm_50", "-S"]);
    command.args(["-ffp-contract=off", "-Wno-unknown-cuda-version", "-w", level, pointers, "-o"]);
    let said = command.arg(&target).arg(&source).output().ok()?;
    assert!(said.status.success(), "{clang} {level}: {}\n{text}", String::from_utf8_lossy(&said.stderr));
    Some(std::fs::read_to_string(&target).expect("clang has written it"))
}

fn plan(case: &Case, name: &str) -> Plan {
    let element = "u32".parse().expect("a type");
    let input = Argument::Buffer(Buffer::of(element, case.input.iter().map(|word| u64::from(*word))));
    let zeros = (0..case.expected.len()).map(|_| 0);
    let arguments = vec![input, Argument::Buffer(Buffer::of(element, zeros))];
    let (grid, block) = ([case.blocks, 1, 1], [case.threads, 1, 1]);
    Plan { grid, block, arguments, limit: 20_000_000, ..Plan::new(name) }
}

fn out(buffers: &[Option<Buffer>]) -> Vec<u32> {
    buffers[1].as_ref().expect("a buffer").bits().map(|bits| bits as u32).collect()
}

#[test]
fn clangs_kernels_do_what_c_says() {
    let number = |name: &str, usual: u64| {
        std::env::var(name).map_or(usual, |text| text.parse().unwrap_or_else(|_| panic!("{name} = {text}")))
    };
    let (count, seed) = (number("BITLINE_RANDOM_C", 10), number("BITLINE_RANDOM_SEED", 1));
    let clangs = std::env::var("BITLINE_CLANG").unwrap_or_else(|_| "clang-19".into());
    let params =
        DualityParams { rows: 512, ring: 512, columns: 32, ..DualityParams::preset("tiny").expect("a preset") };
    println!("seed {seed}");
    let mut refused = std::collections::BTreeMap::<String, u64>::new();
    let (mut programs, mut words_of) = (0, 0);
    for file in 0..count.div_ceil(FILE as u64) {
        let mut random = ChaCha8Rng::seed_from_u64(seed.wrapping_mul(1 << 20) + file);
        let cases: Vec<Case> = (0..FILE).map(|_| case(&mut random)).collect();
        let text = cases.iter().enumerate().map(|(at, case)| case.kernel.text(&format!("k{at}")));
        let text = PRELUDE.to_string() + &text.collect::<String>();
        let pointers = if file % 2 == 0 { "-m64" } else { "-m32" };
        for clang in clangs.split(',') {
            for level in LEVELS {
                let Some(ptx) = compiled(clang, level, pointers, &text) else {
                    assert!(std::env::var("CI").is_err(), "{clang} is not installed");
                    eprintln!("SKIPPED: {clang} is not installed; no C is compiled");
                    return;
                };
                let name = format!("{clang}{level}{pointers}-{seed}-{file}.ptx");
                let module = parse(&name, &ptx).unwrap_or_else(|error| panic!("{error}\n{text}"));
                for (at, case) in cases.iter().enumerate() {
                    let plan = plan(case, &format!("k{at}"));
                    let what =
                        || format!("{name}, k{at}, {} × {}:\n{}", case.blocks, case.threads, case.kernel.text("k"));
                    let ran = plan.interpret(&module, &mut |_, _| ()).unwrap_or_else(|e| panic!("{e}, {}", what()));
                    assert!(out(&ran.buffers) == case.expected, "interpreter: {}", what());
                    programs += 1;
                    let simple = random.random_bool(0.4);
                    let arrays = Some(if simple { 1 } else { 1 << random.random_range(0..3) });
                    let words = Words { simple, arrays, tries: 2, ..Words::new(&params) };
                    let ran = catch_unwind(AssertUnwindSafe(|| plan.words(&module, &words)));
                    match ran.unwrap_or_else(|_| panic!("the compiler ends: {}\n{ptx}", what())) {
                        Ok(ran) => {
                            assert!(out(&ran.buffers) == case.expected, "words: {}", what());
                            words_of += 1;
                        }
                        Err(error) => {
                            let said = error.to_string();
                            // Words that are refused are one thing, those that do something else another.
                            assert!(!said.contains(" trap "), "words: {said}, {}\n{ptx}", what());
                            let kind = said.rsplit(": ").next().unwrap_or_default().to_string();
                            *refused.entry(kind).or_default() += 1;
                        }
                    }
                }
            }
        }
    }
    println!("{programs} programs of clang's, {words_of} of them as words; refused: {refused:?}");
    assert!(words_of * 2 > programs, "too few have words: {refused:?}");
}
