//! Loop counts of functions of floating-point numbers. They are sums of a format's widths, and a command has registers
//! for few of them: what is no count of its own is passed in several loops, by counts that the program has anyway.

use crate::array::isa::format::Format;
use crate::array::isa::linear::{EXCESS, LOG2, Linear, M};
use crate::array::isa::program::{Item, each, once};
use crate::array::isa::row::{OuterAction, Row};
use crate::array::isa::ucode::float_rows::FRACTION;

/// Counts that every program has.
const SHARED: [Linear; 5] = [M, FRACTION, LOG2, EXCESS, Linear { constant: -1, ..LOG2 }];

/// The counts of a format's program.
#[derive(Clone, Copy)]
pub(super) struct Passes {
    /// The format.
    pub(super) format: Format,
    /// Counts of the program's own, each in a register.
    pub(super) own: &'static [i16],
}

impl Passes {
    /// The value of an expression of the format's widths.
    pub(super) fn value(self, linear: Linear) -> i16 {
        linear.value(self.format.n().into(), self.format.m().into()) as i16
    }

    /// A count in one register.
    pub(super) fn count(self, count: i16) -> Linear {
        let known = SHARED.into_iter().find(|&linear| self.value(linear) == count);
        known.unwrap_or(Linear::constant(count))
    }

    /// The fewest counts that add up.
    fn counts(self, count: i16) -> Vec<Linear> {
        if self.own.contains(&count) {
            return vec![Linear::constant(count)];
        }
        let known: Vec<Linear> = SHARED.into_iter().chain(self.own.iter().map(|&own| Linear::constant(own))).collect();
        let mut sums: Vec<(i16, Vec<usize>)> = vec![(0, vec![])];
        loop {
            let longer = |(sum, chosen): &(i16, Vec<usize>)| {
                let first = chosen.last().copied().unwrap_or(0);
                let more = |at: usize| (sum + self.value(known[at]), [&chosen[..], &[at]].concat());
                (first..known.len()).map(more).collect::<Vec<_>>()
            };
            sums = sums.iter().flat_map(longer).filter(|(sum, _)| *sum <= count).collect();
            if let Some((_, chosen)) = sums.iter().find(|(sum, _)| *sum == count) {
                return chosen.iter().map(|&at| known[at]).collect();
            }
            assert!(!sums.is_empty(), "{count} passes of {} cannot be counted", self.format);
        }
    }

    /// A row, so often; the very last time as `last` makes it, which is one that leaves a loop.
    pub(super) fn times(self, count: i16, row: Row, last: impl Fn(Row) -> Row) -> Vec<Item> {
        let counts = self.counts(count);
        let end = counts.len() - 1;
        let loops = counts.into_iter().enumerate();
        loops.map(|(at, count)| each(count, if at == end { last(row) } else { row })).collect()
    }

    /// The same, and J returns to 0.
    pub(super) fn back(self, count: i16, row: Row) -> Vec<Item> {
        self.times(count, row, Row::rewind)
    }
}

/// Makes rows that move L by one toward 0 from `l`, as long as it is not there.
pub(super) fn toward_zero(mut l: i16) -> impl FnMut(Row) -> Item {
    move |row| {
        let action = match l {
            0 => OuterAction::Hold,
            1.. => OuterAction::Down,
            _ => OuterAction::Up,
        };
        l -= l.signum();
        once(row.l(action))
    }
}
