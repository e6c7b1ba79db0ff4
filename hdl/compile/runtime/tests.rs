//! What programs get wrong has a status; memory is what was written; kernels do the same on every engine.

use super::*;
use crate::words::VERSIONS;

const KERNELS: &str = "\
.version 4.2
.target sm_50
.address_size 64
.global .align 4 .u32 count;
.const .align 4 .u32 factors[2] = {3, 5};
.visible .entry scale(.param .u64 x, .param .u32 n)
{
    .reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %d<6>;
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r1, %r1, %r2, %r3;
    ld.param.u32 %r4, [n]; setp.ge.s32 %p1, %r1, %r4; @%p1 bra END;
    ld.param.u64 %d1, [x]; mul.wide.s32 %d2, %r1, 4; add.s64 %d3, %d1, %d2;
    ld.global.u32 %r5, [%d3]; ld.const.u32 %r6, [factors+4]; mul.lo.s32 %r5, %r5, %r6; st.global.u32 [%d3], %r5;
    mov.u64 %d4, count; red.global.add.u32 [%d4], 1;
END:
    ret;
}
.visible .entry plane(.param .u64 x, .param .u32 width, .param .u32 step)
{
    .reg .b32 %r<9>; .reg .b64 %d<4>;
    mov.u32 %r1, %tid.x; ld.param.u32 %r2, [width]; ld.param.u32 %r3, [step]; ld.param.u64 %d1, [x];
    mad.lo.s32 %r4, %r1, %r2, %r3; mul.wide.s32 %d2, %r4, 4; add.s64 %d3, %d1, %d2;
    mad.lo.s32 %r5, %r4, %r2, %r1; mul.lo.s32 %r6, %r5, %r3; st.global.u32 [%d3], %r6; ret;
}
.visible .entry wild() { .reg .b64 %d<2>; .reg .b32 %r<2>; mov.b64 %d1, 64; ld.global.u32 %r1, [%d1]; ret; }
.visible .entry askew(.param .u64 x)
{ .reg .b64 %d<2>; .reg .b32 %r<2>; ld.param.u64 %d1, [x]; ld.global.u32 %r1, [%d1+2]; ret; }
.visible .entry stops() { .reg .b32 %r<2>; .reg .pred %p; mov.u32 %r1, %tid.x; setp.eq.u32 %p, %r1, 3; @%p trap; ret; }
.global .align 1 .b8 text[6] = {120, 32, 60, 32, 51};
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.visible .entry claims()
{
    .reg .b32 %r<2>; .reg .pred %p; .reg .b64 %d<3>;
    mov.u32 %r1, %tid.x; setp.lt.u32 %p, %r1, 3; mov.u64 %d1, text; cvta.global.u64 %d2, %d1; @%p bra FINE;
    {
        .param .b64 p0; st.param.b64 [p0], %d2; .param .b64 p1; st.param.b64 [p1], %d2;
        .param .b32 p2; st.param.b32 [p2], 9;
        .param .b64 p3; st.param.b64 [p3], %d2; .param .b64 p4; st.param.b64 [p4], 1;
        call.uni __assertfail, (p0, p1, p2, p3, p4);
    }
FINE:
    ret;
}
";

fn device(words: bool) -> Device {
    let engine = if words { Engine::Words } else { Engine::Interpreter };
    let params = DualityParams { rows: 512, ..DualityParams::preset("small").expect("a preset") };
    let mut device = Device::new(params, engine);
    assert_eq!(device.load("k.ptx", KERNELS), Ok(0));
    device
}

fn launch(kernel: &str, grid: u32, block: u32, arguments: &[&[u8]]) -> Asked {
    let arguments = arguments.iter().map(|bytes| bytes.to_vec()).collect();
    Asked { module: 0, kernel: kernel.into(), grid: [grid, 1, 1], block: [block, 1, 1], shared: 0, arguments }
}

/// Kernels find buffers where they were put, and variables as the last launch has left them.
#[test]
fn kernels_and_memory_on_both_engines() {
    for words in [false, true] {
        let mut device = device(words);
        let place = device.allocate(400).expect("memory");
        let numbers: Vec<u8> = (0..100_u32).flat_map(u32::to_le_bytes).collect();
        device.write(place, &numbers).expect("its own bytes");
        let asked = launch("scale", 4, 32, &[&place.to_le_bytes(), &90_u32.to_le_bytes()]);
        device.launch(&asked).unwrap_or_else(|status| panic!("{status:?}: {}", device.reason()));
        let once = device.cycles();
        assert!(once > 0);
        device.symbol(0, "factors", 4, 4).expect("a constant").copy_from_slice(&7_u32.to_le_bytes());
        device.launch(&asked).expect("again");
        assert!(device.cycles() > once);
        let factor = |at: u32| if at < 90 { 35 } else { 1 };
        let expected: Vec<u8> = (0..100_u32).flat_map(|at| (at * factor(at)).to_le_bytes()).collect();
        assert_eq!(device.read(place, 400), Ok(expected), "words: {words}");
        assert_eq!(device.symbol(0, "count", 0, 4).expect("a variable"), 180_u32.to_le_bytes());
        assert_eq!(device.left(), MEMORY - 400);
    }
}

/// Launches with their own numbers have programs of their own until there are many, and what they write is their own.
#[test]
fn numbers_of_launches_are_their_own() {
    let mut device = device(true);
    let place = device.allocate(40_000).expect("memory");
    let mut expected = vec![0_u32; 10_000];
    device.write(place, &vec![0; 40_000]).expect("its own bytes");
    for round in 0..2 {
        for step in 0..VERSIONS as u32 + 4 {
            let width = 17 + 5 * step;
            let asked = launch("plane", 1, 32, &[&place.to_le_bytes(), &width.to_le_bytes(), &step.to_le_bytes()]);
            device.launch(&asked).unwrap_or_else(|status| panic!("{status:?}: {}", device.reason()));
            for thread in 0..32 {
                let at = thread * width + step;
                expected[at as usize] = (at * width + thread) * step;
            }
        }
        let bytes: Vec<u8> = expected.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert!(device.read(place, 40_000) == Ok(bytes), "round {round}");
        // With the one for all numbers.
        assert_eq!(device.known.len(), VERSIONS + 1);
    }
}

#[test]
fn what_is_wrong_has_a_status() {
    let mut device = device(false);
    let place = device.allocate(8).expect("memory");
    let argument = place.to_le_bytes();
    assert_eq!(device.load("k.ptx", "frob"), Err(Status::InvalidPtx));
    assert!(device.reason().starts_with("k.ptx, line 1, column 1: "), "{}", device.reason());
    assert_eq!(device.allocate(0), Err(Status::InvalidValue));
    assert_eq!(device.allocate(MEMORY), Err(Status::MemoryAllocation));
    assert_eq!(device.allocate(u64::MAX), Err(Status::MemoryAllocation));
    assert_eq!(device.read(place + 4, 5), Err(Status::InvalidValue));
    assert_eq!(device.read(place, u64::MAX), Err(Status::InvalidValue));
    assert_eq!(device.read(u64::MAX, 2), Err(Status::InvalidValue));
    assert_eq!(device.fill(0, 1, 1), Err(Status::InvalidValue));
    assert_eq!(device.symbol(0, "nobody", 0, 1).map(|_| ()), Err(Status::InvalidSymbol));
    assert_eq!(device.symbol(3, "count", 0, 1).map(|_| ()), Err(Status::InvalidSymbol));
    assert_eq!(device.symbol(0, "count", 1, 4).map(|_| ()), Err(Status::InvalidValue));
    assert_eq!(device.symbol(0, "count", u64::MAX, 4).map(|_| ()), Err(Status::InvalidValue));
    assert_eq!(device.launch(&launch("nobody", 1, 1, &[])), Err(Status::InvalidDeviceFunction));
    assert_eq!(device.launch(&launch("scale", 1, 1, &[&argument])), Err(Status::InvalidValue));
    assert_eq!(device.launch(&launch("scale", 1, 1, &[&argument, &[0; 2]])), Err(Status::InvalidValue));
    for (grid, block) in [(0, 1), (1, 0), (1, 1025), (u32::MAX, 1)] {
        let asked = launch("scale", grid, block, &[&argument, &[0; 4]]);
        assert_eq!(device.launch(&asked), Err(Status::InvalidConfiguration), "{grid} {block}");
    }
    let asked = Asked { shared: 1 << 40, ..launch("scale", 1, 1, &[&argument, &[0; 4]]) };
    assert_eq!(device.launch(&asked), Err(Status::LaunchOutOfResources));
    // None of these stays.
    assert_eq!(device.fill(place, 1, 8), Ok(()));
}

/// A kernel that does what none may leaves its status to everything behind it, until the device is reset.
#[test]
fn failed_kernels_stay_failed() {
    for words in [false, true] {
        let mut device = device(words);
        let place = device.allocate(8).expect("memory").to_le_bytes();
        let count = device.symbol(0, "count", 0, 4).expect("a variable").to_vec();
        for (asked, status) in [
            (launch("wild", 1, 1, &[]), Status::IllegalAddress),
            (launch("askew", 1, 1, &[&place]), Status::MisalignedAddress),
            (launch("stops", 2, 5, &[]), Status::LaunchFailure),
            (launch("claims", 2, 5, &[]), Status::Assert),
        ] {
            device.allocate(8).expect("it works");
            device.symbol(0, "count", 0, 4).expect("a variable").fill(9);
            assert_eq!(device.launch(&asked), Err(status), "words: {words}, {}", device.reason());
            assert_eq!(device.reason().contains("`__assertfail`: "), status == Status::Assert, "{}", device.reason());
            assert_eq!(device.allocate(8), Err(status));
            assert_eq!(device.free(u64::from_le_bytes(place)), Err(status));
            assert_eq!(device.launch(&launch("wild", 1, 1, &[])), Err(status));
            device.reset();
            assert_eq!(device.left(), MEMORY);
            assert_eq!(device.symbol(0, "count", 0, 4).expect("a variable"), count);
        }
    }
}

fn answered(device: &mut Device, requests: &[u8]) -> std::io::Result<Vec<(u32, u64, Vec<u8>)>> {
    let mut said = Vec::new();
    serve(device, &mut &requests[..], &mut said)?;
    let (mut answers, mut rest) = (Vec::new(), &said[..]);
    while !rest.is_empty() {
        let long = |at: usize| u64::from_le_bytes(rest[at..at + 8].try_into().expect("8 bytes"));
        let (status, number, count) = (long(0) as u32, long(4), long(12) as usize);
        answers.push((status, number, rest[20..20 + count].to_vec()));
        rest = &rest[20 + count..];
    }
    Ok(answers)
}

/// A whole program as messages; and requests that are cut off anywhere, or are none.
#[test]
fn messages_are_answered_in_order() {
    let long = |number: u64| number.to_le_bytes().to_vec();
    let bytes = |bytes: &[u8]| [long(bytes.len() as u64), bytes.to_vec()].concat();
    let base = device(false).allocate(8).expect("memory");
    let words = |numbers: &[u32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>();
    let requests = [
        [vec![1], bytes(b"frob\0")].concat(),
        [vec![2], long(8)].concat(),
        [vec![4], long(base), bytes(&[1, 0, 0, 0, 2, 0, 0, 0])].concat(),
        [vec![8], long(0), bytes(b"scale"), words(&[1, 1, 1, 2, 1, 1]), long(0), words(&[2])].concat(),
        [bytes(&long(base)), bytes(&words(&[2]))].concat(),
        [vec![5], long(base), long(8)].concat(),
        [vec![6], long(base), vec![9], long(2)].concat(),
        [vec![7], long(base + 4), long(base), long(4)].concat(),
        [vec![5], long(base), long(8)].concat(),
        [vec![9], long(0), bytes(b"count"), long(1), bytes(&[1])].concat(),
        [vec![10], long(0), bytes(b"count"), long(0), long(4)].concat(),
        vec![13],
        [vec![3], long(base)].concat(),
        [vec![3], long(base)].concat(),
        vec![12],
        vec![11],
        [vec![14], long(0), bytes(b"scale")].concat(),
    ];
    let whole = requests.concat();
    let answers = answered(&mut device(false), &whole).expect("requests");
    let data = |at: usize| answers[at].2.clone();
    assert_eq!((answers.len(), answers[0].0, answers[1].1), (16, Status::InvalidPtx.code(), base));
    assert_eq!(data(4), [5, 0, 0, 0, 10, 0, 0, 0]);
    assert_eq!(data(7), [9, 9, 0, 0, 9, 9, 0, 0]);
    assert_eq!(data(9), [2, 1, 0, 0]);
    assert_eq!((answers[10].1, answers[12].0), (512, Status::InvalidDevicePointer.code()));
    assert!(answers[14].1 > 0 && String::from_utf8_lossy(&data(12)).contains("no buffer begins there"));
    assert_eq!((answers[15].1, data(15)), (2, [long(8), long(4)].concat()));
    for end in 0..whole.len() {
        // Between requests it is the end, elsewhere an error; never a panic.
        let complete = answered(&mut device(false), &whole[..end]).is_ok();
        let ends = (0..=requests.len()).map(|count| requests[..count].iter().map(Vec::len).sum::<usize>());
        assert_eq!(complete, ends.enumerate().any(|(count, at)| at == end && count != 4), "{end}");
    }
    assert!(answered(&mut device(false), &[200]).is_err() && answered(&mut device(false), &[0]).is_err());
    assert!(answered(&mut device(false), &[vec![4], long(0), long(u64::MAX)].concat()).is_err());
}

/// Numbers are those of CUDA, each once.
#[test]
fn codes_are_apart() {
    for (at, status) in Status::ALL.iter().enumerate() {
        assert!(Status::ALL[..at].iter().all(|other| other.code() < status.code()), "{}", status.name());
        assert!(!status.text().is_empty());
    }
    assert_eq!(Status::InvalidValue.code(), 1);
}
