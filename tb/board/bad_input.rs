//! Bad input, case by case: a status comes back or the bridge recovers in time, nothing but what was asked for changes,
//! and the next good request works.

use super::campaign::{Campaign, raw};
use super::machine::{Board, native};
use super::reference::Event;
use super::tiny;
use bitline::ccs::CcsCommand;
use bitline::ccs::registers as ccs;
use bitline::sim::units::ccs::machine::Launch;
use bitline::sim::units::ccs::reference::execute;
use bitline::system::protocol::*;
use bitline::system::registers::{REG_ID, REG_SCRATCH};

const READ: u8 = Operation::Read as u8;
const WRITE: u8 = Operation::Write as u8;
const ID: u32 = BOARD_BASE + REG_ID as u32;

fn campaign(seed: u64) -> Campaign<impl Board> {
    let (machine, memories) = native(&tiny(), seed);
    Campaign::new(machine, memories, seed)
}

/// The next good request works, and memories are what they must be.
fn good<B: Board>(campaign: &mut Campaign<B>) {
    let seen = campaign.seen[Status::Ok as usize];
    campaign.bytes(&raw(READ, 0x77, 1, ID, &[]));
    campaign.sync();
    assert_eq!(campaign.seen[Status::Ok as usize], seen + 1);
    campaign.compare_memories();
}

/// Frames that are refused for their form, each right before a good one.
#[test]
fn wrong_forms() {
    let mut campaign = campaign(21);
    let memory = ARRAY_MEMORY_BASE;
    let mut header = raw(WRITE, 1, 2, memory, &[1, 2]);
    header[9] ^= 1;
    let mut data = raw(WRITE, 2, 2, memory, &[1, 2]);
    data[12] ^= 0x80;
    let mut sum = raw(WRITE, 3, 2, memory, &[1, 2]);
    *sum.last_mut().expect("bytes") ^= 0x10;
    let cases = [
        (header, Status::Checksum),
        (data, Status::Checksum),
        (sum, Status::Checksum),
        (raw(0, 4, 1, memory, &[]), Status::Operation),
        (raw(0x7f, 5, 1, memory, &[1]), Status::Operation),
        (raw(READ, 6, 0, memory, &[]), Status::Count),
        (raw(WRITE, 7, 0, memory, &[]), Status::Count),
        (raw(READ, 8, 257, memory, &[]), Status::Count),
        (raw(WRITE, 9, 257, memory, &[0; 257]), Status::Count),
        (raw(WRITE, 10, 0xffff, memory, &[7]), Status::Count),
        (raw(READ, 11, 1, memory + 1, &[]), Status::Alignment),
        (raw(WRITE, 12, 1, memory + 2, &[7]), Status::Alignment),
        // What is wrong first is told.
        (raw(0x7f, 13, 0, memory + 3, &[]), Status::Operation),
        (raw(READ, 14, 0, memory + 3, &[]), Status::Count),
    ];
    for (bytes, status) in cases {
        let seen = campaign.seen[status as usize];
        campaign.bytes(&bytes);
        campaign.play(&[Event::Quiet]);
        assert_eq!(campaign.seen[status as usize], seen + 1, "{bytes:02x?}");
        good(&mut campaign);
    }
}

/// The cable is pulled out after each byte of a write.
#[test]
fn unplugged_in_the_middle() {
    let mut campaign = campaign(22);
    let bytes = raw(WRITE, 9, 3, ARRAY_MEMORY_BASE + 8, &[1, 2, 3]);
    for there in 1..bytes.len() {
        campaign.bytes(&bytes[..there]);
        campaign.play(&[Event::Quiet]);
        assert_eq!(campaign.seen[Status::Timeout as usize], there as u64);
        campaign.compare_memories();
    }
    good(&mut campaign);
    campaign.bytes(&bytes);
    good(&mut campaign);
}

/// Nothing is at an address, or only at the first ones.
#[test]
fn outside_of_the_map() {
    let mut campaign = campaign(23);
    let end = [0, 1]
        .map(|memory| [ARRAY_MEMORY_BASE, CCS_MEMORY_BASE][memory] + campaign.reference.memories[memory].len() as u32);
    let nowhere =
        [BOARD_BASE + 64, ARRAY_BASE - 4, ARRAY_BASE + 128, 0x3000_0000, 0x8000_0000, CCS_BASE + 256, u32::MAX - 3];
    for address in nowhere.into_iter().chain(end) {
        campaign.bytes(&raw(READ, 1, 3, address, &[]));
        campaign.bytes(&raw(WRITE, 2, 2, address, &[1, 2]));
        campaign.bytes(&raw(WRITE | FIXED_ADDRESS, 3, 1, address, &[1]));
    }
    for address in end {
        campaign.bytes(&raw(WRITE, 4, 5, address - 8, &[1, 2, 3, 4, 5]));
        campaign.bytes(&raw(READ, 5, 5, address - 8, &[]));
    }
    assert_eq!(campaign.seen[Status::Bus as usize], 31);
    good(&mut campaign);
}

/// Bytes with a wrong stop bit, breaks and pulses too short for a start bit, in a frame and outside.
#[test]
fn noise_on_the_line() {
    let mut campaign = campaign(24);
    let write = raw(WRITE, 9, 1, BOARD_BASE + REG_SCRATCH as u32, &[0xdead_beef]);
    for at in [0, 1, 5, 10, 11, 15, 16] {
        let mut events: Vec<Event> = write.iter().map(|&byte| Event::Byte(byte)).collect();
        events[at] = Event::Wrong;
        events.push(Event::Quiet);
        campaign.play(&events);
        good(&mut campaign);
    }
    // A pulse is none of a byte's bits.
    for byte in &write {
        campaign.machine.line.level(true, 3);
        campaign.machine.line.level(false, 1);
        campaign.machine.line.level(true, 5);
        campaign.bytes(&[*byte]);
    }
    good(&mut campaign);
    // A break is one byte with a wrong stop bit, however long it takes; time passes in it.
    let long = 200 * campaign.machine.params.cycles_a_bit();
    campaign.machine.line.level(false, long);
    let reply = campaign.reference.hear(Event::Wrong);
    assert_eq!(reply, None);
    campaign.play(&[Event::Quiet]);
    good(&mut campaign);
    campaign.bytes(&write[..7]);
    campaign.machine.line.level(false, long);
    campaign.reference.hear(Event::Wrong);
    campaign.play(&[Event::Quiet]);
    assert_eq!(campaign.seen[Status::Timeout as usize], 4);
    good(&mut campaign);
    campaign.bytes(&raw(READ, 3, 1, BOARD_BASE + bitline::system::registers::REG_WRONG_BYTES as u32, &[]));
}

/// What comes before a reply is there is dropped.
#[test]
fn a_second_request_before_the_reply() {
    let mut campaign = campaign(25);
    let (first, second) = (raw(READ, 1, 64, ARRAY_MEMORY_BASE, &[]), raw(WRITE, 2, 1, ARRAY_MEMORY_BASE, &[5]));
    let expected = campaign.reference.memories[0][..256].to_vec();
    campaign.machine.line.send(&first);
    campaign.machine.line.send(&second);
    let reply = Reply::decode(&campaign.machine.exchange()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((reply.status, reply.tag, reply.count), (Status::Ok, 1, 64));
    let bytes: Vec<u8> = reply.words.iter().flat_map(|word| word.to_le_bytes()).collect();
    assert_eq!(bytes, expected);
    campaign.machine.settle();
    good(&mut campaign);
}

/// The bus does not answer in time: every request ends at once until it has, and then they work again.
#[test]
fn a_slow_bus() {
    let mut campaign = campaign(26);
    let machine = &mut campaign.machine;
    let Some(command) = CcsCommand::named("SUMV") else { panic!("there is no such command") };
    let launch = Launch { count: 30, ..Launch::new(command.code, [0; 3], 900) };
    for (offset, value) in launch.writes() {
        machine.write(CCS_BASE + offset as u32, &[value]);
    }
    machine.write(CCS_BASE + ccs::REG_START as u32, &[0]);
    let wait = CCS_BASE + ccs::REG_WAIT as u32;
    let mut slow = 0;
    loop {
        // Only the first of them reaches the bus; the register tells of no error.
        let address = if slow == 0 { wait } else { ID };
        let reply = machine.request(Operation::Read, false, address, 2, &[]);
        if reply.status == Status::Ok {
            break;
        }
        assert_eq!((reply.status, reply.count, reply.words.len()), (Status::Slow, 0, 0));
        slow += 1;
    }
    println!("{slow} requests ended as slow");
    assert!(slow > 2);
    let geometry = machine.params.ccs.clone();
    let outcome = execute(&mut campaign.reference.memories[1], &geometry, &launch);
    assert_eq!(Some(machine.word(CCS_BASE + ccs::REG_RESULT as u32)), outcome.result);
    machine.settle();
    let counts = machine.read(BOARD_BASE + bitline::system::registers::REG_FRAMES_OK as u32, 2);
    assert_eq!(counts[1], slow);
}
