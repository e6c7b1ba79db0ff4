//! Model of the key scanner: key, tokens, effective width.

use super::start_registers::Start;
use bitline_units::array::isa::constants::CONSTANT_ADDRESS_BITS;
use bitline_units::array::isa::row::Token;
use bitline_units::array::isa::word::flow;

/// The wired-OR that a token asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenReturn {
    /// [`Token`], 0 for none.
    pub token: u8,
    /// Whether any column's T is set.
    pub any: bool,
}

/// State of the key scanner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyScanner {
    /// Address of the constant that the key takes next.
    pub pointer: u16,
    /// The constant that was pointed at a cycle ago.
    pub constant: u64,
    /// Key.
    pub key: u64,
    /// The key was 0 a cycle ago.
    pub empty: bool,
    /// Position of the key's lowest bit.
    pub position: u8,
    /// The scanner runs.
    pub scanning: bool,
    /// Effective width.
    pub width: u8,
    /// Rows of the scan still to come back.
    pub scan_left: u8,
    /// Tokens on their way, but for one issued in the cycle before.
    pub tokens: u8,
    /// One was issued in the cycle before.
    pub sent: bool,
    /// None was on its way a cycle ago, and none has been issued since.
    pub drained: bool,
}

impl KeyScanner {
    /// The key's lowest bit is a 1.
    pub fn found(&self) -> bool {
        self.key & 1 == 1
    }

    /// One clock edge, with the row at hand, whether it is issued, and whether a command runs.
    pub fn step(&mut self, constants: &[u64], word: u128, issue: bool, active: bool, back: TokenReturn) {
        let now = *self;
        let keyed = flow::KEYED.get(word) == 1;
        let is = |token: Token| back.token == token as u8;
        self.scanning = now.scanning || (keyed && active && now.drained);
        self.sent = issue && flow::TOKEN.get(word) != 0;
        self.drained = now.tokens == 0 && !now.sent && !self.sent;
        self.tokens = (now.tokens + u8::from(now.sent)).wrapping_sub(u8::from(back.token != 0)) & 15;
        self.empty = now.key == 0 && !is(Token::Key);
        if is(Token::Width) {
            if back.any && now.scan_left > now.width {
                self.width = now.scan_left;
            }
            self.scan_left = now.scan_left.wrapping_sub(1) & 0x7f;
        }
        let down = |shift: u8| (now.key >> shift, (now.position + shift) & 0x7f);
        if is(Token::Key) {
            self.key = now.key << 1 | u64::from(back.any);
        } else if issue && keyed {
            (self.key, self.position) = down(1);
        } else if now.scanning && !now.empty && !now.found() {
            (self.key, self.position) = down(if now.key & 15 == 0 { 4 } else { 1 });
        } else if issue {
            self.key = now.key >> flow::KEY_SHIFT.get(word);
        }
        if constants.is_empty() {
            return;
        }
        self.constant = constants.get(usize::from(now.pointer)).copied().unwrap_or(0);
        if issue && flow::POINT.get(word) == 1 {
            self.pointer = (flow::TARGET.get(word) & ((1 << CONSTANT_ADDRESS_BITS) - 1)) as u16;
        }
        if issue && flow::TAKE.get(word) == 1 {
            self.pointer = (now.pointer + 1) & ((1 << CONSTANT_ADDRESS_BITS) - 1);
            self.key = now.constant;
        }
    }

    /// The start values of a command of width `n`.
    pub fn begin(&mut self, start: &Start, n: u8) {
        *self = KeyScanner {
            key: start.key,
            empty: false,
            position: 0,
            scanning: start.scan,
            width: start.min_width,
            scan_left: n,
            ..*self
        };
    }
}

state! {
    KeyScanner(self, constants: bool) {
        if (constants) {
            self => pointer;
        }
        self => key, empty, position, scanning, width, scan_left, tokens, sent, drained;
    }
}
