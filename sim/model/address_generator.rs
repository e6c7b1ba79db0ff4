//! Model of the address generator: a row with its control word, and what becomes of it.

use super::address_adder::Row;
use super::compute_array::Issue;
use super::flow_control::Fetched;
use super::index_registers::IndexRegisters;
use super::sram_array::Wordlines;
use bitline_units::array::isa::uop::{ColumnControl, Multi};
use bitline_units::array::isa::word::{Field, control};
use bitline_units::array::params::Columns;

/// A row with its control word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Addressed {
    /// From the flow control.
    pub fetched: Fetched,
    /// The control word.
    pub word: u128,
}

impl Addressed {
    /// The row as it goes on: with bases, indices and what depends on the pass.
    pub fn resolve(&self, columns: Columns, indices: &IndexRegisters, bases: &[u16]) -> Row {
        let f = &self.fetched;
        if !f.valid {
            return Row::default();
        }
        let field = |field: Field| field.get(self.word);
        let flag = |field: Field| field.get(self.word) == 1;
        let index = |code, immediate| indices.index(self.word, f, code, immediate);
        let base = |base: Field| bases[field(base) as usize];
        let flip = |on_exit: Field| u64::from(f.exit && flag(on_exit));
        let steer = |steered: Field, bit: u8| u64::from(flag(steered) && f.key_bits >> bit & 1 == 0);
        let flips = (flip(control::FLIP_X) ^ steer(control::STEER_X, 0)) << control::X_LSB
            | (flip(control::FLIP_Y) ^ steer(control::STEER_Y, 1)) << control::Y_LSB
            | flip(control::FLIP_OUT) << (control::OUT_LSB + 1);
        let column = ColumnControl::decode(self.word as u64 ^ flips, columns).expect("the ROM's codes mean something");
        let multi = Multi::from_code(field(control::MULTI)).expect("2 bits");
        let lines = Wordlines {
            a: (flag(control::A_EN) && !f.rest_a).then_some(0),
            b: flag(control::B_EN).then_some(0),
            merge: flag(control::MERGE),
            multi,
            mask: match multi {
                Multi::Off => 0,
                Multi::And | Multi::Nor => f.key & f.ones,
                Multi::NorOfZeros => !f.key & f.ones,
            },
        };
        let writes = flag(control::W_EN) && (f.exit || !flag(control::W_ON_EXIT));
        let (load, store) = (flag(control::LOAD), flag(control::STORE));
        let issue = Issue { column, lines, write: writes.then_some(0), load, store };
        Row {
            valid: true,
            issue,
            bases: [base(control::A_BASE), base(control::B_BASE), base(control::W_BASE)],
            indices: [
                index(control::A_INDEX, control::A_IMMEDIATE),
                index(control::B_INDEX, control::B_IMMEDIATE),
                index(control::W_INDEX, control::W_IMMEDIATE),
            ],
            token: f.token,
            first: f.first,
            last: f.last,
            carry: f.carry,
            keep_tag: f.keep_tag,
        }
    }
}
