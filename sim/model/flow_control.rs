//! Model of the flow control: which row of the micro-program runs next, loop counters, key scanner, scan tokens.

use super::command_setup::{Start, ones, word_at};
use crate::isa::program::{StrideAction, Token, TriangleAction};
use crate::isa::word::{COUNT_REGISTERS, COUNTS, Kind, XLoad, YLoad, flow};

/// What the flow control hands on with each row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fetched {
    /// There is a row.
    pub valid: bool,
    /// Its address.
    pub address: u16,
    /// It leaves its inner loop.
    pub exit: bool,
    /// Its port A rests.
    pub rest_a: bool,
    /// The key's two lowest bits.
    pub key_bits: u8,
    /// It is the first of its command.
    pub first: bool,
    /// It is the last of its command.
    pub last: bool,
    /// Its bank of base registers.
    pub bank: bool,
    /// Its use of the wired-OR.
    pub token: u8,
    /// It is addressed by the key scanner.
    pub keyed: bool,
    /// The key scanner's position if keyed, else the effective width.
    pub position: u8,
    /// C starts at 1.
    pub carry: bool,
    /// T keeps its value.
    pub keep_tag: bool,
    /// I at the start.
    pub i_start: u16,
    /// Rows raised by multi-row sensing: the key, and the ones of its width.
    pub key: u64,
    /// As many ones as the command's width.
    pub ones: u64,
}

/// The wired-OR that a token asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenReturn {
    /// [`Token`], 0 for none.
    pub token: u8,
    /// Whether any column's T is set.
    pub any: bool,
}

/// State of the flow control.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowControl {
    /// A command runs.
    pub active: bool,
    /// Row address.
    pub pc: u16,
    /// Inner loop counter.
    pub x: u8,
    /// Outer loop counter.
    pub y: u8,
    /// Triangular count.
    pub z: u8,
    /// Loop stride.
    pub stride: u8,
    /// Width of the command.
    pub n: u8,
    /// It may stop early.
    pub stop: bool,
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
    /// Tokens on their way.
    pub tokens: u8,
    /// Waits for a branch token.
    pub waiting: bool,
    /// Bank of the command.
    pub bank: bool,
    /// The next row is the command's first.
    pub first: bool,
    /// C starts at 1.
    pub carry: bool,
    /// T keeps its value.
    pub keep_tag: bool,
    /// I at the start.
    pub i_start: u16,
}

impl FlowControl {
    /// What is handed on in this cycle if the pipeline advances.
    pub fn fetch(&self, rom: &[u128]) -> Fetched {
        let word = word_at(rom, self.pc);
        let decision = self.decide(word);
        let keyed = flow::KEYED.get(word) == 1;
        let rest = (flow::A_UNLESS_DONE.get(word) == 1 && decision.done) || (keyed && !self.found());
        Fetched {
            valid: self.can_issue(word),
            address: self.pc,
            exit: !decision.inner_back,
            rest_a: rest,
            key_bits: (self.key & 3) as u8,
            first: self.first,
            last: decision.ends,
            bank: self.bank,
            token: flow::TOKEN.get(word) as u8,
            keyed,
            position: if keyed { self.position } else { self.width },
            carry: self.carry,
            keep_tag: self.keep_tag,
            i_start: self.i_start,
            key: self.key,
            ones: ones(self.n),
        }
    }

    /// The key's lowest bit is a 1.
    fn found(&self) -> bool {
        self.key & 1 == 1
    }

    /// No 1 is left, as far as is known.
    fn exhausted(&self) -> bool {
        self.empty
    }

    fn can_issue(&self, word: u128) -> bool {
        let drained = flow::DRAIN.get(word) == 0 || self.tokens == 0;
        let keyed = flow::KEYED.get(word) == 0 || self.found() || self.exhausted();
        self.active && !self.waiting && drained && keyed
    }

    fn decide(&self, word: u128) -> Decision {
        let kind = flow::KIND.get(word);
        let is = |k: Kind| kind == k as u64;
        let inner_back = (is(Kind::Inner) || is(Kind::InnerOuter)) && self.x != 1;
        let outer = is(Kind::Outer) || is(Kind::InnerOuter);
        let outer_back = outer && !inner_back && self.y != 1;
        let key = is(Kind::KeySkip) || is(Kind::KeyLoop);
        let stays = inner_back || outer_back || (key && self.found()) || is(Kind::AnySkip);
        let end = flow::END.get(word) == 1 || (flow::MAY_STOP.get(word) == 1 && self.stop);
        let target = flow::TARGET.get(word) as u16;
        let next = (self.pc + 1) & 0x7ff;
        let to_target = outer_back || (is(Kind::KeySkip) && !self.found()) || (is(Kind::KeyLoop) && self.found());
        let back = flow::BACK.get(word) as u16;
        Decision {
            inner_back,
            outer_back,
            done: outer && !inner_back && !outer_back,
            waits: is(Kind::AnySkip),
            ends: !stays && end,
            next: if inner_back {
                self.pc.wrapping_sub(back) & 0x7ff
            } else if to_target {
                target
            } else {
                next
            },
        }
    }

    /// Whether the flow control takes the start registers in this cycle, if they are ready.
    pub fn takes(&self) -> bool {
        !self.active
    }

    fn branch_ends(&self, word: u128, back: TokenReturn) -> bool {
        let returned = self.waiting && back.token == Token::Branch as u8;
        returned && !back.any && flow::END.get(word) == 1
    }

    /// One clock edge. `start` are the start registers with the setup unit's bank, if ready; `counts` the count registers.
    pub fn step(
        &mut self,
        rom: &[u128],
        counts: &[[u8; COUNTS]; 2],
        start: Option<(&Start, bool)>,
        advance: bool,
        back: TokenReturn,
    ) {
        let word = word_at(rom, self.pc);
        let now = *self;
        let issue = advance && self.can_issue(word);
        let decision = self.decide(word);
        let ends = (issue && decision.ends) || self.branch_ends(word, back);
        self.scan_step(word, now, issue, back);
        if issue {
            self.first = false;
            self.count(word, now, decision, &counts[usize::from(now.bank)]);
            self.waiting = decision.waits;
            if !decision.waits {
                self.pc = decision.next;
            }
        }
        if now.waiting && back.token == Token::Branch as u8 {
            self.waiting = false;
            self.pc = if back.any { (now.pc + 1) & 0x7ff } else { flow::TARGET.get(word) as u16 };
        }
        if ends {
            self.active = false;
        }
        if let (false, Some((start, bank))) = (now.active, start) {
            self.begin(start, bank);
        }
    }

    fn begin(&mut self, start: &Start, bank: bool) {
        *self = FlowControl {
            active: true,
            pc: start.entry,
            x: start.x,
            y: start.y,
            z: start.z,
            stride: start.stride,
            n: start.n,
            stop: start.stop,
            key: start.key,
            empty: false,
            position: 0,
            scanning: start.scan,
            width: start.min_width,
            scan_left: start.n,
            tokens: self.tokens,
            waiting: false,
            bank,
            first: true,
            carry: start.carry,
            keep_tag: start.keep_tag,
            i_start: start.i,
        };
    }

    /// Key, scanner, effective width, tokens.
    fn scan_step(&mut self, word: u128, now: FlowControl, issue: bool, back: TokenReturn) {
        let keyed = flow::KEYED.get(word) == 1;
        if keyed && now.active && now.tokens == 0 {
            self.scanning = true;
        }
        let sent = issue && flow::TOKEN.get(word) != 0;
        self.empty = now.key == 0 && back.token != Token::Key as u8;
        self.tokens = now.tokens + u8::from(sent) - u8::from(back.token != 0);
        if back.token == Token::Width as u8 {
            if back.any && now.scan_left > now.width {
                self.width = now.scan_left;
            }
            self.scan_left = now.scan_left.wrapping_sub(1) & 0x7f;
        }
        if back.token == Token::Key as u8 {
            self.key = now.key << 1 | u64::from(back.any);
        } else if issue && keyed {
            (self.key, self.position) = (now.key >> 1, (now.position + 1) & 0x7f);
        } else if issue {
            self.key = now.key >> flow::KEY_SHIFT.get(word);
        }
        let taken = issue && keyed;
        if now.scanning && !now.exhausted() && !now.found() && !taken && back.token != Token::Key as u8 {
            let shift = if now.key & 15 == 0 { 4 } else { 1 };
            (self.key, self.position) = (now.key >> shift, (now.position + shift) & 0x7f);
        }
    }

    /// Counters of a row that is issued.
    fn count(&mut self, word: u128, now: FlowControl, decision: Decision, counts: &[u8; COUNTS]) {
        if decision.inner_back {
            self.x = now.x.wrapping_sub(1) & 0x7f;
            return;
        }
        self.z = match flow::Z.get(word) {
            z if z == TriangleAction::Up as u64 => (now.z + 1) & 0x7f,
            z if z == TriangleAction::Down as u64 => now.z.wrapping_sub(1) & 0x7f,
            _ => now.z,
        };
        self.stride = match flow::STRIDE.get(word) {
            s if s == StrideAction::Double as u64 => (now.stride << 1) & 0x7f,
            s if s == StrideAction::Halve as u64 => now.stride >> 1,
            _ => now.stride,
        };
        let register = |code: u64| counts[(code - COUNT_REGISTERS) as usize];
        self.x = match flow::X_LOAD.get(word) {
            code if code >= COUNT_REGISTERS => register(code),
            code if code == XLoad::Triangle as u64 => now.z,
            code if code == XLoad::StrideRest as u64 => now.n.wrapping_sub(self.stride) & 0x7f,
            code if code == XLoad::Stride as u64 => self.stride,
            code if code == XLoad::StrideLessOne as u64 => self.stride.wrapping_sub(1) & 0x7f,
            code if code == XLoad::HalfStride as u64 => self.stride >> 1,
            code if code == XLoad::Width as u64 => now.width,
            _ => now.x,
        };
        self.y = if decision.outer_back {
            now.y.wrapping_sub(1) & 0x7f
        } else {
            match flow::Y_LOAD.get(word) {
                code if code >= COUNT_REGISTERS => register(code),
                code if code == YLoad::WidthLessTwo as u64 => now.width.wrapping_sub(2) & 0x7f,
                code if code == YLoad::WidthLessThree as u64 => now.width.wrapping_sub(3) & 0x7f,
                _ => now.y,
            }
        };
    }
}

/// Where a row leads.
#[derive(Clone, Copy, Debug)]
struct Decision {
    inner_back: bool,
    outer_back: bool,
    done: bool,
    waits: bool,
    ends: bool,
    next: u16,
}
