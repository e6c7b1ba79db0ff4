//! CUDA programs with host code, compiled by `scripts/cu` and run: the examples check themselves against the CPU, a
//! program that misuses every call is told so and does not crash. Where clang is not installed they are skipped.

mod opencl;
mod sources;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/cu")
}

/// Whether clang is missing, which is said.
fn skipped() -> bool {
    let missing = Command::new("clang-19").arg("--version").output().is_err();
    if missing {
        eprintln!("SKIPPED: clang-19 is not installed; no CUDA program with host code is compiled");
    }
    missing
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A file of the sources.
fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// `sim cuda` with a kernel of a file.
fn sim_cuda(file: &Path, kernel: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bitline"));
    command.args(["sim", "cuda"]).arg(file).args(["--kernel", kernel]).env_remove("CLANG");
    command
}

fn compile(source: &Path, program: &Path) {
    let mut command = Command::new(script());
    command.arg(source).arg("-o").arg(program).env("BITLINE_PROGRAM", env!("CARGO_BIN_EXE_bitline"));
    let output = command.output().expect("the script runs");
    assert!(output.status.success(), "{}: {}", source.display(), text(&output.stderr));
}

/// A program of `tb/cuda_cli`, in a folder that goes with it.
fn compiled(name: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join(name);
    compile(&Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tb/cuda_cli/{name}.cu")), &program);
    (folder, program)
}

fn run(program: &Path, engine: &str, preset: &str) -> Output {
    let mut command = Command::new(program);
    command.env("BITLINE_ENGINE", engine).env("BITLINE_PRESET", preset).env("BITLINE_QUIET", "1");
    if engine == "system" {
        command.env("BITLINE_BLOCKS", "3").env("BITLINE_SLICES", "2").env("BITLINE_MEMORY", "ddr4");
    }
    command.output().expect("the program runs")
}

/// Every example leaves what the CPU computes, on PTX, on words and by the model of the system; two of them on
/// hardware, too: the control block's, and the whole unit's.
#[test]
fn examples_check_themselves() {
    if skipped() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let entries = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/cuda")).expect("it is there");
    let mut sources: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    sources.retain(|path| path.extension().is_some_and(|extension| extension == "cu"));
    sources.sort();
    assert!(sources.len() > 10, "{sources:?}");
    // Each takes one core for a second.
    let (next, sources, folder) = (AtomicUsize::new(0), &sources, folder.path());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some(source) = sources.get(next.fetch_add(1, Ordering::Relaxed)) {
                    checks(source, folder);
                }
            });
        }
    });
}

fn checks(source: &Path, folder: &Path) {
    let name = source.file_stem().expect("a name").to_string_lossy().into_owned();
    let program = folder.join(&name);
    compile(source, &program);
    let hardware = match name.as_str() {
        "vecadd" => Some(("rtl", "small")),
        "blackscholes" => Some(("unit", "small")),
        _ => None,
    };
    for (engine, preset) in [("interpreter", "cb"), ("words", "cb"), ("system", "cb")].into_iter().chain(hardware) {
        let output = run(&program, engine, preset);
        let said = text(&output.stdout);
        assert!(output.status.success(), "{name} on {engine}: {said}{}", text(&output.stderr));
        assert!(said.contains(", as on the CPU"), "{name} on {engine}: {said}");
    }
}

/// A program, unchanged, on a board: its launch goes over a line to hardware, which is simulated bit by bit.
#[cfg(unix)]
#[test]
fn an_example_runs_on_a_board() {
    if skipped() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (config, program) = (folder.path().join("board.toml"), folder.path().join("vecadd"));
    // The small control block takes the program's blocks of 256 threads.
    let text_of_config = "base = \"duality-tiny\"\nduality = \"small\"\nbaud = 25000000\n";
    std::fs::write(&config, text_of_config).expect("the folder can be written");
    compile(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/cuda/vecadd.cu"), &program);
    let mut board = Command::new(env!("CARGO_BIN_EXE_bitline"))
        .args(["host", "simulate", "--config"])
        .arg(&config)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary is built");
    let mut line = String::new();
    BufReader::new(board.stdout.as_mut().expect("a pipe")).read_line(&mut line).expect("text");
    let port = line.trim().rsplit(' ').next().expect("a word").to_string();
    let on = |port: &str| {
        let mut command = Command::new(&program);
        command.env("BITLINE_ENGINE", "board").env("BITLINE_PORT", port).env("BITLINE_BOARD", &config);
        command.env("BITLINE_TIMEOUT", "60").env_remove("BITLINE_PRESET").output().expect("the program runs")
    };
    let output = on(&port);
    board.kill().expect("it runs");
    board.wait().expect("it has ended");
    let said = text(&output.stdout);
    assert!(output.status.success(), "{said}{}", text(&output.stderr));
    assert!(said.contains("vecadd: 3000 elements, as on the CPU"), "{said}");
    // Where no board is, the program is told.
    let output = on("/dev/ttyNONE7");
    assert!(!output.status.success() && text(&output.stderr).contains("/dev/ttyNONE7"), "{}", text(&output.stderr));
}

const MISUSED: &str = "\
malloc: cudaSuccess
malloc of nothing: cudaSuccess
malloc of everything: cudaErrorMemoryAllocation
malloc to nowhere: cudaErrorInvalidValue
copy out of range: cudaErrorInvalidValue
copy in the wrong direction: cudaErrorInvalidValue
copy in no direction: cudaErrorInvalidMemcpyDirection
copy from null: cudaErrorInvalidValue
copy: cudaSuccess
fill out of range: cudaErrorInvalidValue
free inside: cudaErrorInvalidDevicePointer
free of the host's: cudaErrorInvalidDevicePointer
free of null: cudaSuccess
no symbol: cudaErrorInvalidSymbol
symbol out of range: cudaErrorInvalidValue
symbol: cudaSuccess
last: cudaErrorInvalidValue
last again: cudaSuccess
block too large: cudaErrorInvalidConfiguration
no blocks: cudaErrorInvalidConfiguration
too much shared memory: cudaErrorLaunchOutOfResources
unknown kernel: cudaErrorInvalidDeviceFunction
no such device: cudaErrorInvalidDevice
properties: cudaSuccess
1024 threads of a block, 2600000 kHz
events: cudaSuccess
events: cudaSuccess
launch: cudaSuccess
record: cudaSuccess
never recorded: cudaErrorInvalidResourceHandle
sum: cudaSuccess
20
free: cudaSuccess
free twice: cudaErrorInvalidDevicePointer
malloc: cudaSuccess
address of nobody: cudaErrorIllegalAddress
launch after that: cudaErrorIllegalAddress
malloc after that: cudaErrorIllegalAddress
wait after that: cudaErrorIllegalAddress
reset: cudaSuccess
malloc after reset: cudaSuccess
devices: cudaSuccess
";

/// Every misuse has its code, on both engines; without a device everything has one.
#[test]
fn misuse_has_its_codes() {
    if skipped() {
        return;
    }
    let (_folder, program) = compiled("misuse");
    for engine in ["interpreter", "words"] {
        let output = run(&program, engine, "cb");
        assert_eq!(text(&output.stdout), MISUSED, "{engine}: {}", text(&output.stderr));
        assert!(output.status.success(), "{engine}: {:?}", output.status);
    }
    let without = |name: &str, value: &str| {
        let output = Command::new(&program).env(name, value).output().expect("it runs");
        (output.status.success(), text(&output.stdout))
    };
    let (ended, said) = without("BITLINE_PROGRAM", "/nowhere/bitline");
    assert!(ended && said.starts_with("malloc: cudaErrorInitializationError\n"), "{said}");
    // A device that ends at once, for its engine is none.
    let (ended, said) = without("BITLINE_ENGINE", "steam");
    assert!(ended && said.starts_with("malloc: cudaErrorInitializationError\n"), "{said}");
}

/// Programs that compare what calls return, and what functions compute, with what CUDA says of them.
#[test]
fn programs_find_nothing_wrong() {
    if skipped() {
        return;
    }
    for name in ["handles", "calls", "integers", "singles", "doubles", "halves", "warps"] {
        let (_folder, program) = compiled(name);
        for engine in ["interpreter", "words"] {
            let output = run(&program, engine, "cb");
            let (found, said) = (text(&output.stdout), text(&output.stderr));
            assert!(output.status.success() && found == "0 wrong\n", "{name} on {engine}: {found}{said}");
        }
    }
}

/// Structures that are parameters come as they are, whatever runs the kernels.
#[test]
fn structures_are_handed_over() {
    if skipped() {
        return;
    }
    let (_folder, program) = compiled("parameters");
    for (engine, preset) in [("interpreter", "cb"), ("words", "cb"), ("system", "cb"), ("unit", "small")] {
        let output = run(&program, engine, preset);
        let (found, said) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success() && found == "0 wrong\n", "{engine}: {found}{said}");
    }
}

/// What a hundred threads leave with every atomic function, worked out from what CUDA says of each: the sum of 0 to 99
/// halves, the sum before the last thread, and so on.
#[test]
fn atomic_functions_do_what_cuda_says() {
    if skipped() {
        return;
    }
    let (_folder, program) = compiled("atomics");
    let differ = (0..100).fold(0, |all, thread| all ^ (3 * thread));
    let words = [100 % 7, 0, 0_u32.wrapping_sub(300), u32::MAX, differ, 77, 5, 0xffff_0000];
    let wide = [100 << 33, u64::MAX, 1 << 40, 9 << 40, 99 << 35];
    let hex: String = words.map(u64::from).iter().chain(&wide).map(|word| format!("{word:x} ")).collect();
    let (sum, sign) = (0.5 * f64::from(99 * 100 / 2), 99_i64 << 33);
    let expected = format!("cudaSuccess: {sum}, {}, 2.5\n{hex}{} {sign}\n", sum - 49.5, -sign);
    for engine in ["interpreter", "words"] {
        let output = run(&program, engine, "cb");
        assert_eq!(text(&output.stdout), expected, "{engine}: {}", text(&output.stderr));
    }
}

/// An assertion that fails in a kernel ends all that the program asks of the device; pointers know their memory.
#[test]
fn assertions_stop_kernels() {
    if skipped() {
        return;
    }
    let (_folder, program) = compiled("assertions");
    for engine in ["interpreter", "words", "rtl"] {
        let mut command = Command::new(&program);
        let output = command.env("BITLINE_ENGINE", engine).env("BITLINE_PRESET", "small").output().expect("it runs");
        let (found, said) = (text(&output.stdout), text(&output.stderr));
        let expected = "4 2 1 8 8 8 8 8: cudaSuccess\ncudaErrorAssert\ncudaErrorAssert\n";
        assert_eq!(found, expected, "{engine}: {said}");
        assert!(said.contains("cudaErrorAssert: ") && said.contains("`__assertfail`: "), "{engine}: {said}");
    }
}

/// Every engine but the board tells how many blocks are done, as lines where there is no terminal; the judge, which is
/// compared with hardware, does so first. Reports are the same.
#[test]
fn blocks_that_are_done_are_told() {
    let ran = |engine: &str, seconds: &str| {
        let mut command = sim_cuda(&source("examples/cuda/vecadd.ptx"), "vecadd");
        command.args(["--engine", engine, "--preset", "small", "--arrays", "1", "--grid", "16", "--block", "256"]);
        command.args(["--arg", "random:f32:4000:1", "--arg", "random:f32:4000:2", "--arg", "zero:f32:4000"]);
        let output = command.args(["--arg", "s32:4000"]).env("BITLINE_PROGRESS", seconds).output().expect("it runs");
        assert!(output.status.success(), "{engine}: {}", text(&output.stderr));
        (text(&output.stdout), text(&output.stderr))
    };
    // Two blocks are a wave of `small`, and the last wave is no line; the model of the system has each block twice.
    let judged: Vec<u64> = (1..8).map(|wave| 2 * wave).collect();
    let twice: Vec<u64> = (1..16).filter(|half| *half != 8).collect();
    for (engine, beside) in [("words", &[][..]), ("rtl", &judged), ("unit", &judged), ("system", &twice)] {
        let ((report, said), (same, quiet)) = (ran(engine, "0"), ran(engine, "100000"));
        assert_eq!((report, quiet.as_str()), (same, ""), "{engine}");
        let done = said.lines().map(|line| {
            let (done, rest) = line.split_once(" of 16 blocks, ").unwrap_or_else(|| panic!("{engine}: {said}"));
            assert!(rest.ends_with(" s left"), "{engine}: {said}");
            done.parse::<u64>().expect("a number")
        });
        assert_eq!(done.collect::<Vec<_>>(), [&judged, beside].concat(), "{engine}");
    }
}

/// A launch has eight special registers, each in one array: a kernel that wants more of them in its four arrays has
/// moves for the others, and the unit takes it.
#[test]
fn special_registers_are_no_more_than_a_launch_has() {
    const KERNEL: &str = ".version 6.0\n.target sm_50\n.address_size 32\n.visible .entry six(.param .u32 out)\n{\n\
        .reg .b32 %r<14>; .reg .f32 %f<16>; ld.param.u32 %r0, [out]; cvta.to.global.u32 %r0, %r0;\n\
        mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z;\n\
        mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ctaid.y; mov.u32 %r6, %ctaid.z;\n\
        mad.lo.s32 %r7, %r6, 2, %r5; mad.lo.s32 %r7, %r7, 2, %r4; mad.lo.s32 %r7, %r7, 2, %r3;\n\
        mad.lo.s32 %r7, %r7, 2, %r2; mad.lo.s32 %r7, %r7, 4, %r1; shl.b32 %r8, %r7, 2; add.s32 %r9, %r0, %r8;\n\
        cvt.rn.f32.u32 %f1, %r1; cvt.rn.f32.u32 %f2, %r2; cvt.rn.f32.u32 %f3, %r3;\n\
        cvt.rn.f32.u32 %f4, %r4; cvt.rn.f32.u32 %f5, %r5; cvt.rn.f32.u32 %f6, %r6;\n\
        mul.f32 %f7, %f1, %f4; mul.f32 %f8, %f2, %f5; mul.f32 %f9, %f3, %f6;\n\
        mul.f32 %f10, %f1, %f5; mul.f32 %f11, %f2, %f6; mul.f32 %f12, %f3, %f4; add.f32 %f13, %f7, %f8;\n\
        add.f32 %f14, %f9, %f10; add.f32 %f15, %f11, %f12; add.f32 %f13, %f13, %f14; add.f32 %f13, %f13, %f15;\n\
        mul.lo.s32 %r10, %r1, %r5; mul.lo.s32 %r11, %r2, %r4; mul.lo.s32 %r12, %r3, %r5; mul.lo.s32 %r13, %r6, %r1;\n\
        add.s32 %r10, %r10, %r11; add.s32 %r12, %r12, %r13; add.s32 %r10, %r10, %r12; cvt.rn.f32.s32 %f14, %r10;\n\
        add.f32 %f13, %f13, %f14; st.global.f32 [%r9], %f13; ret;\n}\n";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("six.ptx");
    std::fs::write(&file, KERNEL).expect("a file");
    let expected = (0..128_u32).map(|at| {
        let [x, y, z] = [at & 3, at >> 2 & 1, at >> 3 & 1];
        let [own, other, last] = [at >> 4 & 1, at >> 5 & 1, at >> 6];
        let products = x * own + y * other + z * last + x * other + y * last + z * own;
        products + x * other + y * own + z * other + last * x
    });
    let expected: Vec<String> = expected.map(|number| number.to_string()).collect();
    for engine in ["words", "unit", "system"] {
        let mut command = sim_cuda(&file, "six");
        command.args(["--engine", engine, "--preset", "small", "--arrays", "4", "--grid", "2,2,2", "--block", "4,2,2"]);
        let output = command.args(["--arg", "zero:f32:128", "--out", "0:-"]).output().expect("it runs");
        assert!(output.status.success(), "{engine}: {}", text(&output.stderr));
        let said = text(&output.stdout);
        assert_eq!(said.lines().take(128).collect::<Vec<_>>(), expected, "{engine}");
    }
}

#[test]
fn the_script_says_what_it_needs() {
    let said = |arguments: &[&str]| {
        let output = Command::new(script()).args(arguments).env("CLANG", "/nowhere/clang").output().expect("it runs");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        text(&output.stderr)
    };
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/cuda/vecadd.cu").display().to_string();
    assert!(said(&[]).starts_with("cu: a .cu file is needed"), "{}", said(&[]));
    assert!(said(&["/nowhere/a.cu"]).starts_with("cu: /nowhere/a.cu: cannot be read"));
    assert!(said(&[&example, "-o"]).starts_with("cu: -o: needs the program's name"));
    assert!(said(&[&example, &example]).contains("one .cu file at a time"));
    assert!(said(&[&example, "-o", "p", "--", "x"]).contains("no arguments behind --"));
    let missing = said(&[&example]);
    assert!(missing.contains("/nowhere/clang is not installed: apt-get install clang-19"), "{missing}");
}
