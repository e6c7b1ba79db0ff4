//! Model of the address generator: a row with its control word, and what becomes of it.

use super::address_adder::Row;
use super::compute_array::Issue;
use super::flow_control::Fetched;
use super::index_registers::IndexRegisters;
use super::sram_array::Wordlines;
use bitline_units::array::isa::uop::{
    CarryAction, ColumnControl, DelayAction, HoldAction, Multi, Next, PredicateAction, TagAction, WriteBack, X, Y,
};
use bitline_units::array::isa::word::{Field, control};

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
    pub fn resolve(&self, indices: &IndexRegisters, bases: &[u16]) -> Row {
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
        let x = field(control::X) ^ flip(control::FLIP_X) ^ steer(control::STEER_X, 0);
        let y = field(control::Y) ^ flip(control::FLIP_Y) ^ steer(control::STEER_Y, 1);
        let out = field(control::OUT) ^ flip(control::FLIP_OUT) << 1;
        let multi = Multi::from_code(field(control::MULTI)).expect("2 bits");
        let column = ColumnControl {
            x: X::from_code(x).expect("an operand code"),
            y: Y::from_code(y).expect("an operand code"),
            gate: flag(control::GATE),
            out: WriteBack::from_code(out).expect("an output code"),
            next: Next::from_code(field(control::NEXT)).expect("a next code"),
            c: CarryAction::from_code(field(control::C)).expect("a carry action"),
            h: HoldAction::from_code(field(control::H)).expect("a hold action"),
            t: TagAction::from_code(field(control::T)).expect("a tag action"),
            p: PredicateAction::from_code(field(control::P)).expect("a predicate action"),
            d: DelayAction::from_code(field(control::D)).expect("a delay action"),
            predicated: flag(control::PREDICATED),
        };
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
            bases: [control::A_BASE, control::B_BASE, control::W_BASE].map(base),
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
