//! Addresses of 64 bits: words, which use the lower half, stop where the interpreter of PTX does, though there may be
//! memory where the lower half alone would lead.

use crate::common::launches::preset;
use bitline_compile::launch::{Argument, Buffer, Plan};
use bitline_compile::ptx::{ast::Module, parse};
use bitline_compile::words::Words;
use bitline_units::duality::isa::codes::GENERIC_SHARED;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Threads of a launch, in two blocks.
const THREADS: usize = 24;
/// Elements of the buffer that is read.
const ELEMENTS: i128 = 64;

/// How an element's number becomes bytes: the lines that make `%d9` of it, the factor, and what the number may be.
struct Form {
    lines: &'static str,
    factor: i128,
    numbers: std::ops::Range<i128>,
}

const INT: std::ops::Range<i128> = -(1 << 31)..1 << 31;
const CARDINAL: std::ops::Range<i128> = 0..1 << 32;
const LONG: std::ops::Range<i128> = -(1 << 62)..1 << 62;

/// Of the number `%r1`, or `%d1` with all of its bits.
const FORMS: [Form; 14] = [
    Form { lines: "mul.wide.s32 %d9, %r1, 4;", factor: 4, numbers: INT },
    Form { lines: "mul.wide.u32 %d9, %r1, 4;", factor: 4, numbers: CARDINAL },
    Form { lines: "mul.wide.s32 %d9, %r1, -12;", factor: -12, numbers: INT },
    Form { lines: "mul.wide.u32 %d9, %r1, 12;", factor: 12, numbers: CARDINAL },
    Form { lines: "cvt.s64.s32 %d2, %r1; shl.b64 %d9, %d2, 3;", factor: 8, numbers: INT },
    Form { lines: "cvt.u64.u32 %d2, %r1; mul.lo.s64 %d9, %d2, 20;", factor: 20, numbers: CARDINAL },
    Form { lines: "mov.u32 %r2, 4; mul.wide.s32 %d9, %r1, %r2;", factor: 4, numbers: INT },
    Form { lines: "ld.global.u32 %r2, [%d8]; mul.wide.s32 %d9, %r1, %r2;", factor: 4, numbers: INT },
    Form { lines: "shl.b64 %d9, %d1, 2;", factor: 4, numbers: LONG },
    Form { lines: "mul.lo.s64 %d9, %d1, 4;", factor: 4, numbers: LONG },
    Form { lines: "mov.u64 %d9, %d1;", factor: 1, numbers: LONG },
    Form { lines: "mov.u64 %d7, 0; mad.wide.s32 %d9, %r1, 8, %d7;", factor: 8, numbers: INT },
    Form { lines: "mov.u64 %d7, 0; mad.lo.s64 %d9, %d1, 4, %d7;", factor: 4, numbers: LONG },
    Form { lines: "neg.s64 %d2, %d1; shl.b64 %d9, %d2, 2;", factor: -4, numbers: LONG },
];

/// How the address comes from the pointer `%d0` and the bytes `%d9`: lines, which may take them away from it.
const SUMS: [(&str, i128); 11] = [
    ("add.s64 %d3, %d0, %d9;", 1),
    ("add.s64 %d3, %d9, %d0;", 1),
    ("sub.s64 %d3, %d0, %d9;", -1),
    ("neg.s64 %d9, %d9; sub.s64 %d3, %d0, %d9;", 1),
    ("add.s64 %d4, %d9, 1024; add.s64 %d3, %d0, %d4; sub.s64 %d3, %d3, 1024;", 1),
    ("add.s64 %d4, %d0, 512; sub.s64 %d5, %d9, 512; add.s64 %d3, %d4, %d5;", 1),
    ("sub.s64 %d4, %d9, 100000; add.s64 %d3, %d0, %d4;", 1),
    ("mov.b64 %d3, %d9; add.s64 %d3, %d3, %d0;\nsetp.eq.s64 %p5, %d3, 3; @%p5 add.s64 %d3, %d3, 4;", 1),
    ("mov.u64 %d3, %d0; @%p1 add.s64 %d3, %d3, %d9;", 1),
    // An address from memory, two at once.
    (
        "add.s64 %d5, %d0, %d9; mul.wide.u32 %d6, %r12, 16; mov.u64 %d7, pair; add.s64 %d6, %d6, %d7;\n\
         mul.wide.s32 %d3, %r1, 1999999973; add.s64 %d3, %d3, %d0; st.shared.v2.u64 [%d6], {%d9, %d5};\n\
         ld.shared.v2.u64 {%d4, %d3}, [%d6];",
        1,
    ),
    (
        "mov.u64 %d3, %d0;\nmov.u32 %r4, 0;\nT: shr.s64 %d4, %d9, 2; add.s64 %d3, %d3, %d4; add.s32 %r4, %r4, 1; \
         setp.lt.s32 %p4, %r4, 4; @%p4 bra T;",
        1,
    ),
];

/// A kernel of which each thread reads an element; the numbers of elements, and the threads that read beyond memory.
fn kernel(seed: u64) -> (String, Vec<i128>, Vec<usize>) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let form = FORMS.choose(&mut random).expect("some");
    let (sum, sign) = SUMS.choose(&mut random).expect("some");
    let access = ["ld.global.u32 %r5, [%d3];", "ld.u32 %r5, [%d3];", "atom.global.add.u32 %r5, [%d3], 0;"];
    let access = access.choose(&mut random).expect("some");
    let access = if sum.contains("100000") { access.replace("[%d3]", "[%d3+100000]") } else { access.to_string() };
    // All threads, or those whose number has a bit; a guard, or a branch.
    let (begin, end) = [("", ""), ("@%p1 ", ""), ("@!%p1 bra E; ", "\nE:")][random.random_range(0..3)];
    let quarter = sum.contains('T');
    let text = format!(
        ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry k(.param .u64 elements, .param .u64 numbers, \
         .param .u64 out, .param .u64 four)\n{{\n.reg .pred %p<9>; .reg .b32 %r<19>; .reg .b64 %d<19>;\n\
         .shared .align 4 .b8 tile[256]; .shared .align 16 .b8 pair[192];\n\
         ld.param.u64 %d0, [elements]; ld.param.u64 %d10, [numbers]; ld.param.u64 %d11, [out];\n\
         ld.param.u64 %d8, [four];\n\
         mov.u32 %r10, %ctaid.x; mov.u32 %r11, %ntid.x; mov.u32 %r12, %tid.x; mad.lo.s32 %r0, %r10, %r11, %r12;\n\
         mul.wide.u32 %d12, %r0, 8; add.s64 %d10, %d10, %d12; ld.global.u64 %d1, [%d10]; ld.global.u32 %r1, [%d10];\n\
         and.b32 %r13, %r0, 2; setp.ne.u32 %p1, %r13, 0; mov.u32 %r5, 7;\n\
         {}\n{sum}\n{begin}{access}{end}\n\
         mul.wide.u32 %d13, %r0, 4; add.s64 %d13, %d11, %d13; st.global.u32 [%d13], %r5;\nret;\n}}",
        form.lines
    );
    let factor = form.factor * sign;
    // So far away the lower half is the same.
    let away = (1_i128 << 32) >> factor.trailing_zeros().min(32);
    // In the window of shared memory, as far as the lower half says, of a pointer to the first buffer.
    let window = i128::from(GENERIC_SHARED) - (1 << 32) + 64 - (0x1_0000 + 128);
    let window = Some(window / factor).filter(|_| window % factor == 0 && access.contains("ld.u32"));
    // Each kind of wrong number by itself.
    let times = if window.is_some() && random.random_bool(0.5) { &[][..] } else { &[-2, -1, 1, 2, 4] };
    let window = window.filter(|_| times.is_empty());
    let threads = |wrong: bool, random: &mut ChaCha8Rng| {
        let mut numbers = Vec::new();
        let mut beyond = Vec::new();
        for thread in 0..THREADS {
            let limit = ELEMENTS / 2 * 4 / factor.abs() - 1;
            let low = if form.numbers.start < 0 { -limit } else { 0 };
            // What some threads do not add leads them nowhere.
            let adds = !sum.contains("@%p1") || thread & 2 != 0;
            let mut number = random.random_range(low..=limit);
            number -= if factor.abs() == 1 || quarter { number % 4 } else { 0 };
            let reads = begin.is_empty() || thread & 2 != 0;
            let others = [-2, -1, 1, 2, 4].map(|times| number + times * away);
            let others: Vec<i128> =
                others.into_iter().chain(window).filter(|other| form.numbers.contains(other)).collect();
            if let Some(other) = others.choose(random).filter(|_| wrong && (thread == 10 || random.random_bool(0.1))) {
                number = *other;
                beyond.extend((reads && adds).then_some(thread));
            }
            numbers.push(number);
        }
        (numbers, beyond)
    };
    let wrong = random.random_bool(0.7);
    let (numbers, beyond) = threads(wrong, &mut random);
    // Half of the elements are below what numbers count from. A pointer is an address of global memory, any number, or
    // a generic address of shared memory, to which each block has copied them.
    let pointer = match random.random_range(0..3) {
        0 => "st.shared.u32 [tile+252], 5; cvta.to.global.u64 %d15, %d14;".to_string(),
        1 => "st.shared.u32 [tile+252], 5; mov.u64 %d15, %d14;".to_string(),
        _ => {
            let copy = |at: u32| {
                let at = at * THREADS as u32 / 2 * 4;
                format!(
                    "setp.lt.u32 %p7, %r15, {}; @%p7 ld.global.u32 %r16, [%d14+{at}]; @%p7 st.shared.u32 [%d17+{at}], \
                     %r16;\n",
                    4 * ELEMENTS as u32 - at
                )
            };
            let copies: String = (0..6).map(copy).collect();
            format!(
                "mov.u32 %r12, %tid.x; shl.b32 %r15, %r12, 2; cvt.u64.u32 %d16, %r15; add.s64 %d14, %d14, %d16;\n\
                 mov.u64 %d18, tile; add.s64 %d17, %d18, %d16;\n\
                 {copies}bar.sync 0; mov.u64 %d16, tile; cvta.shared.u64 %d15, %d16;"
            )
        }
    };
    let text = if pointer.contains("tile") {
        text.replace("global.u32 %r5", "u32 %r5").replace("global.add", "add")
    } else {
        text
    };
    let pointer = format!("ld.param.u64 %d14, [elements]; {pointer} add.s64 %d0, %d15, 128;");
    (text.replace("ld.param.u64 %d0, [elements];", &pointer), numbers, beyond)
}

fn plan(numbers: &[i128]) -> Plan {
    let element = |name: &str| name.parse().expect("a type");
    let buffer = |ty: &str, bits: Vec<u64>| Argument::Buffer(Buffer::of(element(ty), bits));
    // The pointer is to the middle.
    let arguments = vec![
        buffer("u32", (0..ELEMENTS as u64).map(|at| at * 3 + 1).collect()),
        buffer("u64", numbers.iter().map(|number| *number as u64).collect()),
        buffer("u32", vec![0; THREADS]),
        buffer("u32", vec![4]),
    ];
    Plan { grid: [2, 1, 1], block: [THREADS as u32 / 2, 1, 1], arguments, ..Plan::new("k") }
}

fn module(text: &str) -> Module {
    parse("k.ptx", text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[test]
fn what_is_no_memory_is_none_in_its_lower_half() {
    let params = preset("cb");
    let (mut wrong, mut right) = (0, 0);
    let seeds = if std::env::var_os("BITLINE_DEEP").is_some() { 4000 } else { 160 };
    for seed in 0..seeds {
        let (text, numbers, beyond) = kernel(seed);
        let (module, plan) = (module(&text), plan(&numbers));
        let interpreted = plan.interpret(&module, &mut |_, _| ());
        assert_eq!(interpreted.is_err(), !beyond.is_empty(), "seed {seed}: {numbers:?}\n{text}");
        let words = Words {
            arrays: Some([1, 2, 4][seed as usize % 3]),
            general: seed % 5 == 0,
            tries: 2,
            checked: true,
            ..Words::new(&params)
        };
        let ran = plan.words(&module, &words);
        match interpreted {
            Ok(interpreted) => {
                let ran = ran.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{numbers:?}\n{text}"));
                assert_eq!(ran.buffers, interpreted.buffers, "seed {seed}\n{text}");
                right += 1;
            }
            Err(_) => {
                let error = ran.err().unwrap_or_else(|| panic!("seed {seed}: {beyond:?} of {numbers:?}\n{text}"));
                let error = error.to_string();
                let thread = beyond.iter().any(|thread| {
                    let [block, thread] = [thread / (THREADS / 2), thread % (THREADS / 2)];
                    error.contains(&format!("block ({block}, 0, 0), thread ({thread}, 0, 0)"))
                });
                assert!(thread && error.contains("trap "), "seed {seed}: {beyond:?} {error}\n{text}");
                wrong += 1;
            }
        }
    }
    assert!(wrong > 40 && right > 40, "{wrong} {right}");
}

/// Of more parameters than there are scalar registers for some are read from memory, where a pointer that leads nowhere
/// does so, too.
#[test]
fn pointers_among_many_parameters_lead_nowhere() {
    let count = 18;
    let names = |each: &dyn Fn(usize) -> String| (0..count).map(each).collect::<Vec<_>>();
    let text = format!(
        ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry k({})\n{{\n\
         .reg .b64 %d<40>; .reg .b32 %r<2>;\n{}\n\
         ld.param.u64 %d30, [p0]; cvta.to.global.u64 %d31, %d30; ld.param.u64 %d32, [p17];\n\
         cvta.to.global.u64 %d33, %d32; {}\nld.global.u32 %r1, [%d33]; st.global.u32 [%d31], %r1; ret;\n}}",
        names(&|at| format!(".param .u64 p{at}")).join(", "),
        names(&|at| if at % 17 == 0 { String::new() } else { format!("ld.param.u64 %d{at}, [p{at}];") }).join(" "),
        names(&|at| if at % 17 == 0 { String::new() } else { format!("st.global.u64 [%d31+{}], %d{at};", 8 * at) })
            .join(" "),
    );
    let module = parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let params = preset("cb");
    // The buffer is the first one of memory.
    for (place, right) in [(0x1_0008, true), (0x1_0001_0008, false), (0x7fff_0001_0008, false)] {
        let element = |name: &str| name.parse().expect("a type");
        let mut arguments = vec![Argument::Buffer(Buffer::of(element("u64"), vec![7; count]))];
        arguments.extend((1..17).map(|at| Argument::Number { element: element("u64"), bits: at << 40 | at }));
        arguments.push(Argument::Number { element: element("u64"), bits: place });
        let plan = Plan { block: [1, 1, 1], arguments, ..Plan::new("k") };
        let interpreted = plan.interpret(&module, &mut |_, _| ()).map(|ran| ran.buffers);
        let ran = plan.words(&module, &Words { arrays: Some(1), ..Words::new(&params) }).map(|ran| ran.buffers);
        assert_eq!((interpreted.is_ok(), ran.is_ok()), (right, right), "{place:#x} {ran:?}");
        if right {
            assert_eq!(interpreted.expect("it ends"), ran.expect("it ends"));
        }
    }
}
