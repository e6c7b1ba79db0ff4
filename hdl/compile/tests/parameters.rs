//! Structures that are parameters, with fields at places that are computed: by the interpreter and by words, against
//! plain numbers.

use bitline_compile::launch::{Argument, Buffer, Plan};
use bitline_compile::ptx::ast::Module;
use bitline_compile::ptx::parse;
use bitline_compile::runtime::{Asked, Device, Engine};
use bitline_compile::words::Words;
use bitline_units::duality::DualityParams;
use pretty_assertions::assert_eq;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const THREADS: usize = 48;
/// As clang leaves them, with pointers of 64 and 32 bits, and without optimisation.
const FILES: [&str; 3] = ["parameters.ptx", "parameters32.ptx", "parameters-unoptimized.ptx"];

fn text(file: &str) -> String {
    let path = format!("{}/tests/parameters/{file}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("the file is there")
}

fn module(text: &str) -> Module {
    let module = parse("k.ptx", text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(parse("k.ptx", &module.to_string()).expect("PTX").without_places(), module.without_places());
    module
}

fn preset() -> DualityParams {
    DualityParams::preset("cb").expect("a preset")
}

/// The structure `Numbers` of the kernels.
struct Numbers {
    whole: f64,
    words: [i32; 8],
    bytes: [u8; 9],
    halves: [i16; 3],
    parts: [[f32; 2]; 2],
}

impl Numbers {
    fn random(random: &mut ChaCha8Rng) -> Numbers {
        let mut quarter = || random.random_range(-400..400) as f32 / 4.0;
        let parts = [[quarter(), quarter()], [quarter(), quarter()]];
        Numbers {
            words: random.random(),
            bytes: random.random(),
            halves: random.random(),
            whole: f64::from(random.random_range(-1_000_000..1_000_000)) / 8.0,
            parts,
        }
    }

    /// As it lies in memory: 72 bytes, of which a pad is anything.
    fn bytes(&self) -> Vec<u8> {
        let mut all = self.whole.to_le_bytes().to_vec();
        all.extend(self.words.iter().flat_map(|word| word.to_le_bytes()));
        all.extend(self.bytes);
        all.push(0xee);
        all.extend(self.halves.iter().flat_map(|half| half.to_le_bytes()));
        all.extend(self.parts.as_flattened().iter().flat_map(|part| part.to_le_bytes()));
        assert_eq!(all.len(), 72);
        all
    }

    fn argument(&self) -> Argument {
        bytes(&self.bytes())
    }
}

/// A structure, or a buffer.
fn bytes(bytes: &[u8]) -> Argument {
    Argument::Buffer(Buffer::of("u8".parse().expect("a type"), bytes.iter().map(|byte| u64::from(*byte))))
}

/// A kernel of each of the files leaves these numbers in its last buffer, on all engines.
fn check(kernel: &str, mut arguments: Vec<Argument>, expected: &[i32]) {
    let element = "s32".parse().expect("a type");
    arguments.push(Argument::Buffer(Buffer::of(element, vec![0; expected.len()])));
    let block = [expected.len() as u32 / 2, 1, 1];
    let plan = Plan { grid: [2, 1, 1], block, arguments, ..Plan::new(kernel) };
    let out = |buffers: &[Option<Buffer>]| -> Vec<i32> {
        let last = buffers.last().expect("it is there").as_ref().expect("a buffer");
        last.bits().map(|bits| bits as i32).collect()
    };
    let params = preset();
    for file in FILES {
        let module = module(&text(file));
        let interpreted = plan.interpret(&module, &mut |_, _| ()).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert_eq!(out(&interpreted.buffers), expected, "{file}: {kernel}");
        for (simple, general, arrays) in
            [(false, false, 1), (false, false, 2), (false, false, 4), (true, false, 1), (false, true, 1)]
        {
            let own = Words { arrays: Some(arrays), checked: true, tries: 2, simple, general, ..Words::new(&params) };
            let ran = plan.words(&module, &own).unwrap_or_else(|error| panic!("{file}: {error}"));
            assert_eq!(out(&ran.buffers), expected, "{file}: {kernel} {arrays} {simple} {general}");
        }
    }
}

#[test]
fn fields_of_all_widths() {
    let mut random = ChaCha8Rng::seed_from_u64(41);
    let s = Numbers::random(&mut random);
    let expected: Vec<i32> = (0..THREADS)
        .map(|i| {
            let sum = s.words[i & 7]
                .wrapping_add(1000 * i32::from(s.bytes[i % 9]))
                .wrapping_add(-3 * i32::from(s.halves[i % 3]));
            sum.wrapping_add((s.parts[i & 1][i >> 1 & 1] * 4.0) as i32).wrapping_add(s.whole as i32)
        })
        .collect();
    check("fields", vec!["u8:253".parse().expect("a number"), s.argument()], &expected);
}

#[test]
fn places_that_are_the_same_for_all_threads() {
    let mut random = ChaCha8Rng::seed_from_u64(42);
    let s = Numbers::random(&mut random);
    let turn = |sum: i32, at: usize, i: usize| {
        let sum = sum.wrapping_add(s.words[at & 7].wrapping_mul(at as i32));
        if at & i == 0 { sum } else { sum ^ i32::from(s.halves[at % 3]) }
    };
    for count in [0, 1, 11] {
        let expected: Vec<i32> = (0..THREADS).map(|i| (0..count).fold(0, |sum, at| turn(sum, at, i))).collect();
        check("loops", vec![s.argument(), format!("s32:{count}").parse().expect("a number")], &expected);
    }
}

#[test]
fn several_structures_and_one_that_changes() {
    let mut random = ChaCha8Rng::seed_from_u64(43);
    let (s, t) = (Numbers::random(&mut random), Numbers::random(&mut random));
    let expected: Vec<i32> = (0..16)
        .map(|i| {
            let one = if i & 1 == 1 { &s } else { &t };
            let sum = one.words[i >> 1 & 7].wrapping_sub(t.words[i & 3]);
            let mut own = s.words;
            own[i & 7] = own[i & 7].wrapping_add(5);
            sum.wrapping_add(own[2].wrapping_mul(16)).wrapping_add(own[i >> 2 & 7])
        })
        .collect();
    check("several", vec![s.argument(), t.argument()], &expected);
}

/// Pointers in structures, which a program puts there: where the memory is differs from launch to launch.
#[test]
fn structures_have_pointers_and_wide_numbers() {
    for (file, words) in FILES.iter().flat_map(|file| [(*file, false), (*file, true)]) {
        let wide = *file != *"parameters32.ptx";
        let engine = if words { Engine::Words } else { Engine::Interpreter };
        let mut device = Device::new(preset(), engine);
        assert_eq!(device.load(file, &text(file)), Ok(0));
        let mut places = [0_u64; 3];
        for (from, place) in places.iter_mut().enumerate() {
            *place = device.allocate(4 * THREADS as u64).expect("memory");
            let numbers: Vec<u8> = (0..THREADS as i32).flat_map(|i| (i - 100 * from as i32).to_le_bytes()).collect();
            device.write(*place, &numbers).expect("its own bytes");
        }
        let out = device.allocate(8 * THREADS as u64).expect("memory");
        for [first, second] in [[1 << 40, u64::MAX], [77, 3 << 33]] {
            let pointer = |place: u64| place.to_le_bytes()[..if wide { 8 } else { 4 }].to_vec();
            let mut structure: Vec<u8> = places.iter().flat_map(|place| pointer(*place)).collect();
            structure.extend([first, second].iter().flat_map(|wide| wide.to_le_bytes()));
            let arguments = vec![structure, pointer(out)];
            let (grid, block) = ([2, 1, 1], [THREADS as u32 / 2, 1, 1]);
            let asked = Asked { module: 0, kernel: "pointers".into(), grid, block, shared: 0, arguments };
            device.launch(&asked).unwrap_or_else(|status| panic!("{file}: {status:?}: {}", device.reason()));
            let found = device.read(out, 8 * THREADS as u64).expect("its own bytes");
            let found: Vec<u64> = found.chunks(8).map(|one| u64::from_le_bytes(one.try_into().expect("8"))).collect();
            let own = |i: usize| (i as i64 - 100 * (i % 3) as i64) as u64;
            let expected: Vec<u64> = (0..THREADS).map(|i| [first, second][i & 1].wrapping_add(own(i))).collect();
            assert_eq!(found, expected, "{file}");
        }
    }
}

/// Generic addresses of parameters, in choices with those of other memory; and which space they are of.
#[test]
fn generic_addresses_lead_to_parameters() {
    for (pointers, cvt) in [(32, "mov.u32"), (64, "cvt.u64.u32")] {
        let p = format!("u{pointers}");
        let ask = |(at, space): (usize, &str)| {
            format!("isspacep.{space} %p1, %a1; selp.u32 %r5, {}, 0, %p1; or.b32 %r3, %r3, %r5;\n", 1024 << at)
        };
        let questions: String =
            ["param", "global", "const", "shared", "local"].into_iter().enumerate().map(ask).collect();
        let text = format!(
            ".version 7.8\n.target sm_70\n.address_size {pointers}\n.const .align 4 .u32 c[4] = {{50, 51, 52, 53}};\n\
             .visible .entry k(.param .u16 n, .param .align 4 .b8 s[16], .param .{p} out)\n{{\n\
             .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b{pointers} %a<9>; .shared .align 4 .b8 own[16];\n\
             mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 3; shl.b32 %r2, %r2, 2; {cvt} %a5, %r2;\n\
             mov.{p} %a2, own; add.{p} %a2, %a2, %a5; st.shared.u32 [%a2], %r1; bar.sync 0;\n\
             cvta.param.{p} %a1, s; mov.{p} %a3, s; add.{p} %a3, %a3, %a5; ld.param.u32 %r6, [%a3];\n\
             cvta.param.{p} %a6, %a3; cvta.to.param.{p} %a7, %a6; ld.param.u8 %r7, [%a7+1];\n\
             setp.lt.u32 %p2, %r1, 4; @%p2 bra B; mov.{p} %a2, c; cvta.const.{p} %a1, %a2;\n\
             setp.lt.u32 %p2, %r1, 8; @%p2 bra B; mov.{p} %a2, own; cvta.shared.{p} %a1, %a2;\n\
             B: mov.u32 %r3, 0;\n{questions}add.{p} %a2, %a1, %a5; ld.u32 %r4, [%a2]; add.u32 %r3, %r3, %r4;\n\
             add.u32 %r3, %r3, %r6; add.u32 %r3, %r3, %r7; ld.u32 %r4, [%a1]; add.u32 %r3, %r3, %r4;\n\
             ld.param.u16 %r4, [n]; add.u32 %r3, %r3, %r4;\n\
             shl.b32 %r5, %r1, 2; {cvt} %a3, %r5; ld.param.{p} %a4, [out]; add.{p} %a4, %a4, %a3;\n\
             st.global.u32 [%a4], %r3; ret;\n}}"
        );
        let module = module(&text);
        let s = [0x0105_u64, 0x0206, 0x0307, 0x0408];
        let structure = Argument::Buffer(Buffer::of("u32".parse().expect("a type"), s));
        let arguments = vec!["u16:9".parse().expect("a number"), structure, "zero:u32:12".parse().expect("a buffer")];
        let plan = Plan { block: [12, 1, 1], arguments, ..Plan::new("k") };
        let expected: Vec<u64> = (0..12)
            .map(|i| {
                let (at, own) = (i & 3, [8, 9, 10, 11]);
                let named = s[at] + (s[at] >> 8) + 9;
                named
                    + match i / 4 {
                        0 => 3072 + s[at] + s[0],
                        1 => 4096 + 50 + at as u64 + 50,
                        _ => 8192 + own[at] + own[0],
                    }
            })
            .collect();
        let out = |buffers: &[Option<Buffer>]| buffers[2].as_ref().expect("a buffer").bits().collect::<Vec<_>>();
        let interpreted = plan.interpret(&module, &mut |_, _| ()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(out(&interpreted.buffers), expected, "{pointers}");
        assert_eq!(interpreted.buffers[1].as_ref().expect("the structure").bits().collect::<Vec<_>>(), s);
        let params = preset();
        for arrays in [1, 2, 4] {
            let words = Words { arrays: Some(arrays), checked: true, ..Words::new(&params) };
            let ran = plan.words(&module, &words).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(out(&ran.buffers), expected, "{pointers} {arrays}");
            assert_eq!(ran.buffers[1].as_ref().expect("the structure").bits().collect::<Vec<_>>(), s);
        }
    }
}

/// What lies outside of the parameter, or is not aligned, is an error with thread and line, as of any memory.
#[test]
fn the_interpreter_looks_at_every_access() {
    let run = |line: &str| {
        let text = format!(
            ".version 7.8\n.target sm_70\n.address_size 64\n\
             .visible .entry k(.param .align 8 .b8 s[20], .param .u64 out)\n{{\n\
             .reg .b32 %r<9>; .reg .b64 %a<9>; mov.u32 %r1, %tid.x; mul.wide.u32 %a1, %r1, 4; mov.u64 %a2, s;\n\
             add.u64 %a3, %a1, %a2; cvta.param.u64 %a4, %a3;\n{line}\nret;\n}}"
        );
        let arguments = vec!["steps:u32:5:1".parse().expect("legal"), "zero:u32:8".parse().expect("legal")];
        let plan = Plan { block: [6, 1, 1], arguments, ..Plan::new("k") };
        plan.interpret(&module(&text), &mut |_, _| ()).expect_err(line).to_string()
    };
    let who = |thread: u32| format!("k.ptx, line 8: block (0, 0, 0), thread ({thread}, 0, 0): ");
    let beyond = "in no parameter; the one below, s, has 20 bytes, and this is its byte";
    for (line, thread, reason) in [
        ("ld.param.u32 %r2, [%a3];", 5, format!("`ld.param.u32`: param address 0x14, 4 bytes: {beyond} 20")),
        ("ld.u32 %r2, [%a4+8];", 3, format!("`ld.u32`: param address 0x14, 4 bytes: {beyond} 20")),
        ("ld.param.u64 %a5, [%a2+16];", 0, format!("`ld.param.u64`: param address 0x10, 8 bytes: {beyond} 16")),
        ("ld.param.u32 %r2, [%a3+-4];", 0, "`ld.param.u32`: param address 0xfffffffffffffffc".to_string()),
        ("ld.param.u64 %a5, [%a3];", 1, "`ld.param.u64`: param address 0x4: must be a multiple of 8".to_string()),
        ("st.u32 [%a4], 1;", 0, "`st.u32`: param memory cannot be written".to_string()),
    ] {
        let said = run(line);
        assert!(said.starts_with(&(who(thread) + &reason)), "{said}");
    }
}

/// A structure has as many bytes as the kernel says, and is no number; functions have no address of what is passed.
#[test]
fn what_is_no_structure_is_refused() {
    let module = module(&text("parameters.ptx"));
    let run = |argument: &str| {
        let arguments = [argument, "s32:1", "zero:s32:48"].map(|text| text.parse().expect("legal")).to_vec();
        Plan { arguments, ..Plan::new("loops") }.interpret(&module, &mut |_, _| ()).map(drop)
    };
    assert!(run("zero:u8:72").is_ok() && run("zero:f64:9").is_ok());
    let rule = "loops takes a structure of 72 bytes here: a buffer of as many";
    for (argument, shown) in
        [("zero:u8:71", "a buffer of 71 u8"), ("s32:5", "s32:5"), ("local:u8:72", "72 bytes of shared memory")]
    {
        let error = run(argument).expect_err(argument).to_string();
        assert_eq!(error, format!("argument 0 (loops_param_0) = {shown}: {rule}"));
    }
    let text = ".version 6.0\n.target sm_50\n.address_size 32\n.func f(.param .b32 a) { ret; }\n.visible .entry k()\n\
                {\n.reg .b32 %r<2>; .param .b32 p; mov.u32 %r1, p; ret;\n}";
    let error = parse("k.ptx", text).expect_err("no address").to_string();
    assert!(error.ends_with("p: what is passed to a function, or comes back from one, has no address"), "{error}");
}
