//! Model of the memory reader. It asks for the bursts of transfers in order; from the beats that come it delivers each
//! transfer's elements in order, the last with the first error of the beats that the elements are in.

use std::collections::VecDeque;
use std::ops::Range;

use super::core::MemoryInputs;
use super::master::MasterSeen;
use super::{Burst, Elements, FAILED, OKAY, SOON};
use crate::seen::Rules;

seen! {
    /// What the reader shows.
    ReaderSeen {
        /// A transfer is taken if offered.
        ready: bool = "start_ready";
        /// A word is offered.
        valid: bool = "word_valid";
        /// The element in its low bits.
        data: u64 = "word_data";
        /// It is the transfer's last.
        last: bool = "word_last";
        /// With the last: the transfer's first error, 0 for none.
        response: u8 = "word_response";
        /// The element that it concerns.
        address: u64 = "word_address";
    }
}

/// The reader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryReader {
    beat: u64,
    /// Bursts to ask for.
    pub bursts: VecDeque<Burst>,
    /// Beats to come, as the bytes of each that count.
    pub beats: VecDeque<Range<usize>>,
    /// The beat on the bus is among those that came.
    shown: bool,
    /// Bytes that came, with the responses of their beats.
    bytes: VecDeque<(u8, u8)>,
    /// What is left of transfers.
    pub transfers: VecDeque<Elements>,
    /// First error of the first of them, and the element that it concerns.
    failed: Option<(u8, u64)>,
}

impl MemoryReader {
    /// A reader for beats of `beat` bytes.
    pub fn new(beat: u64) -> MemoryReader {
        MemoryReader { beat, ..MemoryReader::default() }
    }

    /// Data on the bus count from the cycle in which they are offered.
    fn comes(&mut self, bus: &MemoryInputs, rules: &mut Rules) {
        let Some((data, response)) = bus.read_data.as_ref().filter(|_| !self.shown) else { return };
        let lanes = self.beats.pop_front();
        rules.holds("only beats that were asked for come", lanes.is_some());
        let byte = |lane: usize| ((data[lane / 8] >> (lane % 8 * 8)) as u8, *response);
        self.bytes.extend(lanes.unwrap_or(0..0).map(byte));
        self.shown = true;
    }

    /// The next element and the error up to it, if its bytes are here.
    fn next(&self) -> Option<(u64, Option<(u8, u64)>)> {
        let element = self.transfers.front()?;
        let bytes = (self.bytes.len() >= element.bytes.into()).then(|| self.bytes.iter().take(element.bytes.into()))?;
        let data = bytes.clone().rev().fold(0, |all, byte| all << 8 | u64::from(byte.0));
        let failed = bytes.map(|byte| byte.1).find(|response| response & FAILED != 0);
        Some((data, self.failed.or(failed.map(|response| (response, element.address)))))
    }

    /// A clock edge: the transfer that starts, what the reader and the bus show, whether the word on offer is taken.
    pub fn step(
        &mut self,
        start: Option<Elements>,
        (seen, master): (&ReaderSeen, &MasterSeen),
        bus: &MemoryInputs,
        take: bool,
        rules: &mut Rules,
    ) {
        // A word that is there is of bytes that came before.
        let next = self.next();
        rules.moves("an element leaves the reader when it is there", next.is_some(), seen.valid, SOON);
        if let (Some(elements), Some((data, failed)), true) = (self.transfers.front().copied(), next, seen.valid) {
            let mask = u64::MAX >> (64 - 8 * u32::from(elements.bytes));
            rules.same("the reader's element", &data, &(seen.data & mask));
            rules.same("it is the last", &(elements.count == 1), &seen.last);
            if elements.count == 1 {
                rules.same("the reader's response", &failed.map_or(OKAY, |failed| failed.0), &seen.response);
                let address = failed.map_or(seen.address, |failed| failed.1);
                rules.same("the address of its error", &address, &seen.address);
            }
            if take {
                self.bytes.drain(..usize::from(elements.bytes));
                self.failed = failed.filter(|_| elements.count > 1);
                match elements.rest() {
                    Some(rest) => self.transfers[0] = rest,
                    None => _ = self.transfers.pop_front(),
                }
            }
        }
        let burst = self.bursts.front();
        rules.moves("the reader asks for a burst", burst.is_some(), master.arvalid, SOON);
        if let Some(Burst { address, beats }) = burst.filter(|_| master.arvalid) {
            rules.same("the read burst", &(*address, beats.len()), &(master.araddr, usize::from(master.arlen) + 1));
            if bus.read_address_ready {
                self.beats.extend(beats.iter().cloned());
                self.bursts.pop_front();
            }
        }
        self.comes(bus, rules);
        self.shown &= !master.rready;
        rules.moves("an idle reader takes a transfer", true, seen.ready || !self.transfers.is_empty(), SOON);
        if let Some(elements) = start {
            self.bursts.extend(elements.bursts(self.beat));
            self.transfers.push_back(elements);
        }
    }

    /// A reset has passed.
    pub fn reset(&mut self) {
        *self = MemoryReader::new(self.beat);
    }
}
