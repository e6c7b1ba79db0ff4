//! Lines of PTX on three numbers for each thread, by the interpreter and by words.

use bitline_compile::launch::{Argument, Buffer, Plan};
use bitline_compile::ptx::parse;
use bitline_compile::words::Words;
use bitline_units::duality::DualityParams;
use rand::{Rng, SeedableRng};

/// A kernel in which these lines find three numbers of 64 bits in `%a0` to `%a2`, and their lower halves in `%b0` to
/// `%b2`; what is in `%d8` and `%d9` then it stores.
fn text(lines: &str) -> String {
    format!(
        ".version 7.0\n.target sm_80\n.address_size 32\n\
         .visible .entry k(.param .u32 a, .param .u32 b, .param .u32 c, .param .u32 d)\n{{\n\
         .reg .pred %p<9>; .reg .b16 %h<20>; .reg .b32 %r<40>, %b<3>; .reg .b64 %d<20>, %a<3>; .reg .f32 %f<9>;\n\
         .reg .f64 %g<9>; .reg .b32 %x<9>; mov.b64 %d8, 0; mov.b64 %d9, 0;\n\
         mov.u32 %x1, %tid.x; mov.u32 %x2, %ctaid.x; mov.u32 %x3, %ntid.x; mad.lo.s32 %x4, %x2, %x3, %x1;\n\
         shl.b32 %x5, %x4, 3; shl.b32 %x6, %x4, 4;\n\
         ld.param.u32 %x0, [a]; add.s32 %x0, %x0, %x5; ld.global.u64 %a0, [%x0]; cvt.u32.u64 %b0, %a0;\n\
         ld.param.u32 %x0, [b]; add.s32 %x0, %x0, %x5; ld.global.u64 %a1, [%x0]; cvt.u32.u64 %b1, %a1;\n\
         ld.param.u32 %x0, [c]; add.s32 %x0, %x0, %x5; ld.global.u64 %a2, [%x0]; cvt.u32.u64 %b2, %a2;\n\
         {lines}\nld.param.u32 %x0, [d]; add.s32 %x0, %x0, %x6;\n\
         st.global.u64 [%x0], %d8; st.global.u64 [%x0+8], %d9; ret;\n}}"
    )
}

/// What each thread has in `%d8` and `%d9`, of blocks with `block` threads: the interpreter and words say the same, by
/// way of `same`.
pub fn both(lines: &str, block: u32, numbers: &[[u64; 3]], same: fn(u64) -> u64) -> Vec<[u64; 2]> {
    let text = text(lines);
    let module = parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let element = || "u64".parse().expect("a type");
    let grid = numbers.len() as u32 / block;
    assert_eq!(numbers.len() as u32, grid * block, "whole blocks");
    let mut arguments: Vec<Argument> =
        (0..3).map(|at| Argument::Buffer(Buffer::of(element(), numbers.iter().map(|three| three[at])))).collect();
    arguments.push(Argument::Buffer(Buffer::of(element(), (0..2 * numbers.len()).map(|_| 0))));
    let plan = Plan { grid: [grid, 1, 1], block: [block, 1, 1], arguments, ..Plan::new("k") };
    let bits = |buffers: &[Option<Buffer>]| buffers[3].as_ref().expect("a buffer").bits().collect::<Vec<u64>>();
    let expected = plan.interpret(&module, &mut |_, _| ()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let expected = bits(&expected.buffers);
    let params = DualityParams::preset("cb").expect("a preset");
    let words = Words { checked: true, tries: 0, ..Words::new(&params) };
    let ran = plan.words(&module, &words).unwrap_or_else(|error| panic!("{error}\n{text}"));
    for (at, (found, expected)) in bits(&ran.buffers).into_iter().zip(&expected).enumerate() {
        let (found, expected) = (same(found), same(*expected));
        let numbers = numbers[at / 2];
        assert_eq!(found, expected, "{lines}\nof {numbers:x?}, result {}: {found:#x}, not {expected:#x}", at % 2);
    }
    expected.chunks(2).map(|two| [two[0], two[1]]).collect()
}

/// Runs lines that store integers, and compares with what plain arithmetic makes of the same numbers.
pub fn check(lines: &str, numbers: &[[u64; 3]], expected: impl Fn([u64; 3]) -> [u64; 2]) {
    let found = both(lines, numbers.len() as u32 / 4, numbers, |bits| bits);
    for (numbers, found) in numbers.iter().zip(found) {
        let expected = expected(*numbers);
        assert_eq!(found, expected, "{lines}\nof {numbers:x?}: {found:x?}, not {expected:x?}");
    }
}

/// Three numbers for each of 256 threads: pairs of edges first, then any.
pub fn numbers(seed: u64) -> Vec<[u64; 3]> {
    println!("seed {seed}");
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    let edges = [0, 1, 2, 31, 32, 33, u64::MAX, u64::MAX - 1, 1 << 31, 1 << 63, 0x7fff_ffff, (1 << 63) - 1];
    let mut found = Vec::new();
    for thread in 0..256 {
        let any = [random.random(), random.random(), random.random()];
        let small = random.random_range(0..40);
        found.push(match thread {
            0..144 => [edges[thread / 12], edges[thread % 12], edges[(thread / 12 + thread) % 12]],
            144..180 => [any[0], small, any[1] & 63],
            180..210 => [any[0], any[1], small],
            _ => any,
        });
    }
    found
}
