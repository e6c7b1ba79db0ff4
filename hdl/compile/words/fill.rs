//! Words of the array, and values brought to where a word wants them.

use bitline_units::array::isa::Opcode as Op;
use bitline_units::duality::isa::codes::Predicate;

use super::code::{Code, Part, Second};
use super::select::{Home, Select};

/// No more than so many rows.
pub fn cut(part: Part, rows: u64) -> Part {
    part.part(0, part.rows.min(rows))
}

/// No more than so many rows or bits of a second source.
fn low(b: Second, rows: u64) -> Second {
    match b {
        Second::Rows(part) => Second::Rows(cut(part, rows)),
        Second::Number(bits, number, _) if bits > rows => {
            Second::Number(rows, number & (u64::MAX >> (64 - rows)), false)
        }
        Second::Scalar(name, bits) => Second::Scalar(name, bits.min(rows)),
        other => other,
    }
}

impl Select<'_> {
    /// An operation on integers in all threads.
    pub fn compute(&mut self, opcode: Op, width: u64, d: Part, a: Option<Part>, b: Second) {
        self.compute_where(opcode, width, d, a, b, None, Predicate::All);
    }

    /// An operation on integers; `e` is the row of a selection or predicate.
    #[expect(clippy::too_many_arguments, reason = "a word's fields")]
    pub fn compute_where(
        &mut self,
        opcode: Op,
        width: u64,
        d: Part,
        a: Option<Part>,
        b: Second,
        e: Option<Part>,
        predicate: Predicate,
    ) {
        // Of a result with fewer rows the lower ones.
        let lower = matches!(opcode, Op::Add | Op::And | Op::Or | Op::Xor | Op::MulLow | Op::Select);
        let (width, a, b) =
            if lower && d.rows < width { (d.rows, a.map(|a| cut(a, d.rows)), low(b, d.rows)) } else { (width, a, b) };
        self.word(Code::Compute { opcode, format: 0, width, modifier: 0, d, a, b, e, predicate });
    }

    /// Appends a word of the array. Where its result may not have the rows of a source, it goes through others.
    pub fn word(&mut self, code: Code) {
        if let Code::Compute { opcode, format, width, modifier, d, a, b, e, predicate } = code.clone() {
            let own = |part: Part| part.name == d.name;
            let shared = a.is_some_and(own) || e.is_some_and(own) || matches!(b, Second::Rows(part) if own(part));
            if shared && predicate == Predicate::All && !self.encoder.allows(&code) {
                let t = self.rows(d.rows);
                self.emit(Code::Compute { opcode, format, width, modifier, d: t, a, b, e, predicate });
                self.compute(Op::Copy, d.rows, d, Some(t), Second::None);
                return;
            }
        }
        self.emit(code);
    }

    /// Rows with a value of `bits` bits; numbers and scalar registers are brought there.
    pub fn in_rows(&mut self, home: Home, bits: u64) -> Part {
        if let Home::Rows(part) = home {
            return cut(part, bits);
        }
        let t = self.rows(bits);
        self.fill(t, home, Predicate::All);
        t
    }

    /// Fills rows with a number or a scalar register, or copies rows.
    pub fn fill(&mut self, d: Part, home: Home, predicate: Predicate) {
        match home {
            Home::Rows(part) => {
                self.compute_where(Op::Copy, d.rows, d, Some(cut(part, d.rows)), Second::None, None, predicate);
            }
            Home::Scalar(name) => {
                self.compute_where(Op::Zero, d.rows, d, None, Second::None, None, predicate);
                let b = Second::Scalar(name, d.rows.min(32));
                self.compute_where(Op::Or, d.rows, d, Some(d), b, None, predicate);
            }
            Home::Number(bits) => {
                let all = u64::MAX >> (64 - d.rows);
                let bits = bits & all;
                let op = if bits == all { Op::Set } else { Op::Zero };
                self.compute_where(op, d.rows, d, None, Second::None, None, predicate);
                for from in [0, 32].into_iter().filter(|from| *from < d.rows && bits != all) {
                    let rows = (d.rows - from).min(32);
                    let piece = bits >> from & (u64::MAX >> (64 - rows));
                    if piece != 0 {
                        let part = d.part(from, rows);
                        let b = Second::Number(rows, piece, false);
                        self.compute_where(Op::Or, rows, part, Some(part), b, None, predicate);
                    }
                }
            }
        }
    }

    /// A second source of `bits` bits.
    pub fn second(&mut self, home: Home, bits: u64) -> Second {
        match home {
            Home::Number(number) => {
                let number = number & (u64::MAX >> (64 - bits));
                if bits <= 32 {
                    return Second::Number(bits, number, false);
                }
                // A number of 64 bits that is one of 32 bits, extended.
                let low = number & u64::from(u32::MAX);
                if low == number {
                    return Second::Number(32, low, false);
                }
                if i64::from(low as i32) as u64 == number {
                    return Second::Number(32, low, true);
                }
                Second::Rows(self.in_rows(home, bits))
            }
            Home::Scalar(name) => Second::Scalar(name, bits.min(32)),
            Home::Rows(_) => Second::Rows(self.in_rows(home, bits)),
        }
    }
}
