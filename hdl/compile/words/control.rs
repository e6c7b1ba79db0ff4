//! Ends of blocks: jumps where all threads go one way, mask rows where they do not.

use bitline_units::duality::isa::codes::{Condition, Element, MaskOp, MemoryOp, Space};

use super::code::{Code, Label, Row, Start};
use super::select::{Home, Select};
use crate::error::Result;
use crate::flow::graph::End;
use crate::optimize::{TRAP_OF_ACCESS, TRAP_OF_ACCESSES};

/// Where threads store a byte that are to stop: no shared window reaches so far.
pub const STOP: u32 = 0x8000_0001;
/// The same for what passes put before accesses at addresses of 64 bits ([`TRAP_OF_ACCESS`], [`TRAP_OF_ACCESSES`]).
pub const STOPS_AT_ACCESSES: [u32; 2] = [STOP + 2, STOP + 4];

impl Select<'_> {
    fn jump(&mut self, condition: Condition, on: Option<Row>, to: Label) {
        self.emit(Code::Jump { condition, on, array: 0, to });
    }

    fn mask(&mut self, op: MaskOp, d: Option<usize>, a: Option<Row>) {
        self.emit(Code::Mask { op, d, a });
    }

    /// Whether a block is what comes next.
    fn follows(&self, to: usize) -> bool {
        let here = self.analysis.shape.place[self.block];
        self.analysis.shape.order.get(here + 1) == Some(&to)
    }

    /// Goes to a block, unless it is what comes next anyway.
    fn go(&mut self, to: usize) {
        if !self.follows(to) {
            self.jump(Condition::Always, None, Label::Block(to));
        }
    }

    /// Active threads wait at a block, unless all meet there.
    fn send(&mut self, op: MaskOp, to: usize, predicate: Option<Row>) {
        if self.analysis.masks.masked[to] {
            self.mask(op, Some(to), predicate);
        }
    }

    /// Selects words for the whole kernel.
    ///
    /// # Errors
    ///
    /// What has no words, with its line.
    pub fn kernel(&mut self) -> Result<()> {
        let (analysis, kernel) = (self.analysis, self.kernel);
        self.turn(0, kernel.place.line);
        for block in (0..analysis.graph.blocks.len()).filter(|block| analysis.masks.has_row(*block)) {
            self.mask(MaskOp::Clear, Some(block), None);
        }
        for block in &analysis.shape.order {
            let code = &analysis.graph.blocks[*block];
            self.turn(*block, code.place.line);
            if analysis.shape.outermost(*block).is_some_and(|one| one.header == *block) {
                self.jump(Condition::Loop, None, Label::Behind(*block));
            }
            self.emit(Code::Label(Label::Block(*block)));
            let masked = analysis.masks.masked[*block];
            if analysis.masks.has_row(*block) {
                let behind = Label::Tail(analysis.masks.last_of[*block]);
                self.jump(Condition::None, Some(Row::Mask(*block)), behind);
                self.mask(MaskOp::Enter, None, Some(Row::Mask(*block)));
                self.emit(Code::Label(Label::Inside(*block)));
            }
            for at in &code.body {
                self.instruction(*at)?;
            }
            self.turn(*block, code.place.line);
            if masked { self.masked_end(code.end) } else { self.unmasked_end(code.end) }
        }
        Ok(())
    }

    /// The predicate of the block's branch.
    fn condition(&mut self) -> Home {
        let value = self.analysis.webs.conditions[self.block].expect("the block ends in a branch");
        self.home(value)
    }

    fn masked_end(&mut self, end: End) {
        let (masks, block) = (&self.analysis.masks, self.block);
        match end {
            End::Exit => unreachable!("all threads meet at the exit"),
            End::Jump(to) => self.together(to),
            End::Branch { taken, other, .. } => match self.condition() {
                Home::Rows(part) => {
                    self.send(MaskOp::Taken, taken, Some(Row::Predicate(part.name)));
                    self.send(MaskOp::Other, other, Some(Row::Predicate(part.name)));
                    self.leave();
                }
                Home::Number(bit) => self.together(if bit & 1 == 1 { taken } else { other }),
                Home::Scalar(name)
                    if masks.stays(block, other) && !(self.follows(other) && masks.stays(block, taken)) =>
                {
                    self.jump(Condition::Zero, Some(Row::Scalar(name)), self.entrance(other));
                    self.together(taken);
                }
                Home::Scalar(name) if masks.stays(block, taken) => {
                    self.jump(Condition::NotZero, Some(Row::Scalar(name)), self.entrance(taken));
                    self.together(other);
                }
                Home::Scalar(name) => {
                    self.jump(Condition::Zero, Some(Row::Scalar(name)), Label::Local(2 * block));
                    self.send(MaskOp::Join, taken, None);
                    self.jump(Condition::Always, None, Label::Local(2 * block + 1));
                    self.emit(Code::Label(Label::Local(2 * block)));
                    self.send(MaskOp::Join, other, None);
                    self.emit(Code::Label(Label::Local(2 * block + 1)));
                    self.leave();
                }
            },
        }
        if masks.last_of[block] == block {
            // Behind a loop that the region ends with, if it has begun before it.
            let (next, first) = (masks.next[block], masks.first_of[block]);
            let follows = self.follows(next);
            self.turn(first, self.line);
            self.emit(Code::Label(Label::Tail(block)));
            for header in &masks.repeats[block] {
                self.jump(Condition::Any, Some(Row::Mask(*header)), Label::Block(*header));
            }
            if !follows {
                self.jump(Condition::Always, None, Label::Block(next));
            }
        }
    }

    /// Where active threads enter a block of their region.
    fn entrance(&self, block: usize) -> Label {
        if self.analysis.masks.has_row(block) { Label::Inside(block) } else { Label::Block(block) }
    }

    /// All active threads go to a block.
    fn together(&mut self, to: usize) {
        let masks = &self.analysis.masks;
        if !masks.stays(self.block, to) {
            self.send(MaskOp::Join, to, None);
            self.leave();
        } else if masks.has_row(to) {
            self.jump(Condition::Always, None, Label::Inside(to));
        } else {
            self.go(to);
        }
    }

    /// Active threads have left their region.
    fn leave(&mut self) {
        let last = self.analysis.masks.last_of[self.block];
        if last != self.block {
            self.jump(Condition::Always, None, Label::Tail(last));
        }
    }

    fn unmasked_end(&mut self, end: End) {
        match end {
            End::Exit => self.emit(Code::End),
            End::Jump(to) => self.all(to),
            End::Branch { taken, other, .. } => match self.condition() {
                Home::Rows(part) => {
                    let predicate = Some(Row::Predicate(part.name));
                    self.mask(MaskOp::Open, None, None);
                    self.send(MaskOp::Taken, taken, predicate);
                    self.send(MaskOp::Other, other, predicate);
                    let first = self.analysis.masks.first(&self.analysis.shape, self.block);
                    self.go(first);
                }
                Home::Number(bit) => self.all(if bit & 1 == 1 { taken } else { other }),
                Home::Scalar(name) if !self.analysis.masks.masked[other] => {
                    self.jump(Condition::Zero, Some(Row::Scalar(name)), Label::Block(other));
                    self.all(taken);
                }
                Home::Scalar(name) => {
                    self.jump(Condition::Zero, Some(Row::Scalar(name)), Label::Local(2 * self.block));
                    self.all_by_jump(taken);
                    self.emit(Code::Label(Label::Local(2 * self.block)));
                    self.all(other);
                }
            },
        }
    }

    /// All threads go to a block.
    fn all(&mut self, to: usize) {
        if self.analysis.masks.masked[to] {
            self.mask(MaskOp::Open, None, None);
            self.mask(MaskOp::Join, Some(to), None);
        }
        self.go(to);
    }

    fn all_by_jump(&mut self, to: usize) {
        if self.analysis.masks.masked[to] {
            self.mask(MaskOp::Open, None, None);
            self.mask(MaskOp::Join, Some(to), None);
        }
        self.jump(Condition::Always, None, Label::Block(to));
    }

    /// `trap`: an access that no thread may make stops the program, and names the thread.
    pub fn trap(&mut self) {
        let offset = match self.it().operands.first() {
            Some(what) if *what == TRAP_OF_ACCESS => STOPS_AT_ACCESSES[0],
            Some(what) if *what == TRAP_OF_ACCESSES => STOPS_AT_ACCESSES[1],
            _ => STOP,
        };
        let (b, predicate) = (self.in_rows(Home::Number(0), 8), self.active());
        self.emit(Code::Memory {
            op: MemoryOp::Store,
            space: Space::Shared,
            element: Element::B8,
            signed: false,
            d: None,
            b: Some(b),
            s: None,
            start: Start::Zero,
            offset,
            predicate,
        });
    }

    /// A barrier needs no word: threads run in step. But all threads of a block that are still there must have come.
    pub fn barrier(&mut self) -> Result<()> {
        if self.analysis.masks.waits[self.block].is_clear() {
            return Ok(());
        }
        self.refuse("a barrier that some threads may reach while others of their block go another way")
    }
}
