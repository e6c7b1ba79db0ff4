//! Model of the host bridge: requests from the line, as the protocol has them, are done on the bus a word at a time,
//! and answered on the line. Bits on the line have their time; when a word goes to the bus and a byte to the line is
//! the hardware's choice.

use std::collections::VecDeque;

use super::line_timer::LineTimer;
use super::uart_receiver::{Heard, UartReceiver};
use super::uart_transmitter::UartTransmitter;
use crate::axil_slave::{Answer, Offer};
use crate::seen::Rules;
use bitline_units::system::protocol::{
    FIXED_ADDRESS, MAX_WORDS, Operation, REQUEST_BYTES, REQUEST_START, Reply, Status, checksum,
};

/// Cycles in which something happens that nothing stands in the way of.
const SOON: u32 = 16;

seen! {
    /// What the bridge shows.
    HostSeen {
        /// A byte for the line.
        byte: bool = "sender.byte_valid";
        /// Which.
        value: u8 = "sender.byte_";
        /// A request was answered, and how.
        ok: bool = "frame_ok";
        /// The same.
        refused: bool = "frame_refused";
        /// A request is under way.
        busy: bool = "frame_busy";
        /// The bridge has its reply.
        replies: bool = "bridge.reply_valid";
        /// A write address is offered to the bus.
        awvalid: bool = "m_axil_awvalid";
        /// It.
        awaddr: u32 = "m_axil_awaddr";
        /// Write data are.
        wvalid: bool = "m_axil_wvalid";
        /// They.
        wdata: u32 = "m_axil_wdata";
        /// A read address is.
        arvalid: bool = "m_axil_arvalid";
        /// It.
        araddr: u32 = "m_axil_araddr";
    }
}

/// What the bridge shows besides the bus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Events {
    /// A request is under way.
    pub busy: bool,
    /// One was answered with status `ok`.
    pub ok: bool,
    /// One was answered with another.
    pub refused: bool,
    /// A byte had a wrong stop bit.
    pub wrong_byte: bool,
}

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Asked {
    write: bool,
    fixed: bool,
    tag: u8,
    address: u32,
    /// Words to write, or zeros.
    words: Vec<u32>,
    /// Those that were written or read.
    done: Vec<u32>,
    /// How the request ended; nothing while it is done.
    status: Option<Status>,
}

/// The bridge with what is on its way to the pins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostBridge {
    /// Bytes from the line.
    pub uart_receiver: UartReceiver,
    /// Bytes to the line.
    pub uart_transmitter: UartTransmitter,
    /// Time since the last byte.
    pub timer: LineTimer,
    /// What the hardware shows.
    pub seen: HostSeen,
    /// What the hardware is held to.
    pub rules: Rules,
    log2_bus_timeout: usize,
    /// The frame that comes.
    frame: Vec<u8>,
    /// Bytes are dropped until the line is quiet.
    drains: bool,
    /// The request that is under way.
    request: Option<Asked>,
    /// What it is answered with, still to be sent.
    reply: VecDeque<u8>,
    /// The reply has begun to be sent.
    replied: bool,
    /// What is on offer to the bus: write address, write data, read address.
    offers: [bool; 3],
    /// The bus owes an answer for so many cycles.
    owed: Option<u32>,
    /// It did when the request came.
    stale: bool,
}

impl HostBridge {
    /// A bridge after reset.
    pub fn new(cycles_a_bit: u32, timeout_bits: u32, log2_bus_timeout: usize) -> HostBridge {
        HostBridge {
            uart_receiver: UartReceiver::new(cycles_a_bit),
            uart_transmitter: UartTransmitter::new(cycles_a_bit),
            timer: LineTimer::new(cycles_a_bit, timeout_bits),
            seen: HostSeen::default(),
            rules: Rules::default(),
            log2_bus_timeout,
            frame: vec![],
            drains: false,
            request: None,
            reply: VecDeque::new(),
            replied: false,
            offers: [false; 3],
            owed: None,
            stale: false,
        }
    }

    /// What it shows to the bus.
    pub fn master(&self) -> Offer {
        let HostSeen { awvalid, awaddr, wvalid, wdata, arvalid, araddr, .. } = self.seen;
        Offer {
            write_address: awvalid.then_some(awaddr),
            write_data: wvalid.then_some((wdata, 15)),
            take_response: true,
            read_address: arvalid.then_some(araddr),
            take_data: true,
        }
    }

    /// What else it shows.
    pub fn events(&self) -> Events {
        let HostSeen { ok, refused, .. } = self.seen;
        Events {
            busy: !self.frame.is_empty() || self.request.is_some(),
            ok,
            refused,
            wrong_byte: self.uart_receiver.heard() == Some(Heard::Wrong),
        }
    }

    /// The request that a frame is, once it is whole or cannot become one any more.
    fn judged(&self) -> Option<Asked> {
        let (header, data) = self.frame.split_at_checked(REQUEST_BYTES)?;
        let &[_, operation, tag, c0, c1, a0, a1, a2, a3, s0, s1] = header else { return None };
        let (count, address) = (usize::from(u16::from_le_bytes([c0, c1])), u32::from_le_bytes([a0, a1, a2, a3]));
        let write = operation & !FIXED_ADDRESS == Operation::Write as u8;
        let mut asked =
            Asked { fixed: operation & FIXED_ADDRESS != 0, write, tag, address, ..self.refused(Status::Ok) };
        asked.status = if checksum(&header[..REQUEST_BYTES - 2]).to_le_bytes() != [s0, s1] {
            Some(Status::Checksum)
        } else if !write && operation & !FIXED_ADDRESS != Operation::Read as u8 {
            Some(Status::Operation)
        } else if !(1..=MAX_WORDS).contains(&count) {
            Some(Status::Count)
        } else if address % 4 != 0 {
            Some(Status::Alignment)
        } else if write {
            let (words, sum) = data.split_at_checked(4 * count).filter(|(_, sum)| sum.len() == 2)?;
            let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("four bytes"));
            asked.words = words.chunks(4).map(word).collect();
            (checksum(words).to_le_bytes() != sum).then_some(Status::Checksum)
        } else {
            asked.words = vec![0; count];
            None
        };
        Some(asked)
    }

    /// A frame that ends like this, of what is known of it.
    fn refused(&self, status: Status) -> Asked {
        let tag = self.frame.get(2).copied().unwrap_or(0);
        let (words, done) = (vec![], vec![]);
        Asked { write: false, fixed: false, tag, address: 0, words, done, status: Some(status) }
    }

    /// Bytes from the line.
    fn hears(&mut self) {
        let expired = self.timer.expired();
        let byte = match self.uart_receiver.heard() {
            Some(Heard::Byte(byte)) => Some(byte),
            _ => None,
        };
        if self.request.is_some() {
            return;
        }
        let drains = self.drains;
        self.drains &= !expired;
        if self.frame.is_empty() {
            return self.frame.extend(byte.filter(|&byte| !drains && byte == REQUEST_START));
        }
        self.frame.extend(byte);
        self.request = if expired { Some(self.refused(Status::Timeout)) } else { self.judged() };
        if let Some(request) = &self.request {
            (self.drains, self.stale) = (request.status.is_some(), self.owed.is_some());
            self.frame.clear();
        }
    }

    /// The bus: what it shows, and its data's wires.
    fn goes_on(&mut self, bus: &Answer) {
        let HostSeen { awvalid, awaddr, wvalid, wdata, arvalid, araddr, replies, .. } = self.seen;
        let (shown, free) = ([awvalid, wvalid, arvalid], self.offers == [false; 3]);
        let timeout = 1 << self.log2_bus_timeout;
        let word = self.request.as_ref().filter(|asked| asked.status.is_none() && self.owed.is_none());
        self.rules.moves("a word goes to the bus", word.is_some(), free && shown != [false; 3], SOON);
        if let Some(asked) = word.filter(|_| shown != [false; 3]) {
            self.offers = [asked.write, asked.write, !asked.write];
            (self.owed, self.stale) = (Some(0), false);
        }
        self.rules.same("what is offered to the bus", &self.offers, &shown);
        // What is offered after a time-out belongs to the request before.
        if let Some(asked) = self.request.as_ref().filter(|asked| asked.status.is_none() && !self.stale) {
            let number = asked.done.len();
            let address = asked.address.wrapping_add(if asked.fixed { 0 } else { 4 * number as u32 });
            let same = (!awvalid || awaddr == address) && (!arvalid || araddr == address);
            self.rules.holds("the address on the bus", same);
            self.rules.holds("the word on the bus", !wvalid || asked.words.get(number) == Some(&wdata));
        }
        let ready = [bus.write_address_ready, bus.write_data_ready, bus.read_address_ready];
        self.offers.iter_mut().zip(ready).for_each(|(offer, ready)| *offer &= !ready);
        let answer = bus.response.map(|response| (0, response)).or(bus.data);
        let owed = self.owed;
        self.owed = owed.map(|cycles| cycles + 1).filter(|_| answer.is_none());
        let Some(asked) = &mut self.request else { return };
        if asked.status.is_some() {
            return;
        }
        let waits = owed.is_some_and(|_| self.stale);
        self.rules.moves("a request ends at once while the bus owes an answer", waits, waits && replies, SOON);
        match (owed, answer) {
            (Some(_), Some(_)) if self.stale => {}
            (Some(_), Some((_, response))) if response >= 2 => asked.status = Some(Status::Bus),
            (Some(_), Some((data, _))) => {
                asked.done.push(data);
                asked.status = (asked.done.len() == asked.words.len()).then_some(Status::Ok);
            }
            _ if replies => {
                let late = owed.is_some_and(|cycles| cycles + SOON >= timeout);
                self.rules.holds("the bus has its time", self.stale || late);
                asked.status = Some(Status::Slow);
            }
            _ => self.rules.holds("and no more", self.stale || owed.is_none_or(|cycles| cycles <= timeout + SOON)),
        }
    }

    /// The reply.
    fn answers(&mut self) {
        let HostSeen { byte, value, ok, refused, .. } = self.seen;
        let Some(Asked { write, tag, done, status: Some(status), .. }) = &self.request else {
            return self.rules.holds("nothing is sent without a request", !byte && !ok && !refused);
        };
        if !std::mem::replace(&mut self.replied, true) {
            let words = if *write { vec![] } else { done.clone() };
            let reply = Reply { status: *status, tag: *tag, count: done.len() as u16, words };
            self.reply = reply.encode().into();
        }
        let waits = !self.reply.is_empty() && self.uart_transmitter.ready();
        self.rules.moves("a byte goes to the line", waits, waits && byte, SOON);
        self.rules.same("the byte for the line", &self.reply.front().filter(|_| byte), &Some(&value).filter(|_| byte));
        let good = *status == Status::Ok;
        let over = self.reply.is_empty();
        self.rules.moves("a request ends", over, ok || refused, SOON);
        self.rules.holds("it ends as it was answered", if good { !refused } else { !ok });
        if waits && byte {
            self.reply.pop_front();
        }
        if ok || refused {
            (self.request, self.replied) = (None, false);
        }
    }

    /// One clock edge: the line, and what the bus shows.
    pub fn step(&mut self, rxd: bool, bus: &Answer) {
        self.rules.same("a request is under way", &self.events().busy, &self.seen.busy);
        let heard = self.uart_receiver.heard().is_some();
        let byte = self.reply.front().copied().filter(|_| self.seen.byte);
        let asked = self.request.is_some();
        self.goes_on(bus);
        if asked {
            self.answers();
        } else {
            self.hears();
        }
        self.uart_transmitter.step(byte);
        self.timer.step(heard);
        self.uart_receiver.step(rxd);
    }
}

state! {
    HostBridge(self) {
        in uart_receiver = self.uart_receiver;
        in uart_transmitter = self.uart_transmitter;
        in receiver {
            in timer {
                cycles = self.timer.counters().0;
                bits = self.timer.counters().1;
            }
        }
    }
}
