//! Key scanner: holds the key, moves it down to its next 1 bit, and follows the tokens that ask for the wired-OR of the
//! tags.
//!
//! While it scans, the key moves by four zeros or one bit a cycle, ahead of the rows that wait for a 1. Tokens come
//! back with the wired-OR of their row: key tokens shift it into the key, width tokens find the effective width (the
//! highest bit row of a scan in which any column holds a 1).
//!
//! With constants, rows may give the key one of them: it is the one at the pointer, which a row has set and every row
//! that takes a constant moves up. Memory answers a cycle late: between two such rows there is another one.

use crate::array::blocks::bundles::ReturnSink;
use crate::array::isa::constants::CONSTANT_ADDRESS_BITS;
use crate::array::isa::row::Token;
use crate::array::isa::word::flow::{KEY_SHIFT_BITS, TOKEN_BITS};
use crate::kernel::prelude::*;

numbers! { TOKEN_WIDTH = Token::Width, TOKEN_KEY = Token::Key }

hdl_block! {
    /// The key scanner.
    pub KeyScanner {
        In clock: Domain; /// Clock and reset.
        In take: Bit; /// A command starts: takes the start values.
        In start_key: Word<64, 1>; /// Key at the start.
        In start_scan: Bit; /// The scanner starts at once.
        In start_min_width, start_width: Bits<7>; /// Smallest effective width. Width of the command.
        In active: Bit; /// A command runs.
        In issue, keyed: Bit; /// The row at hand is issued. It is addressed by the scanner.
        In key_shift: Bits<KEY_SHIFT_BITS>; /// Bits by which the key moves down when it is issued.
        In point, take_constant: Bit; /// It points at a constant. The key takes the constant that is pointed at.
        In constant_address: Bits<CONSTANT_ADDRESS_BITS>; /// The constant that it points at.
        In token: Bits<TOKEN_BITS>; /// Its token.
        Bus return__: ReturnSink; /// A token comes back.
        Out found, exhausted: Bit; /// The key's lowest bit is a 1. No 1 is left; known a cycle late.
        Out all_returned: Bit; /// No token is on its way; known a cycle late.
        Out key_now: Word<64, 1>; /// The key.
        Out at: Bits<7>; /// Position of its lowest bit.
        Out effective_width: Bits<7>; /// The effective width.
    } inside {
        Child constants: Rom<Word<64, 1>, Bits<CONSTANT_ADDRESS_BITS>>; // Constants, the one pointed at a cycle late.
        Register pointer: Bits<CONSTANT_ADDRESS_BITS>; // Address of the constant that the key takes next.
        Register key: Word<64, 1>; // Key; it holds no bits beyond the width.
        Register empty: Bit; // The key was 0 a cycle ago.
        Register position: Bits<7>; // Position of the key's lowest bit.
        Register scanning: Bit; // The scanner runs.
        Register width, scan_left: Bits<7>; // Effective width. Rows of the scan still to come back.
        Register tokens: Bits<4>; // Tokens on their way, but for one issued in the cycle before.
        Register sent: Bit; // One was issued in the cycle before.
        Register drained: Bit; // None was on its way a cycle ago, and none has been issued since.
        Local sends: Bit;
        Value _constants: bool;
    }
}

impl KeyScanner {
    /// Key scanner with these constants, if there are any.
    pub fn new(constants: &[u64]) -> Self {
        // A memory has two words at least: without constants nothing reads them.
        let words = if constants.is_empty() { &[0; 2] } else { constants };
        KeyScanner {
            constants: Rom::new(words.iter().map(|&word| Word::from_limbs([word])).collect()),
            _constants: !constants.is_empty(),
            ..Self::default()
        }
    }
}

impl Logic for KeyScanner {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, constants);
        dff_setup!(self, clock, pointer, key, empty, position, scanning, width, scan_left, tokens, sent, drained);
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
            if self.return__.token.val() == 0 {
                self.tokens.d.next = self.tokens.q.val() + 1;
            }
        } else if self.return__.token.val() != 0 {
            self.tokens.d.next = self.tokens.q.val() - 1;
        }
        if self.return__.token.val() == TOKEN_WIDTH {
            if self.return__.any.val() & (self.scan_left.q.val() > self.width.q.val()) {
                self.width.d.next = self.scan_left.q.val();
            }
            self.scan_left.d.next = self.scan_left.q.val() - 1;
        }
        // Key.
        if self.return__.token.val() == TOKEN_KEY {
            self.empty.d.next = false;
            self.key.d.next = (self.key.q.val() << 1) | bits_to::<Word<64, 1>, Bit>(self.return__.any.val());
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
        // Constants.
        self.constants.address.next = self.pointer.q.val();
        self.constants.enable.next = true;
        if self._constants {
            if self.issue.val() & self.point.val() {
                self.pointer.d.next = self.constant_address.val();
            }
            if self.issue.val() & self.take_constant.val() {
                self.pointer.d.next = self.pointer.q.val() + 1;
                self.key.d.next = self.constants.data.val();
            }
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

    described! {
        "key_scanner", "Moves the key down to its next 1 bit; follows tokens; finds the effective width."; TOKEN_WIDTH,
        TOKEN_KEY; _constants
    }
}
