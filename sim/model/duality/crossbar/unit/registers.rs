//! What registers of the crossbar hold, as far as contracts say.

use bitline_units::duality::isa::codes::MemoryOp;
use bitline_units::duality::isa::field::*;
use bitline_units::duality::passes::MemoryStep;

use super::super::Bits;
use super::{Crossbar, Doing, limbs};

/// States of the sequence that do not depend on the word, as its schematic calls them.
#[derive(Clone, Copy)]
enum State {
    Idle = 0,
    Launch = 1,
    Launched = 2,
    Choose = 3,
    Chosen = 4,
    Address = 5,
    Numbers = 6,
    Data = 8,
    Rows = 9,
    Result = 13,
    Taken = 14,
    End = 15,
}

/// What registers hold.
impl Crossbar {
    /// What is done, while it does not depend on the word for how long.
    fn at(&self) -> Option<u8> {
        use MemoryStep as Step;
        let state = match self.doing {
            Doing::Nothing => State::Idle,
            Doing::Asks(Step::Launch) => State::Launch,
            Doing::Rows(Step::Launch, _) => State::Launched,
            Doing::Asks(Step::Chooser) => State::Choose,
            Doing::Rows(Step::Chooser, _) => State::Chosen,
            Doing::Asks(Step::Address) => State::Address,
            Doing::Rows(Step::Address, _) => State::Numbers,
            Doing::Asks(Step::Data) => State::Data,
            Doing::Rows(Step::Data, _) => State::Rows,
            Doing::Asks(Step::Result) => State::Result,
            Doing::Rows(Step::Result, _) => State::Taken,
            Doing::Asks(Step::End) => State::End,
            _ => return None,
        };
        Some(state as u8)
    }

    /// Rows of addresses that have come, or of the result that were taken.
    fn come(&self) -> Option<u64> {
        match self.doing {
            Doing::Rows(step @ (MemoryStep::Address | MemoryStep::Result), left) => Some(self.count(step) - left),
            _ => None,
        }
    }

    /// The word is a shuffle.
    fn shuffles(&self) -> bool {
        self.busy() && self.op() == MemoryOp::Load
    }

    /// Numbers of threads are settled, and none is turned.
    fn settled(&self) -> bool {
        use MemoryStep as Step;
        let behind = matches!(
            self.doing,
            Doing::Asks(Step::Chooser | Step::Data | Step::Result)
                | Doing::Rows(Step::Chooser | Step::Data | Step::Result, _)
        );
        behind && self.shuffles()
    }

    /// A bit of the number of the thread that each thread names: its own, if there is no such thread.
    fn numbers(&self, bit: usize) -> Vec<u64> {
        let row: Bits = (0..self.columns).map(|thread| self.named(thread).unwrap_or(thread) >> bit & 1 == 1).collect();
        limbs(&row)
    }

    /// Threads that take part, from the first row on.
    fn takes_part(&self) -> Option<Vec<u64>> {
        let known = !matches!(self.doing, Doing::Nothing | Doing::Asks(MemoryStep::Launch))
            && !matches!(self.doing, Doing::Rows(MemoryStep::Launch, _));
        known.then(|| limbs(&self.taking))
    }

    /// Registers and memories that are judged by what leaves the crossbar.
    pub fn judged(path: &str) -> bool {
        ["numbers.carry", "numbers.beyond", "numbers.rest", "numbers.place", "reduce.", "buffer", "gathered"]
            .into_iter()
            .chain(["candidates", "held", "sequence_.turns", "sequence_.held", "sequence_.reduced"])
            .any(|judged| path.starts_with(judged))
    }
}

state! {
    Crossbar(self) {
        when (self.busy()) {
            operation = self.word.get(MEMORY_OP);
            segment = self.word.get(S);
            predicate = self.word.get(PREDICATE);
            data_slot = self.word.get(DATA_SLOT);
            width = self.word.get(WIDTH);
        }
        when (self.shuffles()) {
            address_slot = self.word.get(SLOT);
            address_width = self.word.get(WIDTH_A);
            by_row = self.word.address_in_rows();
            offset = self.offset();
        }
        taking = self.takes_part();
        in sequence_ {
            at = self.at();
            when (self.busy()) {
                in_group = self.group;
            }
            come = self.come();
        }
        in numbers {
            when (self.settled()) {
                latches[bit in 0..self.columns.ilog2() as usize] = self.numbers(bit);
            }
        }
    }
}
