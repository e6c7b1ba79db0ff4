//! Operations of Compute Caches on lines of the cache ways: one instruction at a time, written into registers.
//!
//! ```text
//!  host ◀─▶ registers ─▶ check ─▶ walk ◀─▶ cache ways
//!                 ▲                │          │ answer_line
//!                 └─── mask ─── operands ◀────┘
//!                                  └─▶ line, stored as a whole
//! ```
//!
//! Timing is that of the blocks inside. An operation on a line takes as many requests as it has operands, one a cycle
//! when all lines are there: the write of a line is served in the cycle behind the answer's to its last operand, and
//! stores what is made of it in that cycle.
//!
//! Source: Compute Caches (HPCA 2017), §4: operations on blocks of a cache, fetched when absent and pinned. Ours:
//! operands are read one after the other, behind a lock, instead of on common bitlines.

use crate::duality::blocks::bundles::{CacheLine, CacheSource, LineHostSink, LineStoreSource};
use crate::duality::blocks::lines::check::DualityLineCheck;
use crate::duality::blocks::lines::operands::DualityLineOperands;
use crate::duality::blocks::lines::registers::DualityLineRegisters;
use crate::duality::blocks::lines::walk::DualityLineWalk;
use crate::kernel::prelude::*;

hdl_block! {
    /// The line unit.
    pub DualityLines {
        In clock: Domain; /// Clock and reset.
        Bus host: LineHostSink; /// Registers.
        Bus cache: CacheSource; /// Requests to the cache ways.
        Out lock: Bit; /// The request locks all lines until the next without it.
        Bus store: LineStoreSource; /// Lines that are written as a whole; `whole` goes with the request on offer.
        In answer_line: CacheLine; /// The line of the last answer.
        In missed: Bit; /// Memory is asked for a line.
    } inside {
        Child registers: DualityLineRegisters; // The instruction.
        Child check: DualityLineCheck; // Whether it is legal.
        Child walk: DualityLineWalk; // Lines, one by one.
        Child operands: DualityLineOperands; // What is made of them.
        Local unused_busy: Bit;
    }
}

impl DualityLines {
    /// The line unit.
    pub fn new() -> Self {
        DualityLines { check: DualityLineCheck::new(), operands: DualityLineOperands::new(), ..Self::default() }
    }
}

impl Logic for DualityLines {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, registers, walk, operands);
        LineHostSink::link(&mut self.host, &mut self.registers.host);
        CacheSource::link(&mut self.cache, &mut self.walk.cache);
        self.check.op.next = self.registers.op.val();
        self.check.grain.next = self.registers.grain.val();
        self.check.a.next = self.registers.a.val();
        self.check.b.next = self.registers.b.val();
        self.check.d.next = self.registers.d.val();
        self.check.size.next = self.registers.size.val();
        self.registers.code.next = self.check.code.val();
        self.registers.about.next = self.check.about.val();
        self.registers.ended.next = self.walk.ended.val();
        self.registers.failed.next = self.walk.failed.val();
        self.registers.fault.next = self.walk.fault.val();
        self.registers.mask.next = self.operands.mask.val();
        self.walk.start.next = self.registers.start.val();
        self.walk.kind.a.next = self.check.kind.a.val();
        self.walk.kind.b.next = self.check.kind.b.val();
        self.walk.kind.key.next = self.check.kind.key.val();
        self.walk.kind.d.next = self.check.kind.d.val();
        self.walk.kind.gives.next = self.check.kind.gives.val();
        self.walk.a.next = self.registers.a.val();
        self.walk.b.next = self.registers.b.val();
        self.walk.d.next = self.registers.d.val();
        self.walk.lines.next = self.check.lines.val();
        self.walk.missed.next = self.missed.val();
        self.unused_busy.next = self.walk.busy.val();
        self.lock.next = self.walk.lock.val();
        self.store.whole.next = self.walk.whole.val();
        self.store.drop.next = self.walk.drop.val();
        self.store.line.next = self.operands.line.val();
        self.operands.start.next = self.registers.start.val();
        self.operands.op.next = self.registers.op.val();
        self.operands.grain.next = self.registers.grain.val();
        self.operands.has_grain.next = self.check.has_grain.val();
        self.operands.two.next = self.check.kind.b.val() | self.check.kind.key.val();
        self.operands.answer_line.next = self.answer_line.val();
        self.operands.keeps.next = self.walk.keeps.val();
        self.operands.gives.next = self.walk.gives.val();
        self.operands.number.next = self.walk.number.val();
    }

    described! { "duality_lines", "Operations of Compute Caches on lines of the cache ways." }
}
