//! What a row does in a column, for all values of the two rows and the latches at once: each is a truth table of 64
//! places.

use crate::array::isa::row::Row;
use crate::array::isa::uop::*;
use crate::array::params::Columns;

/// A truth table: bit k is the value where A, B, C, T, H and D are the bits of k.
pub(super) type Table = u64;
/// Row A.
pub(super) const A: Table = 0xaaaa_aaaa_aaaa_aaaa;
/// Row B.
pub(super) const B: Table = 0xcccc_cccc_cccc_cccc;
/// The latches as they are before a row.
pub(super) const BEFORE: Latches =
    Latches { c: 0xf0f0_f0f0_f0f0_f0f0, t: 0xff00_ff00_ff00_ff00, h: 0xffff_0000_ffff_0000, d: 0xffff_ffff_0000_0000 };

/// The latches of a column. D is also what P is to programs for `TwoPort`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Latches {
    pub c: Table,
    pub t: Table,
    pub h: Table,
    pub d: Table,
}

impl Latches {
    /// In the order of the bits of a place.
    pub(super) fn all(self) -> [Table; 4] {
        [self.c, self.t, self.h, self.d]
    }
}

/// Whether a row is written for `AndNor` columns.
pub(super) fn is_native(row: &Row) -> bool {
    let c = &row.column;
    let codes = [c.x.columns(), c.y.columns(), c.out.columns(), c.next.columns(), c.h.columns(), c.t.columns()];
    let delayed = c.d != DelayAction::Hold;
    row.as_raised || c.predicated || row.merge || delayed || codes.contains(&Some(Columns::AndNor))
}

/// Sensed bits in a column that sees both rows; without an address, 0.
pub(super) fn two_port(row: &Row) -> (Table, Table) {
    let both = row.a.is_some() && row.a == row.b;
    (row.a.map_or(0, |_| A), row.b.map_or(0, |_| if both { A } else { B }))
}

/// Sensed bits in an `AndNor` column.
pub(super) fn and_nor(a: Option<Table>, b: Option<Table>) -> (Table, Table) {
    match (a, b) {
        (Some(a), Some(b)) => (a & b, a | b),
        (Some(one), None) | (None, Some(one)) => (one, one),
        (None, None) => (0, 0),
    }
}

/// Operand x.
pub(super) fn x(code: X, (a, b): (Table, Table), l: Latches) -> Table {
    let choose = |which: Table, one: Table, zero: Table| which & one | !which & zero;
    match code {
        X::A => a,
        X::NotA => !a,
        X::Zero => 0,
        X::One => !0,
        X::H => l.h,
        X::NotH => !l.h,
        X::HSelect => choose(l.h, b, a),
        X::B => b,
        X::HD => l.h & l.d,
        X::NotHD => !(l.h & l.d),
        X::DSelect => choose(l.d, b, l.h),
        X::Pair => choose(a ^ b, !l.h, a),
        X::NotPair => !choose(a ^ b, !l.h, a),
        X::Choice | X::ReverseXorH | X::ChoiceAndH => panic!("no row of such columns chooses among eight"),
    }
}

/// Operand y.
pub(super) fn y(code: Y, (a, b): (Table, Table), l: Latches) -> Table {
    let choose = |which: Table, one: Table, zero: Table| which & one | !which & zero;
    match code {
        Y::B => b,
        Y::NotB => !b,
        Y::TB => l.t & b,
        Y::NotTB => !(l.t & b),
        Y::BXorT => b ^ l.t,
        Y::TSelect => choose(l.t, a, b),
        Y::Differ => l.t | (a ^ b),
        Y::Zero => 0,
        Y::THSelect => choose(l.t, l.h, b),
        Y::One => !0,
        Y::TBSelect => choose(l.t, b, l.h),
        Y::HNotT => l.h & !l.t,
        Y::Pair => x(X::Pair, (a, b), l) ^ !(l.t ^ a ^ b),
        Y::NotPair => !(x(X::Pair, (a, b), l) ^ !(l.t ^ a ^ b)),
        Y::TD => l.t & l.d,
        Y::NotTD => !(l.t & l.d),
    }
}

/// What a column makes of its operands.
#[derive(Clone, Copy)]
pub(super) struct Adder {
    pub sensed: (Table, Table),
    pub x: Table,
    pub y: Table,
    pub before: Latches,
}

impl Adder {
    pub(super) fn sum(self) -> Table {
        self.x ^ self.y ^ self.before.c
    }

    pub(super) fn majority(self) -> Table {
        self.x & self.y | self.before.c & (self.x | self.y)
    }

    /// What is written back.
    pub(super) fn out(self, code: WriteBack) -> Table {
        match code {
            WriteBack::Sum => self.sum(),
            WriteBack::Majority => self.majority(),
            WriteBack::NotSum => !self.sum(),
            WriteBack::TMajority => self.before.t & self.majority(),
            WriteBack::Load => panic!("no program for both sensings loads rows"),
        }
    }

    /// What C and H may take.
    pub(super) fn next(self, code: Next) -> Table {
        match code {
            Next::Majority => self.majority(),
            Next::One => !0,
            Next::NotSum => !self.sum(),
            Next::AAndNotY => self.sensed.0 & !self.y,
            Next::TMajority => self.before.t & self.majority(),
        }
    }

    pub(super) fn carry(self, action: CarryAction, next: Table) -> Table {
        match action {
            CarryAction::Hold => self.before.c,
            CarryAction::Zero => 0,
            CarryAction::Load | CarryAction::Last => next,
        }
    }

    pub(super) fn tag(self, action: TagAction, w: Table) -> Table {
        let (t, (a, b)) = (self.before.t, self.sensed);
        match action {
            TagAction::Hold => t,
            TagAction::Zero => 0,
            TagAction::W => w,
            TagAction::Differ => t | (w ^ self.y),
            TagAction::A => a,
            TagAction::And => t & w,
            TagAction::Xor => a ^ b,
            TagAction::Next => b,
        }
    }

    pub(super) fn hold(self, action: HoldAction, w: Table, next: Table) -> Table {
        match action {
            HoldAction::Hold => self.before.h,
            HoldAction::Zero => 0,
            HoldAction::Load => next,
            HoldAction::Differ => self.before.h | (w ^ self.x),
            HoldAction::A => self.sensed.0,
            HoldAction::Lost => panic!("no row of such columns chooses among eight"),
        }
    }

    pub(super) fn delay(self, action: DelayAction, w: Table) -> Table {
        match action {
            DelayAction::Hold => self.before.d,
            DelayAction::Zero => 0,
            DelayAction::A => self.sensed.0,
            DelayAction::Differ => self.before.d | (w ^ self.x),
        }
    }
}

/// What is written back, and the latches behind a row.
pub(super) fn step(c: &ColumnControl, sensed: (Table, Table), before: Latches) -> (Table, Latches) {
    let y = y(c.y, sensed, before) | if c.gate { !before.d } else { 0 };
    let adder = Adder { sensed, x: x(c.x, sensed, before), y, before };
    let (w, next) = (adder.out(c.out), adder.next(c.next));
    let d = if c.p == PredicateAction::A { sensed.0 } else { adder.delay(c.d, w) };
    (w, Latches { c: adder.carry(c.c, next), t: adder.tag(c.t, w), h: adder.hold(c.h, w, next), d })
}

/// The control in every pass and for every bit of the key: what steers and what flips complements.
pub(super) fn turns(row: &Row) -> Vec<ColumnControl> {
    let mut all = vec![row.column];
    let mut with = |yes: bool, turn: &dyn Fn(ColumnControl) -> ColumnControl| {
        if yes {
            all.extend(all.clone().into_iter().map(turn));
        }
    };
    with(row.flip_x || row.steer_x, &|c| ColumnControl { x: X::from_code(c.x.code() ^ 1).unwrap_or(c.x), ..c });
    with(row.flip_y || row.steer_y, &|c| ColumnControl { y: Y::from_code(c.y.code() ^ 1).unwrap_or(c.y), ..c });
    with(row.flip_out, &|c| {
        let out = match c.out {
            WriteBack::Sum => WriteBack::NotSum,
            WriteBack::NotSum => WriteBack::Sum,
            other => other,
        };
        ColumnControl { out, ..c }
    });
    all
}
