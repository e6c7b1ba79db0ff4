//! Model of the array's memory.

use crate::axil_slave::{AxilSlave, Offer, Write};
use crate::state::{Contents, Touched, Words};

/// Bits of a byte address of the host.
const HOST_ADDRESS_BITS: usize = 23;
/// Bits of a 64-bit word's number, whatever the memory's size.
const INDEX: u32 = (1 << (HOST_ADDRESS_BITS - 3)) - 1;

seen! {
    /// What the array shows in a cycle.
    Bursts {
        /// A write address.
        awvalid: bool = "awvalid";
        /// It.
        awaddr: u64 = "awaddr";
        /// Write data.
        wvalid: bool = "wvalid";
        /// They.
        wdata: u64 = "wdata";
        /// Bytes of them that count.
        wstrb: u8 = "wstrb";
        /// They are the last.
        wlast: bool = "wlast";
        /// A write response would be taken.
        bready: bool = "bready";
        /// A read address.
        arvalid: bool = "arvalid";
        /// It.
        araddr: u64 = "araddr";
        /// Beats less one.
        arlen: u8 = "arlen";
        /// Read data would be taken.
        rready: bool = "rready";
    }
}

/// What the memory shows to the array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Served {
    /// A write address is taken if offered.
    pub write_address_ready: bool,
    /// Write data are taken if offered.
    pub data_ready: bool,
    /// A write response.
    pub response: Option<u8>,
    /// A read address is taken if offered.
    pub read_address_ready: bool,
    /// Read data, their response, whether they are the last.
    pub read: Option<(u64, u8, bool)>,
}

/// The memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayMemory {
    /// The host's slave.
    pub slave: AxilSlave,
    /// Words.
    pub words: Vec<u64>,
    /// A burst's data come; where the next goes; nowhere.
    pub writing: (bool, u32, bool),
    /// A beat goes into the memory: data, strobes, where.
    pub beat: (bool, u64, u8, u32),
    /// A write response is offered.
    pub written: bool,
    /// Beats are read; where the next is; nowhere; beats after it.
    pub reading: (bool, u32, bool, u8),
    /// The memory shows a beat; the last; it means nothing.
    pub shown: (bool, bool, bool),
    /// What the memory shows.
    pub line: u64,
    /// Read data are offered; the last; they mean nothing.
    pub offered: (bool, bool, bool),
    /// These.
    pub offered_data: u64,
    /// The memory shows what the host reads; the slave takes it.
    pub host: [bool; 2],
    /// The word.
    pub host_word: u32,
    /// The word that the last cycle has written.
    pub changed: Option<usize>,
}

impl ArrayMemory {
    /// A memory of so many words of 8 bytes.
    pub fn new(words: usize) -> ArrayMemory {
        ArrayMemory {
            slave: AxilSlave::new(HOST_ADDRESS_BITS),
            words: vec![0; words],
            writing: (false, 0, false),
            beat: (false, 0, 0, 0),
            written: false,
            reading: (false, 0, false, 0),
            shown: (false, false, false),
            line: 0,
            offered: (false, false, false),
            offered_data: 0,
            host: [false; 2],
            host_word: 0,
            changed: None,
        }
    }

    /// What the array sees.
    pub fn served(&self) -> Served {
        let response = |beyond: bool| if beyond { 3 } else { 0 };
        Served {
            write_address_ready: !self.writing.0 && !self.written && self.slave.write().is_none(),
            data_ready: self.writing.0,
            response: self.written.then_some(response(self.writing.2)),
            read_address_ready: !self.reading.0 && self.slave.read().is_none(),
            read: self.offered.0.then_some((self.offered_data, response(self.offered.2), self.offered.1)),
        }
    }

    fn place(&self, index: u32) -> usize {
        index as usize % self.words.len()
    }

    fn beyond(&self, address: u64) -> bool {
        address >= 8 * self.words.len() as u64
    }

    fn put(&mut self, index: u32, data: u64, strobes: u8) {
        let place = self.place(index);
        self.changed = Some(place);
        let mut bytes = self.words[place].to_le_bytes();
        (0..8).filter(|byte| strobes >> byte & 1 == 1).for_each(|byte| bytes[byte] = data.to_le_bytes()[byte]);
        self.words[place] = u64::from_le_bytes(bytes);
    }

    /// One clock edge: what host and array show.
    pub fn step(&mut self, host: &Offer, bursts: &Bursts) {
        let words = std::mem::take(&mut self.words);
        let before = self.clone();
        self.words = words;
        let served = before.served();
        self.changed = None;
        // Bursts that write.
        let index = |address: u64| (address >> 3) as u32 & INDEX;
        if served.write_address_ready {
            self.writing = (bursts.awvalid, index(bursts.awaddr), self.beyond(bursts.awaddr));
        }
        self.written &= !bursts.bready;
        let comes = before.writing.0 && bursts.wvalid;
        self.beat = (comes && !before.writing.2, bursts.wdata, bursts.wstrb, before.writing.1);
        if comes {
            self.writing.1 = (before.writing.1 + 1) & INDEX;
            if bursts.wlast {
                (self.writing.0, self.written) = (false, true);
            }
        }
        // Bursts that read.
        if served.read_address_ready {
            let address = bursts.araddr;
            self.reading = (bursts.arvalid, index(address), self.beyond(address), bursts.arlen);
        }
        let moves = !before.offered.0 || bursts.rready;
        if moves {
            (self.offered, self.offered_data) = (before.shown, before.line);
            self.shown.0 = false;
        }
        let issue = before.reading.0 && (!before.shown.0 || moves);
        if issue {
            let (_, at, beyond, left) = before.reading;
            self.line = self.words[self.place(at)];
            self.reading = (left > 0, (at + 1) & INDEX, beyond, left.wrapping_sub(1));
            self.shown = (true, left == 0, beyond);
        }
        // Words of the host.
        let free = !before.reading.0 && !before.shown.0 && before.host == [false; 2];
        let read = before.slave.read().filter(|_| free);
        if let Some(number) = read {
            self.line = self.words[self.place(number >> 1)];
        }
        self.host = [read.is_some(), before.host[0]];
        let high = before.slave.read_address.unwrap_or(0) & 1;
        self.host_word = (before.line >> (32 * high)) as u32;
        let write = before.slave.write().filter(|_| !before.writing.0 && !before.beat.0);
        if let Some(Write { number, data, .. }) = write {
            let high = number & 1;
            self.put(number >> 1, u64::from(data) << (32 * high), 15 << (4 * high));
        }
        if before.beat.0 {
            self.put(before.beat.3, before.beat.1, before.beat.2);
        }
        self.slave.step(host, write.is_some(), before.host[1].then_some(before.host_word));
    }
}

state! {
    ArrayMemory(self) {
        in slave = self.slave;
        writing = self.writing.0;
        write_index = self.writing.1;
        write_beyond = self.writing.2;
        beat = self.beat.0;
        beat_data = self.beat.1;
        beat_strobes = self.beat.2;
        beat_index = self.beat.3;
        written = self.written;
        reading = self.reading.0;
        read_index = self.reading.1;
        read_beyond = self.reading.2;
        read_left = self.reading.3;
        shown = self.shown.0;
        shown_last = self.shown.1;
        shown_beyond = self.shown.2;
        offered = self.offered.0;
        offered_last = self.offered.1;
        offered_beyond = self.offered.2;
        self => offered_data;
        host_shown = self.host[0];
        host_taken = self.host[1];
        when (self.host[1]) {
            self => host_word;
        }
        let touched = |to: &mut dyn FnMut(usize)| self.changed.into_iter().for_each(to);
        memory (rams) [byte in 0..8] = Contents {
            depth: self.words.len(),
            words: Words::Narrow(&|word| Some(self.words[word] >> (8 * byte) & 0xff)),
            touched: Touched::Seldom(&touched),
        };
    }
}
