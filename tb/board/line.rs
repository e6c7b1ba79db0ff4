//! The host's end of a UART, cycle by cycle.

use std::collections::VecDeque;

/// What goes to the board and what comes from it.
#[derive(Debug)]
pub struct Line {
    cycles_a_bit: u32,
    levels: VecDeque<(bool, u32)>,
    /// Cycles since the start bit of the byte that comes, and its bits so far.
    coming: Option<(u32, u32)>,
    /// Bytes that came.
    pub received: Vec<u8>,
    /// Stop bits that were low.
    pub broken: usize,
}

impl Line {
    /// A line with nothing on it.
    pub fn new(cycles_a_bit: u32) -> Line {
        Line { cycles_a_bit, levels: VecDeque::new(), coming: None, received: vec![], broken: 0 }
    }

    /// Holds the line at a level for some cycles.
    pub fn level(&mut self, level: bool, cycles: u32) {
        if cycles > 0 {
            self.levels.push_back((level, cycles));
        }
    }

    /// Nothing, for so many bits.
    pub fn pause(&mut self, bits: u32) {
        self.level(true, bits * self.cycles_a_bit);
    }

    fn byte(&mut self, byte: u8, stop: bool) {
        let bits = (0x200 * u32::from(stop)) | (u32::from(byte) << 1);
        (0..10).for_each(|bit| self.level(bits >> bit & 1 == 1, self.cycles_a_bit));
    }

    /// Bytes, one right after the other.
    pub fn send(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.byte(byte, true));
    }

    /// A byte with a low stop bit, and the line high again for a bit.
    pub fn send_broken(&mut self, byte: u8) {
        self.byte(byte, false);
        self.pause(1);
    }

    /// Everything is sent.
    pub fn idle(&self) -> bool {
        self.levels.is_empty()
    }

    /// The level in this cycle.
    pub fn drive(&mut self) -> bool {
        let Some((level, cycles)) = self.levels.front_mut() else { return true };
        let level = *level;
        *cycles -= 1;
        if *cycles == 0 {
            self.levels.pop_front();
        }
        level
    }

    /// The board's level in this cycle.
    pub fn sense(&mut self, level: bool) {
        let Some((cycles, bits)) = &mut self.coming else {
            self.coming = (!level).then_some((0, 0));
            return;
        };
        *cycles += 1;
        let (bit, phase) = (*cycles / self.cycles_a_bit, *cycles % self.cycles_a_bit);
        if phase == self.cycles_a_bit / 2 {
            *bits |= u32::from(level) << bit;
            if bit == 9 {
                match *bits >> 9 {
                    1 => self.received.push((*bits >> 1) as u8),
                    _ => self.broken += 1,
                }
                self.coming = None;
            }
        }
    }
}
