//! Sessions on lines with faults: everything comes through, nothing happens twice, and what cannot be mended is said.

use std::collections::BTreeMap;
use std::time::Duration;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::faults::{Fault, Faulty};
use super::{ANSWER, SEED, connect, double, in_process, params};
use bitline::array::registers::{REG_COMPLETED, REG_PUSH};
use bitline::sim::host_link::double::Broken;
use bitline::sim::host_link::transport::InProcess;
use bitline::sim::host_link::{Board, LinkError, Session, Timing};
use bitline::system::SystemParams;
use bitline::system::protocol::{ARRAY_BASE, ARRAY_MEMORY_BASE, BOARD_BASE, REPLY_BYTES, REQUEST_BYTES, Status};
use bitline::system::registers::REG_SCRATCH;

/// Bytes that connecting takes, to the board and from it.
const CONNECT: [u64; 2] = [REQUEST_BYTES as u64, (REPLY_BYTES + 4 * 7 + 2) as u64];

fn faulty(to: &[(u64, Fault)], from: &[(u64, Fault)]) -> Board {
    connect(Faulty::new(InProcess::new(double(None)), to, from))
}

#[test]
fn words_of_any_number_go_and_come() {
    let mut board = in_process(None);
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    for count in [1, 2, 255, 256, 257, 700] {
        let words: Vec<u32> = (0..count).map(|_| rng.random()).collect();
        board.session.write(ARRAY_MEMORY_BASE + 8, &words).expect("a good line");
        assert_eq!(board.session.read(ARRAY_MEMORY_BASE + 8, count).expect("a good line"), words);
    }
    assert_eq!(board.session.traffic.repeated, 0);
    assert!(board.session.read(ARRAY_MEMORY_BASE, 0).expect("nothing to do").is_empty());
}

#[test]
fn files_need_no_whole_words() {
    let mut board = in_process(None);
    let mut seen = Vec::new();
    board.load(ARRAY_MEMORY_BASE, &[9; 16], &mut |_, _| {}).expect("a good line");
    let bytes: Vec<u8> = (0..11).collect();
    board.load(ARRAY_MEMORY_BASE, &bytes, &mut |done, total| seen.push((done, total))).expect("a good line");
    assert_eq!(seen.last(), Some(&(11, 11)));
    let stored = board.store(ARRAY_MEMORY_BASE, 13, &mut |_, _| {}).expect("a good line");
    assert_eq!(stored, [&bytes[..], &[9, 9]].concat());
    let error = board.load(ARRAY_MEMORY_BASE + 2, &bytes, &mut |_, _| {}).expect_err("not aligned");
    assert!(error.to_string().contains("address = 0x20000002: must be a multiple of 4"), "{error}");
}

/// Each byte of a write and of a read, damaged in each way, in both directions.
#[test]
fn damage_anywhere_is_mended() {
    let lengths = [REQUEST_BYTES + 4 * 3 + 2 + REQUEST_BYTES, REPLY_BYTES + REPLY_BYTES + 4 * 3 + 2];
    let mut repeated = 0;
    for way in 0..2 {
        for at in 0..lengths[way] as u64 {
            let faults =
                [Fault::Lost, Fault::Turned(1 << (at % 8)), Fault::Noise(vec![0xa5, 0, 0x5a, 0x77]), Fault::Silence];
            for fault in faults {
                let fault = [(CONNECT[way] + at, fault)];
                let mut board = if way == 0 { faulty(&fault, &[]) } else { faulty(&[], &fault) };
                let words = [0x0123_4567, 0x5a5a_a5a5, at as u32];
                let context = |e: LinkError| panic!("way {way}, {fault:?}: {e}");
                board.session.write(ARRAY_MEMORY_BASE, &words).unwrap_or_else(context);
                let read = board.session.read(ARRAY_MEMORY_BASE, 3).unwrap_or_else(|e| panic!("{fault:?}: {e}"));
                assert_eq!(read, words, "way {way}, {fault:?}");
                repeated += board.session.traffic.repeated;
            }
        }
    }
    assert!(repeated > 150, "{repeated} requests were sent again");
}

/// A command is pushed once, whatever becomes of its reply.
#[test]
fn writes_that_must_happen_once_do() {
    let push = ARRAY_BASE + REG_PUSH as u32;
    // The counter is asked for before the first of them.
    let before = [CONNECT[0] + REQUEST_BYTES as u64, CONNECT[1] + (REPLY_BYTES + 6) as u64];
    for (way, length) in [(0, REQUEST_BYTES + 6), (1, REPLY_BYTES)] {
        for at in 0..length as u64 {
            for fault in [Fault::Lost, Fault::Turned(0x10), Fault::Silence] {
                let fault = [(before[way] + at, fault)];
                let mut board = if way == 0 { faulty(&fault, &[]) } else { faulty(&[], &fault) };
                board.session.write_once(push, &[0], false).unwrap_or_else(|e| panic!("{way} {fault:?}: {e}"));
                board.session.write_once(push, &[0], false).unwrap_or_else(|e| panic!("{way} {fault:?}: {e}"));
                // Commands after reset have width 0 and are refused: the error's index counts pushes.
                let words = board.session.read(ARRAY_BASE + REG_COMPLETED as u32 - 8, 3).expect("a good line");
                assert_eq!(words[1..], [0, 0], "{way} {fault:?}");
                board.session.write(ARRAY_BASE + 0x18, &[1 << 8]).expect("a good line");
                board.session.write_once(push, &[0], false).expect("a good line");
                let index = board.session.read_word(ARRAY_BASE + 0x28).expect("a good line");
                assert_eq!(index, 2, "{way} {fault:?}: pushes before the third");
            }
        }
    }
}

/// Where even the question is lost, the host does not guess.
#[test]
fn a_write_that_may_have_happened_is_told() {
    let reply = CONNECT[1] + (REPLY_BYTES + 6) as u64;
    let faults = [(reply + 2, Fault::Turned(1)), (reply + REPLY_BYTES as u64 + 3, Fault::Turned(2))];
    let mut board = faulty(&[], &faults);
    let error = board.session.write_once(ARRAY_BASE + REG_PUSH as u32, &[0], false).expect_err("both are lost");
    assert!(matches!(error, LinkError::Unsure { .. }), "{error}");
    // The next one asks anew.
    board.session.write_once(ARRAY_BASE + REG_PUSH as u32, &[0], false).expect("a good line");
}

#[test]
fn a_line_with_many_faults_still_works() {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    println!("seed {SEED:#x}");
    let mut faults: [BTreeMap<u64, Fault>; 2] = [BTreeMap::new(), BTreeMap::new()];
    for (way, faults) in faults.iter_mut().enumerate() {
        for _ in 0..150 {
            let fault = match rng.random_range(0..4) {
                0 => Fault::Lost,
                1 => Fault::Silence,
                2 => Fault::Noise((0..rng.random_range(1..9)).map(|_| rng.random()).collect()),
                _ => Fault::Turned(1 << rng.random_range(0..8)),
            };
            faults.insert(CONNECT[way] + rng.random_range(0..60_000), fault);
        }
    }
    let mut line = Faulty::new(InProcess::new(double(None)), &[], &[]);
    line.faults = faults;
    let mut board = connect(line);
    board.session.timing.attempts = 8;
    for round in 0..200 {
        let words: Vec<u32> = (0..rng.random_range(1..100)).map(|_| rng.random()).collect();
        board.session.write(ARRAY_MEMORY_BASE, &words).unwrap_or_else(|e| panic!("round {round}: {e}"));
        let read = board.session.read(ARRAY_MEMORY_BASE, words.len());
        assert_eq!(read.unwrap_or_else(|e| panic!("round {round}: {e}")), words);
    }
    assert!(board.session.traffic.repeated > 100, "{:?}", board.session.traffic);
}

#[test]
fn what_cannot_be_mended_is_said() {
    // Nothing answers.
    let mut session = Session::new(Box::new(Dead(None)), Timing::of(&params(), ANSWER));
    let error = session.read(BOARD_BASE, 1).expect_err("nobody is there");
    assert!(error.to_string().contains("nothing answers on a dead line: no byte within 0.02"), "{error}");
    assert!(error.advice().iter().any(|line| line.contains("--baud")), "{:?}", error.advice());
    // Something else does, without an end.
    let mut session = Session::new(Box::new(Dead(Some(0x55))), Timing::of(&params(), ANSWER));
    let error = session.read(BOARD_BASE, 1).expect_err("nobody is there");
    assert!(matches!(error, LinkError::Babble { .. }), "{error}");
    // Every reply is damaged, every request is.
    let all = |fault: Fault| (CONNECT[1] + 1..2000).step_by(5).map(|at| (at, fault.clone())).collect::<Vec<_>>();
    let mut board = faulty(&[], &all(Fault::Turned(4)));
    let error = board.session.read_word(BOARD_BASE).expect_err("a bad line");
    assert!(error.to_string().contains("damaged, 4 times in a row"), "{error}");
    let requests = (CONNECT[0] + 4..2000).step_by(REQUEST_BYTES).map(|at| (at, Fault::Turned(4))).collect::<Vec<_>>();
    let error = faulty(&requests, &[]).session.read_word(BOARD_BASE).expect_err("a bad line");
    assert!(matches!(error, LinkError::Misheard { status: Status::Checksum, attempts: 4, .. }), "{error}");
    // Unplugged in the middle.
    let mut board = faulty(&[], &[(CONNECT[1] + 100, Fault::Unplugged)]);
    let error = board.session.read(ARRAY_MEMORY_BASE, 256).expect_err("unplugged");
    assert!(
        error.to_string().contains("was unplugged, or what was at its other end has ended, in the middle of a request"),
        "{error}"
    );
    assert!(!error.advice().is_empty());
}

/// A line on which nothing comes, or always the same byte.
struct Dead(Option<u8>);

impl bitline::sim::host_link::Transport for Dead {
    fn name(&self) -> String {
        "a dead line".into()
    }

    fn send(&mut self, _bytes: &[u8]) -> bitline::sim::host_link::Result<()> {
        Ok(())
    }

    fn receive(&mut self, buffer: &mut [u8], _timeout: Duration) -> bitline::sim::host_link::Result<usize> {
        match self.0 {
            Some(byte) => buffer.fill(byte),
            None => return Ok(0),
        }
        Ok(buffer.len())
    }
}

#[test]
fn boards_of_another_kind_are_refused() {
    let refused = |double, params: &SystemParams| {
        let transport = Box::new(InProcess::new(double));
        Board::connect(transport, params, ANSWER).err().unwrap_or_else(|| panic!("it is another board"))
    };
    let error = refused(double(Some(Broken::Identity)), &params());
    assert!(error.to_string().contains("register id = 0x45534c45: must be 0x44424c42"), "{error}");
    let error = refused(double(Some(Broken::Hash)), &params());
    let hashes = [params().hash() ^ 0xffff_ffff, params().hash()].map(|hash| format!("{hash:#018x}"));
    assert!(hashes.iter().all(|hash| error.to_string().contains(hash)), "{error}");
    // A preset that is known is named.
    let tiny = SystemParams::preset("tiny").expect("named");
    let other = SystemParams { clock_mhz: tiny.clock_mhz / 2, ..tiny.clone() };
    let double = bitline::sim::host_link::double::Double::new(&other, SEED).expect("legal");
    let error = refused(double, &tiny);
    let wanted = format!("--preset tiny --clock {} --baud {}", other.clock_mhz, other.baud);
    assert!(error.advice()[0].ends_with(&wanted), "{:?}", error.advice());
}

#[test]
fn refusals_of_the_bus_are_told_at_once() {
    let mut board = in_process(None);
    let error = board.session.read(0x3000_0000, 2).expect_err("nothing there");
    assert_eq!(error.to_string(), "read at 0x30000000: status bus after 0 of 2 words");
    let error = board.session.write(ARRAY_MEMORY_BASE + 4092, &[1, 2, 3]).expect_err("beyond the end");
    assert_eq!(error.to_string(), "write at 0x20000ffc: status bus after 1 of 3 words");
    assert_eq!(board.session.traffic.repeated, 0);
    board.session.write(BOARD_BASE + REG_SCRATCH as u32, &[3]).expect("a good line");
}
