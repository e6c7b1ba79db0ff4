//! Model of the bridge.

use super::frame_receiver::Asked;
use super::slave::{Answers, Master};
use bitline_units::system::protocol::Status;

/// Bits of the counter that ends waiting.
const TIMEOUT: u32 = 25;

/// What the bridge does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Waits for a request.
    Idle,
    /// Begins a word.
    Begin,
    /// The word comes from the buffer.
    Fetch,
    /// Waits for the bus.
    Wait,
    /// Has a reply.
    Reply,
}

/// The bridge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bridge {
    /// What it does.
    pub phase: Phase,
    /// Address of the word.
    pub address: u32,
    /// The word to write.
    pub data: u32,
    /// Words done.
    pub done: u16,
    /// How the request ended.
    pub status: u8,
    /// Offered: write address, write data, read address.
    pub offers: [bool; 3],
    /// The bus owes an answer.
    pub waiting: bool,
    /// Cycles that it has owed it.
    pub cycles: u32,
    /// A word goes to the buffer.
    pub storing: bool,
    /// What was on the bus a cycle ago.
    pub stored: u32,
    /// Its number.
    pub stored_index: u8,
    log2_timeout: u32,
}

impl Bridge {
    /// A bridge after reset.
    pub fn new(log2_timeout: usize) -> Bridge {
        Bridge {
            phase: Phase::Idle,
            address: 0,
            data: 0,
            done: 0,
            status: 0,
            offers: [false; 3],
            waiting: false,
            cycles: 0,
            storing: false,
            stored: 0,
            stored_index: 0,
            log2_timeout: log2_timeout as u32,
        }
    }

    /// What it shows to the bus.
    pub fn master(&self) -> Master {
        let [address, data, read] = self.offers;
        Master {
            write_address: address.then_some(self.address),
            write_data: data.then_some(self.data),
            read_address: read.then_some(self.address),
            wires: [self.address, self.data, self.address],
        }
    }

    /// A word is fetched: its number.
    pub fn fetch(&self, asked: &Asked) -> Option<u8> {
        (self.phase == Phase::Begin && asked.write).then_some(self.done as u8)
    }

    /// A word for the buffer, and its number.
    pub fn store(&self) -> Option<(u8, u32)> {
        self.storing.then_some((self.stored_index, self.stored))
    }

    /// A reply is there.
    pub fn replies(&self) -> bool {
        self.phase == Phase::Reply
    }

    /// One clock edge: the request, whether there is one, the word that the buffer shows, what the bus shows, its
    /// data's wires, and whether the reply is sent.
    pub fn step(&mut self, asked: &Asked, there: bool, word: u32, bus: &Answers, wires: u32, sent: bool) {
        let number = self.done as u8;
        let answer = bus.response.or(bus.data.map(|data| data.1));
        let ready = [bus.write_address_ready, bus.write_data_ready, bus.read_address_ready];
        self.offers = std::array::from_fn(|i| self.offers[i] && !ready[i]);
        let (owed, cycles) = (self.waiting, self.cycles);
        self.waiting &= answer.is_none();
        self.cycles = (cycles + 1) % (1 << TIMEOUT);
        (self.storing, self.stored, self.stored_index) = (false, wires, number);
        match self.phase {
            Phase::Idle if there => {
                (self.done, self.status, self.phase) = (0, asked.status, Phase::Reply);
                if asked.status == Status::Ok as u8 {
                    if owed {
                        self.status = Status::Slow as u8;
                    } else {
                        (self.address, self.phase) = (asked.address, Phase::Begin);
                    }
                }
            }
            Phase::Begin => (self.cycles, self.phase) = (0, Phase::Fetch),
            Phase::Fetch => {
                self.data = word;
                self.offers = [asked.write, asked.write, !asked.write];
                (self.waiting, self.phase) = (true, Phase::Wait);
            }
            Phase::Wait => match answer {
                Some(response) if response >= 2 => (self.status, self.phase) = (Status::Bus as u8, Phase::Reply),
                Some(_) => {
                    self.storing = !asked.write;
                    self.done += 1;
                    if !asked.fixed {
                        self.address = self.address.wrapping_add(4);
                    }
                    self.phase = Phase::Begin;
                    if self.done == asked.count {
                        (self.status, self.phase) = (Status::Ok as u8, Phase::Reply);
                    }
                }
                None if cycles >> self.log2_timeout & 1 == 1 => {
                    (self.status, self.phase) = (Status::Slow as u8, Phase::Reply);
                }
                None => {}
            },
            Phase::Reply if sent => self.phase = Phase::Idle,
            _ => {}
        }
    }
}

state! {
    Bridge(self) {
        phase = self.phase as u8;
        self => address, data, done, status, waiting, cycles, storing, stored, stored_index;
        aw_valid = self.offers[0];
        w_valid = self.offers[1];
        ar_valid = self.offers[2];
    }
}
