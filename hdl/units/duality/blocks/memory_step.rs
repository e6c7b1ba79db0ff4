//! Step of a word of memory that is asked for: which pass over which rows it is. Combinational, and apart from the
//! steps of other words ([`crate::duality::blocks::step`]): these follow from registers, and what comes of them goes
//! far.

use crate::array::blocks::types::RowAddress;
use crate::duality::blocks::types::ProgramWord;
use crate::duality::isa::codes::Predicate;
use crate::duality::isa::field as at;
use crate::duality::params::{ACTIVE_ROW, LAUNCH_ROW};
use crate::duality::passes::{MEMORY_STEP_BITS, MemoryStep, PASS_BITS, Pass};
use crate::kernel::prelude::*;

numbers! {
    usize: AT_WIDTH = at::WIDTH.lsb, AT_WIDTH_A = at::WIDTH_A.lsb, AT_A = at::A.lsb, AT_B = at::B.lsb,
    AT_D = at::D.lsb, AT_E = at::E.lsb, AT_S = at::S.lsb, AT_PREDICATE = at::PREDICATE.lsb
}
numbers! {
    PASS_SEND = Pass::Send, PASS_MERGE = Pass::Merge, ACTIVE = Predicate::Active, LAUNCH_AT = LAUNCH_ROW,
    ACTIVE_AT = ACTIVE_ROW, LAUNCH = MemoryStep::Launch, CHOOSER = MemoryStep::Chooser, ADDRESS = MemoryStep::Address,
    SECOND = MemoryStep::Second, RESULT = MemoryStep::Result
}

hdl_block! {
    /// The step.
    pub DualityMemoryStep {
        In word: ProgramWord; /// The word, of which not every bit matters here.
        In asked: Bits<MEMORY_STEP_BITS>; /// The step.
        Out pass: Bits<PASS_BITS>; /// The pass.
        Out count: Bits<8>; /// Its rows.
        Out from, to: RowAddress; /// The first of them, sent or received.
    } inside {
        Local unused: ProgramWord;
    }
}

impl Logic for DualityMemoryStep {
    #[hdl_gen]
    fn update(&mut self) {
        // The window and others look at what no step needs.
        self.unused.next = self.word.val();
        self.pass.next = PASS_SEND.into();
        self.count.next = bit_cast::<8, 6>(self.word.val().get_bits::<6>(AT_WIDTH)) + 1;
        self.from.next = bit_cast::<10, 9>(self.word.val().get_bits::<9>(AT_B));
        self.to.next = bit_cast::<10, 9>(self.word.val().get_bits::<9>(AT_D));
        if self.asked.val() == RESULT {
            self.pass.next = PASS_MERGE.into();
        } else if self.asked.val() == LAUNCH {
            self.count.next = 1.into();
            self.from.next = LAUNCH_AT.into();
        } else if self.asked.val() == CHOOSER {
            self.count.next = 1.into();
            self.from.next = ACTIVE_AT.into();
            if self.word.val().get_bits::<2>(AT_PREDICATE) != ACTIVE {
                self.from.next = bit_cast::<10, 9>(self.word.val().get_bits::<9>(AT_E));
            }
        } else if self.asked.val() == ADDRESS {
            self.count.next = bit_cast::<8, 6>(self.word.val().get_bits::<6>(AT_WIDTH_A)) + 1;
            self.from.next = bit_cast::<10, 9>(self.word.val().get_bits::<9>(AT_A));
        } else if self.asked.val() == SECOND {
            self.from.next = bit_cast::<10, 9>(self.word.val().get_bits::<9>(AT_S));
        }
    }

    described! {
        "duality_memory_step", "Which pass over which rows a step of a word of memory is."; AT_WIDTH, AT_WIDTH_A, AT_A,
        AT_B, AT_D, AT_E, AT_S, AT_PREDICATE, PASS_SEND, PASS_MERGE, ACTIVE, LAUNCH_AT, ACTIVE_AT, LAUNCH, CHOOSER,
        ADDRESS, SECOND, RESULT
    }
}
