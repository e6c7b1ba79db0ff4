//! Kind of a word of memory: what decides which steps it has. Combinational.

use crate::duality::blocks::memory::places::*;
use crate::duality::blocks::types::ProgramWord;
use crate::kernel::prelude::*;

hdl_block! {
    /// The kind.
    pub DualityMemoryKind {
        In word: ProgramWord; /// The word, of which not every bit matters here.
        Out spills: Bit; /// It moves spill rows.
        Out by_row: Bit; /// Its addresses are rows.
        Out writes: Bit; /// It is no load.
    } inside {
        Local unused: ProgramWord;
    }
}

impl Logic for DualityMemoryKind {
    #[hdl_gen]
    fn update(&mut self) {
        self.unused.next = self.word.val();
        self.spills.next = self.word.val().get_bits::<3>(AT_SPACE) == SPILL;
        self.by_row.next = (self.word.val().get_bits::<2>(AT_SOURCE) == BY_ROW)
            | (self.word.val().get_bits::<2>(AT_SOURCE) == INDEXED);
        self.writes.next = self.word.val().get_bits::<4>(AT_OPERATION) != LOAD;
    }

    described! {
        "duality_memory_kind", "Which steps a word of memory has."; AT_SPACE, SPILL, AT_SOURCE, BY_ROW, INDEXED,
        AT_OPERATION, LOAD
    }
}
