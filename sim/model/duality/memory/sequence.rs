//! Model of the memory unit's sequence, from its contract: what is done, of which group, and what ends it.

use bitline_units::duality::isa::codes::Trap;
use bitline_units::duality::isa::program::MOST_SPECIALS;
use bitline_units::duality::passes::MemoryStep;

pub use super::states::Doing;

/// Entries of the list of special registers at most.
const SPECIALS: u8 = MOST_SPECIALS as u8;

/// The sequence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sequence {
    /// What is done.
    pub doing: Doing,
    /// The group, and the thread in it.
    pub group: u8,
    /// See `group`.
    pub column: u16,
    /// Why the word is not done, or 0.
    pub why: u8,
    /// Addresses of the group are read from as they are looked at.
    pub direct: bool,
    /// The last group has its result.
    without_last: bool,
    /// Masks are filled, or else this entry of the list.
    pub masks: bool,
    /// See `masks`.
    pub entry: u8,
}

/// What it gets in a cycle: the word that is done, and what others have got so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // As the ports of the block, in their order.
pub struct SequenceInputs {
    pub groups: u8,
    pub columns: u16,
    pub fill: bool,
    pub valid: bool,
    pub spills: bool,
    pub beyond: bool,
    pub last_piece: bool,
    pub full: bool,
    pub all: bool,
    pub by_row: bool,
    pub writes: bool,
    pub stores: bool,
    pub compares: bool,
    pub sent: bool,
    pub last_row: bool,
    pub start_ready: bool,
    pub offers: bool,
    pub is_element: bool,
    pub takes: bool,
    pub tmu_busy: bool,
    pub look_turn: bool,
    pub looked: bool,
    pub trap: u8,
    pub do_turn: bool,
    pub done: bool,
    pub settles: bool,
    pub failed: bool,
    pub special_there: bool,
}

/// What it shows beside what it keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SequenceOutputs {
    /// What is kept, as it was.
    pub doing: Doing,
    /// See `doing`.
    pub group: u8,
    /// See `doing`.
    pub column: u16,
    /// See `doing`.
    pub told: u8,
    /// See `doing`.
    pub direct: bool,
    /// See `doing`.
    pub masks: bool,
    /// See `doing`.
    pub special: u8,
    /// The rows of a wave are written.
    pub filled: bool,
    /// The word is taken.
    pub takes_word: bool,
    /// A walk over all threads begins.
    pub walks: bool,
    /// Spill rows of the next group are asked for.
    pub begins_group: bool,
    /// The next turn is that of thread 0, or of the first piece.
    pub rewinds: bool,
    /// A transfer begins; of rows to elements with `Some(true)`.
    pub opens: Option<bool>,
    /// What is asked of the control block.
    pub asked: Option<MemoryStep>,
}

impl Sequence {
    /// There is a group behind this one.
    fn more(&self, inputs: &SequenceInputs) -> bool {
        self.group + 1 != self.end(inputs)
    }

    /// Groups that have their turns one behind the other.
    fn end(&self, inputs: &SequenceInputs) -> u8 {
        inputs.groups - u8::from(self.without_last)
    }

    /// One clock edge.
    pub fn step(&mut self, inputs: &SequenceInputs) -> SequenceOutputs {
        let before = self.clone();
        let mut shown = SequenceOutputs {
            doing: self.doing,
            group: self.group,
            column: self.column,
            told: self.why,
            direct: self.direct,
            masks: self.masks,
            special: self.entry % SPECIALS,
            ..SequenceOutputs::default()
        };
        if self.why == 0 {
            self.why = inputs.trap;
        }
        // Values of reads are awaited as long as the result's rows would.
        let given = inputs.done || inputs.settles && !inputs.spills;
        match before.doing {
            Doing::Idle => {
                (self.column, self.entry, self.masks) = (0, 0, true);
                shown.rewinds = true;
                if inputs.fill {
                    self.doing = Doing::Fill;
                } else if inputs.valid {
                    (shown.takes_word, shown.walks) = (true, true);
                    (self.why, self.doing) = (0, Doing::Choose);
                }
                // Addresses in rows that all threads have are asked for at once.
                if !inputs.fill && inputs.all && inputs.by_row && !inputs.spills {
                    self.looks(inputs, true, &mut shown);
                }
            }
            Doing::Choose if inputs.spills && inputs.beyond => {
                (self.why, self.doing) = (Trap::Window as u8, Doing::End)
            }
            Doing::Choose if inputs.spills => self.doing = Doing::SpillLook,
            Doing::Choose if inputs.all => self.looks(inputs, before.why == 0, &mut shown),
            Doing::Choose => self.asks(MemoryStep::Chooser, Doing::Chosen, inputs, &mut shown),
            Doing::Chosen if inputs.sent => self.doing = Doing::Address,
            Doing::Address => self.looks(inputs, before.why == 0, &mut shown),
            Doing::Direct if inputs.looked && self.opens(false, Doing::Look, inputs, &mut shown) => self.direct = true,
            Doing::Look if inputs.look_turn && self.turn(inputs) => {
                self.doing = Doing::Looked;
                if self.more(inputs) {
                    (self.doing, self.group) = (Doing::Choose, self.group + 1);
                }
            }
            Doing::Looked if before.direct && inputs.looked && given => {
                (self.direct, self.without_last) = (false, true);
                self.results(before.why, inputs, &mut shown);
            }
            Doing::Looked if !before.direct => {
                shown.rewinds = true;
                if inputs.looked {
                    self.group = 0;
                    self.doing = if before.why == 0 { Doing::Data } else { Doing::End };
                }
            }
            Doing::SpillLook | Doing::SpillPlace if inputs.look_turn && inputs.last_piece => {
                let looks = before.doing == Doing::SpillLook;
                self.doing = if looks { Doing::Looked } else { Doing::SpillPlaced };
            }
            Doing::SpillRows if inputs.full || !inputs.writes => self.doing = Doing::SpillPlace,
            Doing::SpillPlaced => {
                shown.rewinds = true;
                if inputs.looked {
                    self.doing = Doing::Do;
                }
            }
            Doing::Data if inputs.spills => {
                if inputs.writes {
                    self.asks(MemoryStep::Data, Doing::SpillRows, inputs, &mut shown);
                } else {
                    self.doing = Doing::SpillRows;
                }
                shown.begins_group = self.doing == Doing::SpillRows;
            }
            Doing::Data => {
                let next = if inputs.compares { Doing::Keep } else { Doing::Open };
                if inputs.writes {
                    self.fetches(MemoryStep::Data, next, inputs, &mut shown);
                } else {
                    self.doing = next;
                }
            }
            Doing::Keep if inputs.is_element && self.turn(inputs) => self.doing = Doing::Second,
            Doing::Second => self.fetches(MemoryStep::Second, Doing::Open, inputs, &mut shown),
            Doing::Open if inputs.stores => self.doing = Doing::Do,
            Doing::Open => _ = self.opens(false, Doing::Do, inputs, &mut shown),
            Doing::Do if inputs.do_turn && self.turn(inputs) => self.doing = Doing::Done,
            Doing::Done if given => match (inputs.failed, inputs.stores) {
                (true, _) => (self.why, self.doing) = (Trap::Bus as u8, Doing::Flush),
                (false, true) => self.next(inputs, &mut shown),
                (false, false) if inputs.spills => self.doing = Doing::Result,
                (false, false) => self.results(0, inputs, &mut shown),
            },
            Doing::Result if inputs.offers => self.asks(MemoryStep::Result, Doing::Taken, inputs, &mut shown),
            Doing::Taken if inputs.last_row => {
                if before.without_last && before.group == before.end(inputs) {
                    // Behind the last group, which was the first to be done, come those before it.
                    self.group = 0;
                    shown.rewinds = true;
                    match before.end(inputs) {
                        0 => self.ends(inputs, &mut shown),
                        _ => self.doing = Doing::Data,
                    }
                } else {
                    self.next(inputs, &mut shown);
                }
            }
            Doing::Flush if !inputs.tmu_busy => self.doing = Doing::End,
            Doing::End => self.ends(inputs, &mut shown),
            Doing::Fill => {
                self.group = 0;
                if before.masks || inputs.special_there && before.entry < SPECIALS {
                    shown.walks = true;
                    self.doing = Doing::FillOpen;
                } else {
                    shown.filled = true;
                    self.doing = Doing::Idle;
                }
            }
            Doing::FillOpen => _ = self.opens(false, Doing::FillWalk, inputs, &mut shown),
            Doing::FillWalk if inputs.takes && self.turn(inputs) => self.doing = Doing::FillAsk,
            Doing::FillAsk if inputs.offers => self.doing = Doing::FillTaken,
            Doing::FillTaken if inputs.last_row => {
                if self.more(inputs) {
                    (self.doing, self.group) = (Doing::FillOpen, self.group + 1);
                } else {
                    self.doing = Doing::Fill;
                    self.entry += u8::from(!before.masks);
                    self.masks = false;
                }
            }
            _ => {}
        }
        shown
    }

    /// A thread has had its turn; whether it was the last one.
    fn turn(&mut self, inputs: &SequenceInputs) -> bool {
        self.column = (self.column + 1) % inputs.columns;
        self.column == 0
    }

    /// A step is asked for, and what is done when it is taken.
    fn asks(&mut self, step: MemoryStep, next: Doing, inputs: &SequenceInputs, shown: &mut SequenceOutputs) {
        shown.asked = Some(step);
        if inputs.valid {
            self.doing = next;
        }
    }

    /// A transfer begins, if it can.
    fn opens(&mut self, store: bool, next: Doing, inputs: &SequenceInputs, shown: &mut SequenceOutputs) -> bool {
        if inputs.start_ready {
            shown.opens = Some(store);
            self.doing = next;
        }
        inputs.start_ready
    }

    /// Rows become elements: step and transfer begin in the same cycle. The step is asked for whether a
    /// word waits or not.
    fn fetches(&mut self, step: MemoryStep, next: Doing, inputs: &SequenceInputs, shown: &mut SequenceOutputs) {
        if inputs.start_ready {
            shown.asked = Some(step);
        }
        if inputs.valid {
            self.opens(true, next, inputs, shown);
        }
    }

    /// Addresses come next, if there are any in rows. A load that may be done reads from those of the last group at
    /// once.
    fn looks(&mut self, inputs: &SequenceInputs, granted: bool, shown: &mut SequenceOutputs) {
        let reads = !inputs.writes && !self.more(inputs) && granted;
        let next = if reads { Doing::Direct } else { Doing::Look };
        if inputs.by_row {
            self.fetches(MemoryStep::Address, next, inputs, shown);
        } else {
            self.doing = next;
        }
    }

    /// All values of a group are given, or will be when their rows are wanted.
    fn results(&mut self, why: u8, inputs: &SequenceInputs, shown: &mut SequenceOutputs) {
        if why == 0 && !inputs.failed {
            self.doing = Doing::Result;
            return self.asks(MemoryStep::Result, Doing::Taken, inputs, shown);
        }
        self.doing = Doing::Flush;
        if why == 0 {
            self.why = Trap::Bus as u8;
        }
    }

    /// The next group has its turn, or the word ends.
    fn next(&mut self, inputs: &SequenceInputs, shown: &mut SequenceOutputs) {
        if self.more(inputs) {
            (self.doing, self.group) = (Doing::Data, self.group + 1);
        } else {
            self.ends(inputs, shown);
        }
    }

    /// The word ends.
    fn ends(&mut self, inputs: &SequenceInputs, shown: &mut SequenceOutputs) {
        self.doing = Doing::End;
        self.asks(MemoryStep::End, Doing::Idle, inputs, shown);
        if self.doing == Doing::Idle {
            (self.group, self.without_last) = (0, false);
        }
    }

    /// A clock edge with the reset on has passed.
    pub fn reset(&mut self) {
        *self = Sequence::default();
    }
}

state! {
    Sequence(self) {
        at = self.doing.bits();
        in_group = self.group;
        in_column = self.column;
        self => why, without_last, entry;
        at_once = self.direct;
        of_masks = self.masks;
    }

    SequenceInputs(self) {
        self => groups, columns, fill, valid, spills, beyond, last_piece, full, all, by_row, writes, stores, compares,
            sent, last_row, start_ready, offers, is_element, takes, tmu_busy, look_turn, looked, trap, do_turn, done,
            settles, failed, special_there;
    }

    SequenceOutputs(self) {
        state = self.doing.bits();
        self => group, column, told, direct, masks, special, filled, takes_word, walks, begins_group, rewinds;
        opens = self.opens.is_some();
        opens_store = self.opens;
        asks = self.asked.is_some();
        asked = self.asked.map(|step| step as u8);
    }
}
