//! Model of the dispatch.

use super::Elements;
use crate::command_queue;
use bitline_units::array::isa::command::ErrorCode;
use bitline_units::array::isa::transfer::{Cover, Transfer, covers, element_bytes};
use bitline_units::array::isa::word::COMMAND;
use bitline_units::array::isa::{Command, Opcode};
use bitline_units::array::params::Params;

/// A command as it waits in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Its fields.
    pub command: Command,
    /// Its opcode, which may be none.
    pub opcode: u8,
    /// Its set, which may be none.
    pub set: u8,
    /// Pushes before it.
    pub index: u32,
}

/// Rows, from the first to behind the last.
pub type RowRange = (u16, u16);

/// What is being done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// Nothing, or a command passes.
    #[default]
    Idle,
    /// The scoreboard looks at an operand.
    Scan,
    /// The command passes.
    Pass,
    /// The distance from the first to the last element.
    Span,
    /// The last element's address.
    End,
    /// The range.
    Range,
    /// The checks.
    Judge,
    /// An error is offered.
    Refuse,
    /// The transfer is offered.
    Offer,
}

/// The dispatch.
#[derive(Clone, Debug)]
pub struct MemoryDispatch {
    params: Params,
    covers: Vec<[Cover; 5]>,
    /// What is being done.
    pub state: State,
    /// Which step of it, modulo 16.
    pub step: u8,
    /// The operand that is compared.
    pub scanned: Option<RowRange>,
    /// An operand shares rows with a pending transfer.
    pub conflict: bool,
    /// Why the command is refused, and which operand.
    pub fault: (u8, u8),
    /// Bytes between elements, doubled in each step.
    pub doubled: u32,
    /// Elements less one, halved in each step.
    pub multiplier: u16,
    /// Bytes from the first element to the last.
    pub span: i32,
}

/// What goes to the transfer stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ranged {
    /// The transfer.
    pub transfer: Transfer,
    /// Its elements.
    pub elements: Elements,
    /// First and last byte.
    pub range: (u64, u64),
    /// Pushes before its command.
    pub index: u32,
}

impl MemoryDispatch {
    /// Idle.
    pub fn new(params: &Params) -> MemoryDispatch {
        MemoryDispatch {
            params: params.clone(),
            covers: Opcode::ALL.iter().map(|&opcode| covers(params, opcode)).collect(),
            state: State::Idle,
            step: 0,
            scanned: None,
            conflict: false,
            fault: (0, 0),
            doubled: 0,
            multiplier: 0,
            span: 0,
        }
    }

    /// A reset has passed.
    pub fn reset(&mut self) {
        (self.state, self.step, self.conflict, self.fault) = (State::Idle, 0, false, (0, 0));
    }

    fn transfer(head: &Waiting) -> Option<Transfer> {
        Transfer::of(&head.command, head.opcode)
    }

    /// A command is offered to the compute unit.
    pub fn passes(&self, head: Option<&Waiting>, pending: bool) -> bool {
        let plain = |head: &Waiting| Self::transfer(head).is_none() && head.opcode > 1;
        head.is_some_and(|head| self.state == State::Pass || (self.state == State::Idle && plain(head) && !pending))
    }

    /// The transfer on offer.
    pub fn offered(&self, head: Option<&Waiting>) -> Option<Ranged> {
        let head = head.filter(|_| self.state == State::Offer)?;
        let transfer = Self::transfer(head).expect("only transfers are offered");
        let elements = Elements {
            address: transfer.address,
            count: transfer.count,
            bytes: element_bytes(transfer.width),
            stride: transfer.step() as i32,
        };
        // Only streams let one pass that leaves the address space, and take no notice of it.
        let range = transfer.range().unwrap_or((0, 0));
        Some(Ranged { transfer, elements, range, index: head.index })
    }

    /// The error on offer.
    pub fn refused(&self) -> Option<(u8, u8)> {
        (self.state == State::Refuse).then_some(self.fault)
    }

    fn shares(&self, pending: &[RowRange]) -> bool {
        let (first, end) = self.scanned.unwrap_or((0, 0));
        pending.iter().any(|&(row, behind)| first < behind && row < end)
    }

    /// One clock edge. `pending` are the rows of transfers in the stages; the booleans say whether the compute unit
    /// takes a command that passes, whether the stages take a transfer, and whether an error is taken note of.
    pub fn step(&mut self, head: Option<&Waiting>, pending: &[RowRange], unit: bool, stages: bool, noted: bool) {
        let shares = self.shares(pending);
        self.scanned = head.map(|head| self.operand(head));
        let transfer = head.and_then(Self::transfer);
        let step = self.step;
        self.step = (step + 1) % 16;
        match self.state {
            State::Idle => {
                (self.step, self.conflict) = (0, false);
                self.fault = (ErrorCode::Opcode as u8, 0);
                if let Some(head) = head {
                    if let Some(transfer) = transfer {
                        self.state = State::Span;
                        self.doubled = transfer.step() as u32;
                        self.multiplier = transfer.count.wrapping_sub(1) & 0x3ff;
                        self.span = 0;
                    } else if head.opcode < 2 {
                        self.state = State::Refuse;
                    } else if !pending.is_empty() {
                        self.state = State::Scan;
                    }
                }
            }
            State::Scan => {
                self.conflict |= step > 0 && shares;
                if step == 5 {
                    self.state = if self.conflict { State::Idle } else { State::Pass };
                }
            }
            State::Pass if unit => self.state = State::Idle,
            State::Span => {
                if self.multiplier & 1 == 1 {
                    self.span = self.span.wrapping_add(self.doubled as i32);
                }
                self.doubled <<= 1;
                self.multiplier >>= 1;
                if step == 9 {
                    self.state = State::End;
                }
            }
            State::End => self.state = State::Range,
            State::Range => self.state = State::Judge,
            State::Judge => {
                let transfer = transfer.expect("only transfers are judged");
                self.state = State::Offer;
                if let Some((code, operand)) = transfer.fault(&self.params) {
                    self.state = State::Refuse;
                    self.fault = (code as u8, operand as u8);
                }
            }
            State::Refuse if noted => self.state = State::Idle,
            State::Offer if stages => self.state = State::Idle,
            _ => {}
        }
    }

    /// The rows of the operand that this step looks at.
    fn operand(&self, head: &Waiting) -> RowRange {
        let c = &head.command;
        let (n, m) = (u32::from(c.width & 0x7f), u32::from(c.second & 0x7f));
        let index = if (1..=4).contains(&self.step) { usize::from(self.step) } else { 0 };
        let row = [c.a, c.b, c.d, c.e, c.s][index] & 0x3ff;
        let cover = self.covers.get(usize::from(head.opcode)).map_or(Cover::None, |covers| covers[index]);
        (row, if cover == Cover::None { 0 } else { row + cover.rows(n, m) as u16 })
    }
}

impl Waiting {
    /// The word in which the queue keeps it.
    pub fn pack(&self) -> [u64; 3] {
        let Waiting { command, opcode, set, index } = *self;
        let mut limbs = command_queue::Waiting { command, opcode, set }.pack();
        limbs[COMMAND / 64] |= u64::from(index) << (COMMAND % 64);
        limbs
    }
}

state! {
    MemoryDispatch(self, head: Option<&Waiting>, streams: bool) {
        let state = self.state;
        let transfer = head.and_then(|head| Transfer::of(&head.command, head.opcode));
        state = state as u8;
        self => step, conflict;
        in scoreboard {
            scan_row = self.scanned.map(|rows| rows.0);
            scan_end = self.scanned.map(|rows| rows.1);
        }
        code = self.fault.0;
        operand = self.fault.1;
        when (state == State::Span) {
            self => doubled, multiplier;
        }
        when (matches!(state, State::Span | State::End | State::Range | State::Judge)) {
            span = self.span as u32;
        }
        when (state == State::Range) {
            last = transfer.map(|transfer| transfer.address.wrapping_add_signed(self.span.into()));
        }
        let judged = matches!(state, State::Judge | State::Offer);
        let range = transfer.filter(|transfer| judged && transfer.count > 0).map(|transfer| transfer.range());
        if (!streams) {
            outside = range.map(|range| range.is_none());
        }
        low = range.flatten().map(|range| range.0);
        high = range.flatten().map(|range| range.1);
    }
}
