//! Model of the index registers J, I and L.

use super::flow_control::Fetched;
use bitline_units::array::isa::row::{OffsetAction, OuterAction, Step};
use bitline_units::array::isa::word::{Field, IndexCode, control};
use bitline_units::array::params::ROW_ADDRESS_BITS;

const MASK: u16 = (1 << ROW_ADDRESS_BITS) - 1;

/// The index registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexRegisters {
    /// Inner index.
    pub j: u16,
    /// Offset index.
    pub i: u16,
    /// Outer index.
    pub l: u16,
}

impl IndexRegisters {
    /// At the first row of a command.
    pub fn start(i: u16) -> IndexRegisters {
        IndexRegisters { j: 0, i, l: 0 }
    }

    /// The index that a row address takes, by its code and its literal.
    pub fn index(&self, word: u128, fetched: &Fetched, code: Field, immediate: Field) -> u16 {
        match code.get(word) {
            k if k == IndexCode::J as u64 => self.j,
            k if k == IndexCode::K as u64 => self.j.wrapping_add(self.i) & MASK,
            k if k == IndexCode::L as u64 && fetched.keyed => fetched.position.into(),
            k if k == IndexCode::L as u64 => self.l,
            k if k == IndexCode::I as u64 => self.i,
            _ => immediate.get(word) as u16,
        }
    }

    /// The registers after a row has passed.
    #[must_use]
    pub fn step(&self, word: u128, fetched: &Fetched) -> IndexRegisters {
        let field = |field: Field| field.get(word);
        let exit = fetched.exit;
        let mut next = *self;
        let lower = exit && field(control::I) == OffsetAction::Lower as u64;
        next.j = if lower {
            self.i.wrapping_sub(1)
        } else if exit && field(control::J_ZERO) == 1 {
            0
        } else {
            match field(control::J) {
                s if s == Step::Up as u64 => self.j.wrapping_add(1),
                s if s == Step::Down as u64 => self.j.wrapping_sub(1),
                s if s == Step::UpTwo as u64 => self.j.wrapping_add(2),
                _ => self.j,
            }
        };
        if exit {
            next.l = match field(control::L) {
                s if s == OuterAction::Up as u64 => self.l.wrapping_add(1),
                s if s == OuterAction::Down as u64 => self.l.wrapping_sub(1),
                _ => self.l,
            };
            next.i = match field(control::I) {
                _ if fetched.keyed => u16::from(fetched.position),
                s if s == OffsetAction::Up as u64 => self.i.wrapping_add(1),
                s if s == OffsetAction::Down as u64 => self.i.wrapping_sub(1),
                s if s == OffsetAction::Double as u64 => self.i << 1,
                s if s == OffsetAction::Halve as u64 => self.i >> 1,
                s if s == OffsetAction::Width as u64 => u16::from(fetched.position).wrapping_sub(1),
                s if s == OffsetAction::Lower as u64 => self.i.wrapping_sub(1),
                _ => self.i,
            };
        }
        next.j &= MASK;
        next.i &= MASK;
        next.l &= MASK;
        next
    }
}

state! {
    IndexRegisters(self) {
        self => j, i, l;
    }
}
