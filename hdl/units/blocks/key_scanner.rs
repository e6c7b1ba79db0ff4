//! Key scanner: holds the key, moves it down to its next 1 bit, and follows the tokens that ask for the wired-OR of the tags.
//!
//! While it scans, the key moves by four zeros or one bit a cycle, ahead of the rows that wait for a 1. Tokens come back with the
//! wired-OR of their row: key tokens shift it into the key, width tokens find the effective width (the highest bit row of a scan in
//! which any column holds a 1).

use crate::isa::row::Token;
use crate::isa::word::flow::{KEY_SHIFT_BITS, TOKEN_BITS};
use crate::kernel::prelude::*;

const TOKEN_WIDTH: u64 = Token::Width as u64;
const TOKEN_KEY: u64 = Token::Key as u64;

/// The key scanner.
#[derive(LogicBlock, Default)]
pub struct KeyScanner {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// A command starts: takes the start values.
    pub take: Signal<In, Bit>,
    /// Key at the start.
    pub start_key: Signal<In, Word<64, 1>>,
    /// The scanner starts at once.
    pub start_scan: Signal<In, Bit>,
    /// Smallest effective width.
    pub start_min_width: Signal<In, Bits<7>>,
    /// Width of the command.
    pub start_width: Signal<In, Bits<7>>,
    /// A command runs.
    pub active: Signal<In, Bit>,
    /// The row at hand is issued.
    pub issue: Signal<In, Bit>,
    /// It is addressed by the scanner.
    pub keyed: Signal<In, Bit>,
    /// Bits by which the key moves down when it is issued.
    pub key_shift: Signal<In, Bits<KEY_SHIFT_BITS>>,
    /// Its token.
    pub token: Signal<In, Bits<TOKEN_BITS>>,
    /// Token whose wired-OR is known in this cycle, or 0.
    pub return_token: Signal<In, Bits<TOKEN_BITS>>,
    /// The wired-OR.
    pub return_any: Signal<In, Bit>,
    /// The key's lowest bit is a 1.
    pub found: Signal<Out, Bit>,
    /// No 1 is left; known a cycle late.
    pub exhausted: Signal<Out, Bit>,
    /// No token is on its way; known a cycle late.
    pub all_returned: Signal<Out, Bit>,
    /// The key.
    pub key_now: Signal<Out, Word<64, 1>>,
    /// Position of its lowest bit.
    pub at: Signal<Out, Bits<7>>,
    /// The effective width.
    pub effective_width: Signal<Out, Bits<7>>,
    /// Key; it holds no bits beyond the width.
    pub key: Register<Word<64, 1>>,
    /// The key was 0 a cycle ago.
    pub empty: Register<Bit>,
    /// Position of the key's lowest bit.
    pub position: Register<Bits<7>>,
    /// The scanner runs.
    pub scanning: Register<Bit>,
    /// Effective width.
    pub width: Register<Bits<7>>,
    /// Rows of the scan still to come back.
    pub scan_left: Register<Bits<7>>,
    /// Tokens on their way, but for one issued in the cycle before.
    pub tokens: Register<Bits<4>>,
    /// One was issued in the cycle before.
    pub sent: Register<Bit>,
    /// None was on its way a cycle ago, and none has been issued since.
    pub drained: Register<Bit>,
    sends: Signal<Local, Bit>,
}

impl Logic for KeyScanner {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, key, empty, position, scanning, width, scan_left, tokens, sent, drained);
        self.found.next = self.key.q.val().get_bit(0);
        self.exhausted.next = self.empty.q.val();
        self.all_returned.next = self.drained.q.val();
        self.key_now.next = self.key.q.val();
        self.at.next = self.position.q.val();
        self.effective_width.next = self.width.q.val();
        self.empty.d.next = self.key.q.val() == 0;
        if self.keyed.val() & self.active.val() & self.drained.q.val() {
            self.scanning.d.next = true;
        }
        // Tokens.
        self.sends.next = self.issue.val() & (self.token.val() != 0);
        self.sent.d.next = self.sends.val();
        self.drained.d.next = (self.tokens.q.val() == 0) & !self.sent.q.val() & !self.sends.val();
        if self.sent.q.val() {
            if self.return_token.val() == 0 {
                self.tokens.d.next = self.tokens.q.val() + 1;
            }
        } else if self.return_token.val() != 0 {
            self.tokens.d.next = self.tokens.q.val() - 1;
        }
        if self.return_token.val() == TOKEN_WIDTH {
            if self.return_any.val() & (self.scan_left.q.val() > self.width.q.val()) {
                self.width.d.next = self.scan_left.q.val();
            }
            self.scan_left.d.next = self.scan_left.q.val() - 1;
        }
        // Key.
        if self.return_token.val() == TOKEN_KEY {
            self.empty.d.next = false;
            self.key.d.next = (self.key.q.val() << 1) | bits_to::<Word<64, 1>, Bit>(self.return_any.val());
        } else if self.issue.val() & self.keyed.val() {
            self.key.d.next = self.key.q.val() >> 1;
            self.position.d.next = self.position.q.val() + 1;
        } else if self.scanning.q.val() & !self.empty.q.val() & !self.key.q.val().get_bit(0) {
            if self.key.q.val().get_bits::<4>(0) == 0 {
                self.key.d.next = self.key.q.val() >> 4;
                self.position.d.next = self.position.q.val() + 4;
            } else {
                self.key.d.next = self.key.q.val() >> 1;
                self.position.d.next = self.position.q.val() + 1;
            }
        } else if self.issue.val() {
            self.key.d.next = self.key.q.val() >> self.key_shift.val();
        }
        if self.take.val() {
            self.key.d.next = self.start_key.val();
            self.empty.d.next = false;
            self.position.d.next = 0.into();
            self.scanning.d.next = self.start_scan.val();
            self.width.d.next = self.start_min_width.val();
            self.scan_left.d.next = self.start_width.val();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            "key_scanner",
            "Moves the key down to its next 1 bit; follows tokens; finds the effective width.",
            constants![TOKEN_WIDTH, TOKEN_KEY],
        )
    }
}
