//! Exchanges in warps: the interpreter against plain Rust, and words against the interpreter.

use bitline_compile::launch::{Argument, Buffer, Element, Plan};
use bitline_compile::ptx::parse;
use bitline_compile::words::Words;
use bitline_units::duality::DualityParams;
use pretty_assertions::assert_eq;

/// A kernel that brings `values[thread]` into %r1 and `amounts[thread]` into %r2, and stores %r9.
fn kernel(body: &str) -> String {
    format!(
        ".version 6.0\n.target sm_50\n.address_size 32\n\
         .visible .entry k(.param .u32 v, .param .u32 b, .param .u32 d)\n{{\n\
         .reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %rd<3>;\n\
         ld.param.u32 %r20, [v]; ld.param.u32 %r21, [b]; ld.param.u32 %r22, [d];\n\
         mov.u32 %r23, %tid.x; mov.u32 %r24, %ctaid.x; mov.u32 %r25, %ntid.x; mov.u32 %r29, %tid.y;\n\
         mov.u32 %r30, %ntid.y; mad.lo.s32 %r31, %r29, %r25, %r23; mul.lo.s32 %r32, %r25, %r30;\n\
         mad.lo.s32 %r26, %r24, %r32, %r31; shl.b32 %r27, %r26, 2;\n\
         add.s32 %r20, %r20, %r27; add.s32 %r21, %r21, %r27; add.s32 %r22, %r22, %r27;\n\
         ld.global.u32 %r1, [%r20]; ld.global.u32 %r2, [%r21]; mov.u32 %r28, %laneid; setp.lt.s32 %p1, %r1, 0;\n\
         {body}\nst.global.u32 [%r22], %r9; ret;\n}}"
    )
}

const BLOCKS: u32 = 3;

/// Runs it on blocks of this size, by words of a design with a crossbar of so many threads at a time, with none for 0,
/// or by the interpreter; gives values, amounts and what was stored.
fn run(body: &str, block: [u32; 3], words: Option<usize>) -> Result<[Vec<u64>; 3], String> {
    let module = parse("k.ptx", &kernel(body)).map_err(|error| error.to_string())?;
    let count = u64::from(BLOCKS * block.iter().product::<u32>());
    let element = |name: &str| name.parse::<Element>().expect("a type");
    let random = |seed, range| Buffer::random(element("s32"), count, seed, range).expect("numbers");
    let values = random(3, None);
    let amounts = random(4, Some(("0", "31")));
    let zeros = Buffer::of(element("s32"), (0..count).map(|_| 0));
    let arguments = [&values, &amounts, &zeros].map(|buffer| Argument::Buffer(buffer.clone())).to_vec();
    let plan = Plan { grid: [BLOCKS, 1, 1], block, arguments, ..Plan::new("k") };
    let buffers = if let Some(crossbar) = words {
        let params = DualityParams { crossbar, ..DualityParams::preset("small").expect("a preset") };
        plan.words(&module, &Words { checked: true, tries: 2, ..Words::new(&params) }).map(|ran| ran.buffers)
    } else {
        plan.interpret(&module, &mut |_, _| ()).map(|outcome| outcome.buffers)
    };
    let bits = |buffer: &Buffer| buffer.bits().collect::<Vec<_>>();
    let found = buffers.map_err(|error| error.to_string())?;
    Ok([bits(&values), bits(&amounts), bits(found[2].as_ref().expect("a buffer"))])
}

/// What it stores, by the interpreter, by words, and by plain Rust: `expected` of the warp's values and amounts, and a
/// lane.
fn same(body: &str, block: [u32; 3], expected: impl Fn(&[u32], &[u32], usize) -> u32) {
    let found = run(body, block, None).unwrap_or_else(|error| panic!("{body}: {error}"));
    let words = [0, 64].map(|crossbar| run(body, block, Some(crossbar)).unwrap_or_else(|e| panic!("{body}: {e}")));
    let [values, amounts, stored] = found.map(|bits| bits.iter().map(|bits| *bits as u32).collect::<Vec<_>>());
    let threads = block.iter().product::<u32>() as usize;
    let mut wanted = Vec::new();
    for (values, amounts) in values.chunks(threads).zip(amounts.chunks(threads)) {
        for (values, amounts) in values.chunks(32).zip(amounts.chunks(32)) {
            wanted.extend((0..values.len()).map(|lane| expected(values, amounts, lane)));
        }
    }
    assert_eq!(stored, wanted, "{body}");
    for (words, crossbar) in words.iter().zip(["no crossbar", "a crossbar"]) {
        let stored: Vec<u32> = words[2].iter().map(|bits| *bits as u32).collect();
        assert_eq!(stored, wanted, "words of {body}, {crossbar}");
    }
}

const WHOLE: [[u32; 3]; 2] = [[64, 1, 1], [16, 4, 1]];

#[test]
fn shuffles() {
    for block in WHOLE {
        let all = "shfl.sync";
        same(&format!("{all}.idx.b32 %r9, %r1, 5, 31, -1;"), block, |v, _, _| v[5]);
        same(&format!("{all}.idx.b32 %r9, %r1, %r2, 31, -1;"), block, |v, b, lane| v[b[lane] as usize]);
        same(&format!("{all}.up.b32 %r9, %r1, %r2, 0, -1;"), block, |v, b, lane| {
            v[lane.checked_sub(b[lane] as usize).unwrap_or(lane)]
        });
        same(&format!("{all}.down.b32 %r9, %r1, 16, 31, -1;"), block, |v, _, lane| {
            v[if lane < 16 { lane + 16 } else { lane }]
        });
        same(&format!("{all}.bfly.b32 %r9, %r1, %r2, 31, -1;"), block, |v, b, lane| v[lane ^ b[lane] as usize]);
        // Segments of 8 lanes: bits 12 to 8 of c are 24.
        same(&format!("{all}.idx.b32 %r9, %r1, %r2, 6175, -1;"), block, |v, b, lane| {
            v[lane / 8 * 8 + b[lane] as usize % 8]
        });
        same(&format!("{all}.down.b32 %r9|%p2, %r1, 3, 6151, -1;\n@%p2 add.s32 %r9, %r9, 1;"), block, |v, _, lane| {
            if lane % 8 < 5 { v[lane + 3].wrapping_add(1) } else { v[lane] }
        });
        same(&format!("{all}.up.b32 %r9|%p2, %r1, 2, 6144, -1;\n@!%p2 mov.u32 %r9, 7;"), block, |v, _, lane| {
            if lane % 8 >= 2 { v[lane - 2] } else { 7 }
        });
        // A width that is in a register, a result in the place of the value.
        same(
            &format!("mov.u32 %r9, %r1; mov.u32 %r3, 7199; mov.u32 %r4, -1;\n{all}.bfly.b32 %r9, %r9, 1, %r3, %r4;"),
            block,
            |v, _, lane| v[lane ^ 1],
        );
    }
}

#[test]
fn votes_and_reductions() {
    let negative = |value: &u32| (*value as i32) < 0;
    for block in WHOLE {
        same("vote.sync.ballot.b32 %r9, %p1, -1;", block, |v, _, _| {
            (0..32).map(|lane| u32::from(negative(&v[lane])) << lane).sum()
        });
        same("vote.sync.ballot.b32 %r9, !%p1, 0xffffffff;", block, |v, _, _| {
            (0..32).map(|lane| u32::from(!negative(&v[lane])) << lane).sum()
        });
        let voted = |how: &str| {
            format!(
                "setp.gt.u32 %p3, %r2, 0; vote.sync.{how}.pred %p2, %p3, -1; selp.b32 %r9, 1, 0, %p2;\n\
                 setp.ge.u32 %p3, %r2, 0; vote.sync.{how}.pred %p2, %p3, -1; selp.b32 %r3, 2, 0, %p2;\n\
                 or.b32 %r9, %r9, %r3; vote.sync.{how}.pred %p2, !%p3, -1; selp.b32 %r3, 4, 0, %p2;\n\
                 or.b32 %r9, %r9, %r3;"
            )
        };
        let some = |b: &[u32]| u32::from(b.iter().any(|b| *b > 0));
        let every = |b: &[u32]| u32::from(b.iter().all(|b| *b > 0));
        same(&voted("any"), block, |_, b, _| some(b) | 2);
        same(&voted("all"), block, |_, b, _| every(b) | 2);
        same(&voted("uni"), block, |_, b, _| u32::from(some(b) == every(b)) | 2 | 4);
        let signed = |v: &[u32]| v.iter().map(|v| *v as i32).collect::<Vec<_>>();
        same("redux.sync.add.s32 %r9, %r1, -1;", block, |v, _, _| v.iter().fold(0, |sum, v| sum.wrapping_add(*v)));
        same("redux.sync.min.s32 %r9, %r1, -1;", block, |v, _, _| *signed(v).iter().min().expect("32") as u32);
        same("redux.sync.max.s32 %r9, %r1, -1;", block, |v, _, _| *signed(v).iter().max().expect("32") as u32);
        same("redux.sync.min.u32 %r9, %r1, -1;", block, |v, _, _| *v.iter().min().expect("32"));
        same("redux.sync.max.u32 %r9, %r1, -1;", block, |v, _, _| *v.iter().max().expect("32"));
        same("redux.sync.and.b32 %r9, %r1, -1;", block, |v, _, _| v.iter().fold(u32::MAX, |all, v| all & v));
        same("redux.sync.or.b32 %r9, %r1, -1;", block, |v, _, _| v.iter().fold(0, |all, v| all | v));
        same("redux.sync.xor.b32 %r9, %r1, -1;", block, |v, _, _| v.iter().fold(0, |all, v| all ^ v));
    }
}

#[test]
fn matches() {
    let lanes = |v: &[u32], same: &dyn Fn(usize) -> bool| {
        (0..v.len()).filter(|other| same(*other)).map(|other| 1 << other).sum::<u32>()
    };
    for block in [[64, 1, 1], [20, 1, 1]] {
        let few = "and.b32 %r3, %r2, 3;";
        same(&format!("{few} match.any.sync.b32 %r9, %r3, -1;"), block, |_, b, lane| {
            lanes(b, &|other| b[other] & 3 == b[lane] & 3)
        });
        // Halves that differ alone.
        same(
            "and.b32 %r3, %r2, 1; shr.u32 %r4, %r2, 4; mov.b64 %rd1, {%r3, %r4}; match.any.sync.b64 %r9, %rd1, -1;",
            block,
            |_, b, lane| lanes(b, &|other| b[other] & 17 == b[lane] & 17),
        );
        same("match.any.sync.b64 %r9, 7, -1;", block, |v, _, _| lanes(v, &|_| true));
        same("match.all.sync.b32 %r9, 5, -1;", block, |v, _, _| lanes(v, &|_| true));
        same("match.all.sync.b32 %r9, %r1, -1;", block, |_, _, _| 0);
        // All but one are the same; halves of 64 bits.
        for (text, which) in [("mov.b64 %rd1, {%r3, 9};", 0), ("mov.b64 %rd1, {9, %r3};", 0), ("mov.b64 %rd1, 7;", 1)] {
            let text = format!(
                "setp.eq.u32 %p2, %r28, 13; selp.u32 %r3, 1, 0, %p2; {text}\n\
                 match.all.sync.b64 %r9|%p3, %rd1, -1; @%p3 xor.b32 %r9, %r9, 256;"
            );
            same(&text, block, |v, _, _| if which == 1 || v.len() < 14 { lanes(v, &|_| true) ^ 256 } else { 0 });
        }
    }
    // Halves of a warp, under guards; the lowest lane of both is in the first.
    let halves = "setp.lt.u32 %p2, %r28, 16; and.b32 %r3, %r2, 1; mov.u32 %r9, 1;\n\
                  @%p2 match.any.sync.b32 %r9, %r3, 0xffff; @!%p2 match.all.sync.b32 %r9|%p2, 3, 0xffff0000;";
    same(halves, [64, 1, 1], |_, b, lane| match lane {
        0..16 => lanes(&b[..16], &|other| b[other] & 1 == b[lane] & 1),
        _ => 0xffff_0000,
    });
}

#[test]
fn masks_of_lanes() {
    let all = [
        ("eq", (|lane| 1 << lane) as fn(u32) -> u64),
        ("lt", |lane| (1 << lane) - 1),
        ("le", |lane| (2 << lane) - 1),
        ("gt", |lane| (1 << 32) - (2 << lane)),
        ("ge", |lane| (1 << 32) - (1 << lane)),
    ];
    for (name, mask) in all {
        let text = format!("mov.u32 %r9, %lanemask_{name}; add.u32 %r9, %r9, %lanemask_{name};");
        same(&text, [20, 4, 1], |_, _, lane| 2_u32.wrapping_mul(mask(lane as u32) as u32));
    }
}

/// Halves of a warp go different ways, and exchange among themselves; a loop exchanges in each turn; a warp of 8 lanes.
#[test]
fn in_branches_and_loops() {
    let block = [64, 1, 1];
    let apart = "setp.lt.u32 %p2, %r28, 16;\n@%p2 bra A;\nshfl.sync.idx.b32 %r9, %r1, 20, 31, 0xffff0000;\n\
                 vote.sync.ballot.b32 %r3, %p1, 0xffff0000; xor.b32 %r9, %r9, %r3;\nbra B;\n\
                 A: redux.sync.add.u32 %r9, %r1, 0x0000ffff;\nB: bar.warp.sync -1;";
    let ballot =
        |v: &[u32], lanes: std::ops::Range<usize>| lanes.map(|l| u32::from((v[l] as i32) < 0) << l).sum::<u32>();
    same(apart, block, |v, _, lane| match lane {
        0..16 => v[..16].iter().fold(0, |sum, v| sum.wrapping_add(*v)),
        _ => v[20] ^ ballot(v, 16..32),
    });
    // The same words for both halves, which name themselves.
    let halves = "setp.lt.u32 %p2, %r28, 16; selp.b32 %r3, 65535, -65536, %p2;\n\
                  redux.sync.add.u32 %r9, %r1, %r3; vote.sync.ballot.b32 %r4, %p1, %r3; xor.b32 %r9, %r9, %r4;";
    same(halves, block, |v, _, lane| {
        let half = lane / 16 * 16..lane / 16 * 16 + 16;
        v[half.clone()].iter().fold(0_u32, |sum, v| sum.wrapping_add(*v)) ^ ballot(v, half)
    });
    let sum = "mov.u32 %r9, %r1; mov.u32 %r3, 16;\n\
               A: shfl.sync.down.b32 %r4, %r9, %r3, 31, -1; add.s32 %r9, %r9, %r4;\n\
               shr.u32 %r3, %r3, 1; setp.ne.u32 %p2, %r3, 0; @%p2 bra A;\nshfl.sync.idx.b32 %r9, %r9, 0, 31, -1;";
    same(sum, block, |v, _, _| v.iter().fold(0, |sum, v| sum.wrapping_add(*v)));
    same("shfl.sync.bfly.b32 %r9, %r1, 3, 31, -1;", [40, 1, 1], |v, _, lane| v[lane ^ 3]);
    same("mov.u32 %r9, %laneid;", [20, 4, 1], |_, _, lane| lane as u32);
    // Under a guard, whose predicate the exchange itself writes.
    same(
        "mov.u32 %r9, 0; setp.lt.u32 %p2, %r28, 8;\n@%p2 shfl.sync.idx.b32 %r9|%p2, %r1, %r28, 7, 255;",
        block,
        |v, _, lane| if lane < 8 { v[lane] } else { 0 },
    );
}

#[test]
fn what_does_not_meet_is_an_error() {
    for (body, message) in [
        ("shfl.sync.idx.b32 %r9, %r1, 1, 31, 15;", "`shfl.sync.idx.b32`: lane 4 is not among those that it names, 0xf"),
        ("shfl.sync.idx.b32 %r9, %r1, 25, 31, -1;", "lane 0 reads lane 25, which takes no part"),
        (
            "setp.lt.u32 %p2, %r28, 4;\n@%p2 bra A;\nvote.sync.any.pred %p3, %p1, -1;\nA: mov.u32 %r9, 1;",
            "`vote.sync.any.pred`: waits for lanes of its warp that do not come here with the same 0xffffffff",
        ),
        (
            "setp.lt.u32 %p2, %r28, 4;\n@%p2 bra A;\nbar.sync 0;\nbra B;\nA: bar.warp.sync -1;\nB: mov.u32 %r9, 1;",
            "`bar.warp.sync`: waits for lanes of its warp",
        ),
    ] {
        let error = run(body, [20, 1, 1], None).expect_err(body);
        assert!(error.contains(message), "{body}: {error}");
    }
}
