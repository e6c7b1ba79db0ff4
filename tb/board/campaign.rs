//! Random frames, good and bad, against the protocol's rules: every reply byte by byte, every memory after each frame.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::machine::{Board, Machine, native};
use super::reference::{Event, MEMORIES, Reference};
use super::{tiny, with_duality};
use bitline::system::protocol::*;
use bitline::system::registers::{REG_FRAMES_OK, REG_FRAMES_REFUSED, REG_WRONG_BYTES};

/// A frame of these fields, right or wrong, with right checksums.
pub fn raw(operation: u8, tag: u8, count: u16, address: u32, words: &[u32]) -> Vec<u8> {
    let mut bytes = vec![REQUEST_START, operation, tag];
    bytes.extend(count.to_le_bytes());
    bytes.extend(address.to_le_bytes());
    bytes.extend(checksum(&bytes).to_le_bytes());
    let data: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.extend(&data);
    if !words.is_empty() {
        bytes.extend(checksum(&data).to_le_bytes());
    }
    bytes
}

/// Plays events and compares what comes back.
pub struct Campaign<B: Board> {
    pub machine: Machine<B>,
    pub reference: Reference,
    rng: ChaCha8Rng,
    expected: Vec<u8>,
    /// Replies by status.
    pub seen: [u64; 8],
}

impl<B: Board> Campaign<B> {
    /// A campaign on a board whose memories hold what is said.
    pub fn new(machine: Machine<B>, memories: Vec<Vec<u8>>, seed: u64) -> Campaign<B> {
        println!("{:?}, seed {seed}", machine.params);
        let reference = Reference::new(&machine.params, memories);
        Campaign { machine, reference, rng: ChaCha8Rng::seed_from_u64(seed), expected: vec![], seen: [0; 8] }
    }

    /// Runs until what is expected has come, and no more.
    pub fn sync(&mut self) {
        self.machine.flush();
        let mut patience = 4000 + 45 * self.expected.len() * self.machine.params.cycles_a_bit() as usize;
        while self.machine.line.received.len() < self.expected.len() && patience > 0 {
            self.machine.cycle();
            patience -= 1;
        }
        let rest = self.machine.bits(16);
        self.machine.run(rest);
        let received = std::mem::take(&mut self.machine.line.received);
        assert_eq!(received, std::mem::take(&mut self.expected), "what came back, in cycle {}", self.machine.cycles);
    }

    fn expect(&mut self, reply: Option<Reply>) {
        let Some(reply) = reply else { return };
        self.seen[reply.status as usize] += 1;
        self.expected.extend(reply.encode());
        if matches!(reply.status, Status::Ok | Status::Bus | Status::Timeout) {
            self.sync();
        }
    }

    /// Plays events.
    pub fn play(&mut self, events: &[Event]) {
        for &event in events {
            match event {
                Event::Byte(byte) => self.machine.line.send(&[byte]),
                Event::Wrong => {
                    let byte = self.rng.random();
                    self.machine.line.send_broken(byte);
                }
                Event::Quiet => self.machine.settle_line(),
            }
            let reply = self.reference.hear(event);
            self.expect(reply);
            if event == Event::Quiet {
                self.sync();
            }
        }
    }

    /// Plays bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        let events: Vec<Event> = bytes.iter().map(|&byte| Event::Byte(byte)).collect();
        self.play(&events);
    }

    /// What memories hold.
    pub fn compare_memories(&mut self) {
        for memory in 0..self.reference.memories.len() {
            assert!(self.machine.memory(memory) == self.reference.memories[memory], "memory {memory} differs");
        }
    }

    fn address(&mut self) -> u32 {
        let held = self.reference.held();
        let sizes: Vec<u32> = self.reference.memories.iter().map(|memory| memory.len() as u32).collect();
        let rng = &mut self.rng;
        match rng.random_range(0..12) {
            0..=1 if sizes.len() > 2 => DUALITY_MEMORY_BASE + 4 * rng.random_range(0..sizes[2] / 4),
            0..=3 => ARRAY_MEMORY_BASE + 4 * rng.random_range(0..sizes[0] / 4),
            4..=7 => CCS_MEMORY_BASE + 4 * rng.random_range(0..sizes[1] / 4),
            8..=9 => held[rng.random_range(0..held.len())],
            // Where a memory ends, and where there is nothing.
            10 => {
                let memory = rng.random_range(0..sizes.len());
                let (base, size) = (MEMORIES[memory], sizes[memory]);
                base + size + 4 * rng.random_range(0..8) - 16
            }
            _ => [
                BOARD_BASE + 64,
                ARRAY_BASE + 128,
                ARRAY_BASE - 4,
                CCS_BASE - 4,
                CCS_BASE + 256,
                0xffff_fffc,
                0x8000_0000,
            ][rng.random_range(0..7)],
        }
    }

    /// A frame: fields that the bus may take or refuse, nothing wrong with its form.
    fn good(&mut self) -> Vec<u8> {
        let address = self.address();
        let (write, fixed): (bool, bool) = (self.rng.random(), self.rng.random_ratio(1, 4));
        let memory = [ARRAY_MEMORY_BASE, CCS_MEMORY_BASE].contains(&(address & 0xf000_0000));
        // Beside registers that hold what is written there are others.
        let count = match self.rng.random_range(0..40) {
            0 if memory => 256,
            1..=9 if memory => self.rng.random_range(2..40),
            _ if memory || fixed => self.rng.random_range(1..5),
            _ => 1,
        };
        let words: Vec<u32> = if write { (0..count).map(|_| self.rng.random()).collect() } else { vec![] };
        raw((1 + u8::from(write)) | (u8::from(fixed) << 7), self.rng.random(), count, address, &words)
    }

    /// A frame with something wrong about it.
    fn bad(&mut self) -> Vec<Event> {
        let mut bytes = self.good();
        let at = self.rng.random_range(0..bytes.len());
        let (tag, address) = (self.rng.random(), self.address());
        let words: Vec<u32> = (0..self.rng.random_range(0..4)).map(|_| self.rng.random()).collect();
        let events = |bytes: Vec<u8>| bytes.into_iter().map(Event::Byte).collect::<Vec<_>>();
        match self.rng.random_range(0..10) {
            0 => bytes[at] ^= 1 << self.rng.random_range(0..8),
            1 => bytes.truncate(at),
            2 => drop(bytes.remove(at)),
            3 => bytes.insert(at, self.rng.random()),
            4 => {
                let operation = [0, 3, 4, 0x40, 0x7f, 0x80, 0x83, 0xff][self.rng.random_range(0..8)];
                bytes = raw(operation, tag, 1, address, &words);
            }
            5 => {
                let count = [0, 257, 258, 0x100 + self.rng.random_range(1..0xfe00), 0x8001, 0xffff]
                    [self.rng.random_range(0..6)];
                bytes = raw(self.rng.random_range(1..3), tag, count, address, &words);
            }
            6 => bytes = raw(self.rng.random_range(1..3), tag, 1, address | self.rng.random_range(1..4), &words),
            7 => bytes = (0..self.rng.random_range(1..30)).map(|_| self.rng.random()).collect(),
            8 => {
                let mut events = events(bytes);
                events[at] = Event::Wrong;
                return events;
            }
            _ => {
                let mut events = events(bytes);
                events.insert(at, Event::Quiet);
                return events;
            }
        }
        events(bytes)
    }

    /// One frame, and then, most often, a quiet line; else the next one follows without a gap.
    pub fn round(&mut self) {
        let mut events =
            if self.rng.random_ratio(1, 2) { self.good().into_iter().map(Event::Byte).collect() } else { self.bad() };
        let quiet = self.rng.random_ratio(9, 10);
        if quiet {
            events.push(Event::Quiet);
        }
        self.play(&events);
        if quiet {
            self.compare_memories();
        }
    }

    /// So many rounds; then both count the same, and a good request works.
    pub fn rounds(&mut self, rounds: usize) {
        (0..rounds).for_each(|_| self.round());
        self.play(&[Event::Quiet]);
        let counts = [REG_FRAMES_OK, REG_FRAMES_REFUSED, REG_WRONG_BYTES];
        for register in counts {
            self.bytes(&raw(Operation::Read as u8, 1, 1, BOARD_BASE + register as u32, &[]));
        }
        let held = self.reference.held();
        held.into_iter().for_each(|address| self.bytes(&raw(Operation::Read as u8, 2, 1, address, &[])));
        println!("{} cycles, replies by status {:?}", self.machine.cycles, self.seen);
    }
}

#[test]
fn random_frames() {
    for (params, seed) in [(tiny(), 11), (tiny(), 12), (with_duality(512), 13)] {
        let (machine, memories) = native(&params, seed);
        let mut campaign = Campaign::new(machine, memories, seed);
        campaign.rounds(110);
        campaign.machine.board.compare_memory().unwrap_or_else(|divergence| panic!("{divergence}"));
        for status in Status::ALL.into_iter().filter(|&status| status != Status::Slow) {
            assert!(campaign.seen[status as usize] > 0, "no reply {}", status.name());
        }
    }
}
