//! The registers as a table: offsets, fields, and what they are for.

use super::MAGIC;
use crate::duality::params::PC_BITS;
use crate::regmap::{Access, Field, Register, Reset, registers};

const ZERO: Reset = Reset::Value(0);

registers! {
    /// Identification: tells that this is a bitline Duality Cache.
    REG_ID "id" @ 0x00 {
        /// `BTDC` in ASCII, the first character in the lowest byte.
        ID_MAGIC_LSB "magic" [0 +: 32] ReadOnly Reset::Value(MAGIC);
    }
    /// Version of the generator that wrote the design.
    REG_VERSION "version" @ 0x04 {
        /// Patch.
        VERSION_PATCH_LSB "patch" [0 +: 16] ReadOnly Reset::Design;
        /// Minor.
        VERSION_MINOR_LSB "minor" [16 +: 8] ReadOnly Reset::Design;
        /// Major.
        VERSION_MAJOR_LSB "major" [24 +: 8] ReadOnly Reset::Design;
    }
    /// The control blocks: powers of two, but for banks and their own number.
    REG_GEOMETRY "geometry" @ 0x08 {
        /// Threads of a bank, log2.
        GEOMETRY_COLUMNS_LSB "columns" [0 +: 4] ReadOnly Reset::Design;
        /// Banks.
        GEOMETRY_BANKS_LSB "banks" [4 +: 4] ReadOnly Reset::Design;
        /// Rows of an array, log2.
        GEOMETRY_ROWS_LSB "rows" [8 +: 4] ReadOnly Reset::Design;
        /// Words of the instruction ring, log2.
        GEOMETRY_RING_LSB "ring" [12 +: 4] ReadOnly Reset::Design;
        /// Control blocks of the slice.
        GEOMETRY_BLOCKS_LSB "blocks" [16 +: 4] ReadOnly Reset::Design;
    }
    /// The cache ways: powers of two, but for ways.
    REG_CACHE "cache" @ 0x0c {
        /// Cache ways.
        CACHE_WAYS_LSB "ways" [0 +: 5] ReadOnly Reset::Design;
        /// Sets of a way, log2; a line has 64 bytes.
        CACHE_SETS_LSB "sets" [8 +: 4] ReadOnly Reset::Design;
        /// Lines that can be fetched at the same time, log2.
        CACHE_MSHR_LSB "mshr" [12 +: 4] ReadOnly Reset::Design;
        /// There are operations on lines: the registers from `line_a` on.
        CACHE_LINES_LSB "lines" [16 +: 1] ReadOnly Reset::Design;
    }
    /// Configuration hash, low half: 64-bit FNV-1a over the parameters as JSON; the same as in the Verilog headers.
    REG_HASH_LOW "hash_low" @ 0x10 {
        /// Bits 31 to 0.
        HASH_LOW_LSB "hash" [0 +: 32] ReadOnly Reset::Design;
    }
    /// Configuration hash, high half.
    REG_HASH_HIGH "hash_high" @ 0x14 {
        /// Bits 63 to 32.
        HASH_HIGH_LSB "hash" [0 +: 32] ReadOnly Reset::Design;
    }
    /// What program files name the designs by that they run on, low half.
    REG_PROGRAM_LOW "program_low" @ 0x18 {
        /// Bits 31 to 0.
        PROGRAM_LOW_LSB "hash" [0 +: 32] ReadOnly Reset::Design;
    }
    /// What program files name the designs by that they run on, high half.
    REG_PROGRAM_HIGH "program_high" @ 0x1c {
        /// Bits 63 to 32.
        PROGRAM_HIGH_LSB "hash" [0 +: 32] ReadOnly Reset::Design;
    }
    /// Command: a 1 does something, once.
    REG_COMMAND "command" @ 0x20 {
        /// Starts a launch. Refused while one is under way, while the ways are flushed, and if a count of `block`,
        /// `grid` or `at_once` is 0, if there are no words and the host does not feed them, or more than 65536, more
        /// than 32 parameters or 8 special registers, if `mode.arrays` is 3, or with `abort`; if no control block is
        /// wanted (`way_modes`), and while no way serves as a cache. It waits for the first control block.
        COMMAND_START_LSB "start" [0 +: 1] WriteOnly ZERO;
        /// Ends the launch that is under way: a program that runs stops before the word that comes next, what has left
        /// the ring ends, and no further wave begins. Nothing if none is under way.
        COMMAND_ABORT_LSB "abort" [1 +: 1] WriteOnly ZERO;
        /// Writes all lines of the cache ways back that differ from memory, and empties the ways. Refused while a
        /// launch is under way.
        COMMAND_FLUSH_LSB "flush" [2 +: 1] WriteOnly ZERO;
        /// Clears `status.write_failed`.
        COMMAND_CLEAR_LSB "clear" [3 +: 1] WriteOnly ZERO;
    }
    /// Status.
    REG_STATUS "status" @ 0x24 {
        /// A launch is under way.
        STATUS_BUSY_LSB "busy" [0 +: 1] ReadOnly ZERO;
        /// A program runs in some control block.
        STATUS_RUNNING_LSB "running" [1 +: 1] ReadOnly ZERO;
        /// The cache ways are flushed.
        STATUS_FLUSHING_LSB "flushing" [2 +: 1] ReadOnly ZERO;
        /// The ways are empty: nothing has been asked of them since reset or the last flush.
        STATUS_CLEAN_LSB "clean" [3 +: 1] ReadOnly Reset::Value(1);
        /// A word that the host pushes would be taken by the control block that `block` names.
        STATUS_READY_LSB "ready" [4 +: 1] ReadOnly ZERO;
        /// A program waits for the host's words in some control block, and at most half of its ring is in use.
        STATUS_DOORBELL_LSB "doorbell" [5 +: 1] ReadOnly ZERO;
        /// Memory has not taken a line that was written back.
        STATUS_WRITE_FAILED_LSB "write_failed" [6 +: 1] ReadOnly ZERO;
        /// A program runs in the control block that `block` names.
        STATUS_BLOCK_RUNNING_LSB "block_running" [7 +: 1] ReadOnly ZERO;
    }
    /// How the last launch has ended.
    REG_RESULT "result" @ 0x28 {
        /// 0 while it is under way and before the first; 1 all waves have ended; 2 a trap stopped the program, in
        /// all control blocks; 3 the host did.
        RESULT_OUTCOME_LSB "outcome" [0 +: 2] ReadOnly ZERO;
        /// The first code other than 0 that a wave has ended with; after a trap the first one's code.
        RESULT_CODE_LSB "code" [8 +: 8] ReadOnly ZERO;
        /// After a trap: the array of the word.
        RESULT_SLOT_LSB "slot" [16 +: 2] ReadOnly ZERO;
        /// After a trap: `trap_thread` holds a thread.
        RESULT_THREAD_LSB "thread" [18 +: 1] ReadOnly ZERO;
        /// After a trap: `trap_address` holds an address.
        RESULT_ADDRESS_LSB "address" [19 +: 1] ReadOnly ZERO;
        /// After a trap: the control block.
        RESULT_BLOCK_LSB "block" [20 +: 2] ReadOnly ZERO;
    }
    /// After a trap: the word that the program was stopped before, counted from the program's first.
    REG_TRAP_PC "trap_pc" @ 0x2c {
        /// Its number.
        TRAP_PC_LSB "pc" [0 +: PC_BITS] ReadOnly ZERO;
    }
    /// After a trap: the first thread of the control block whose access was refused; see `result.thread`.
    REG_TRAP_THREAD "trap_thread" @ 0x30 {
        /// Its number.
        TRAP_THREAD_LSB "thread" [0 +: 12] ReadOnly ZERO;
    }
    /// After a trap: the address that this thread has asked for; see `result.address`.
    REG_TRAP_ADDRESS "trap_address" @ 0x34 {
        /// The address.
        TRAP_ADDRESS_LSB "address" [0 +: 32] ReadOnly ZERO;
    }
    /// Interrupts that have come.
    REG_INTERRUPT "interrupt" @ 0x38 {
        /// A launch has ended.
        INTERRUPT_DONE_LSB "done" [0 +: 1] WriteOneToClear ZERO;
        /// A flush has ended.
        INTERRUPT_FLUSHED_LSB "flushed" [1 +: 1] WriteOneToClear ZERO;
        /// As `status.doorbell`.
        INTERRUPT_DOORBELL_LSB "doorbell" [2 +: 1] ReadOnly ZERO;
        /// A way has become a cache or a control block: see `way_states`.
        INTERRUPT_MODES_LSB "modes" [3 +: 1] WriteOneToClear ZERO;
    }
    /// Interrupts that raise the interrupt line.
    REG_INTERRUPT_ENABLE "interrupt_enable" @ 0x3c {
        /// While `interrupt.done` is 1.
        INTERRUPT_ENABLE_DONE_LSB "done" [0 +: 1] ReadWrite ZERO;
        /// While `interrupt.flushed` is 1.
        INTERRUPT_ENABLE_FLUSHED_LSB "flushed" [1 +: 1] ReadWrite ZERO;
        /// While `interrupt.doorbell` is 1.
        INTERRUPT_ENABLE_DOORBELL_LSB "doorbell" [2 +: 1] ReadWrite ZERO;
        /// While `interrupt.modes` is 1.
        INTERRUPT_ENABLE_MODES_LSB "modes" [3 +: 1] ReadWrite ZERO;
    }
    /// The program's next word for a launch that the host feeds: bits 31 to 0.
    REG_WORD_0 "word_0" @ 0x40 {
        /// The bits.
        WORD_0_LSB "word" [0 +: 32] ReadWrite ZERO;
    }
    /// The next word: bits 63 to 32.
    REG_WORD_1 "word_1" @ 0x44 {
        /// The bits.
        WORD_1_LSB "word" [0 +: 32] ReadWrite ZERO;
    }
    /// The next word: bits 95 to 64.
    REG_WORD_2 "word_2" @ 0x48 {
        /// The bits.
        WORD_2_LSB "word" [0 +: 32] ReadWrite ZERO;
    }
    /// The wave that pushed words are for: `block_wave` of the control block that `block` names.
    REG_FEED "feed" @ 0x4c {
        /// Its number in the launch, from 1 on, as `waves` counts.
        FEED_WAVE_LSB "wave" [0 +: 32] ReadWrite ZERO;
    }
    /// The control block that `push`, `pc`, `frontier`, `tail`, `block_wave` and some bits of `status` are of.
    REG_BLOCK "block" @ 0x50 {
        /// Its number; one that is not there is as number 0.
        BLOCK_NUMBER_LSB "number" [0 +: 2] ReadWrite ZERO;
    }
    /// Mode of the next launch. This register and those up to `counts` are refused while a launch is under way.
    REG_MODE "mode" @ 0x54 {
        /// Words leave in bundles, as in the paper; else windows run as far ahead as they can.
        MODE_LOCKSTEP_LSB "lockstep" [0 +: 1] ReadWrite ZERO;
        /// Arrays of a thread: 0 four, 1 two, 2 one.
        MODE_ARRAYS_LSB "arrays" [4 +: 2] ReadWrite ZERO;
        /// The host pushes the program's words, again for each wave; else they are in memory.
        MODE_HOST_FED_LSB "host_fed" [8 +: 1] ReadWrite ZERO;
    }
    /// Where the program is in memory.
    REG_CODE "code" @ 0x58 {
        /// Physical byte address of word 0, a multiple of 16.
        CODE_ADDRESS_LSB "address" [4 +: 28] ReadWrite ZERO;
    }
    /// The program's length.
    REG_WORDS "words" @ 0x5c {
        /// Words of 16 bytes.
        WORDS_COUNT_LSB "count" [0 +: PC_BITS] ReadWrite ZERO;
    }
    /// Threads of a CTA, x.
    REG_BLOCK_X "block_x" @ 0x60 {
        /// Their number.
        BLOCK_X_LSB "count" [0 +: 13] ReadWrite ZERO;
    }
    /// Threads of a CTA, y.
    REG_BLOCK_Y "block_y" @ 0x64 {
        /// Their number.
        BLOCK_Y_LSB "count" [0 +: 13] ReadWrite ZERO;
    }
    /// Threads of a CTA, z.
    REG_BLOCK_Z "block_z" @ 0x68 {
        /// Their number.
        BLOCK_Z_LSB "count" [0 +: 13] ReadWrite ZERO;
    }
    /// CTAs of the grid, x.
    REG_GRID_X "grid_x" @ 0x6c {
        /// Their number.
        GRID_X_LSB "count" [0 +: 21] ReadWrite ZERO;
    }
    /// CTAs of the grid, y.
    REG_GRID_Y "grid_y" @ 0x70 {
        /// Their number.
        GRID_Y_LSB "count" [0 +: 21] ReadWrite ZERO;
    }
    /// CTAs of the grid, z.
    REG_GRID_Z "grid_z" @ 0x74 {
        /// Their number.
        GRID_Z_LSB "count" [0 +: 21] ReadWrite ZERO;
    }
    /// CTAs that are in a control block at the same time.
    REG_AT_ONCE "at_once" @ 0x78 {
        /// At most threads of a control block over threads of a CTA.
        AT_ONCE_LSB "count" [0 +: 13] ReadWrite ZERO;
    }
    /// Where the shared windows of the CTAs are, one behind the other.
    REG_SHARED_BASE "shared_base" @ 0x7c {
        /// Virtual byte address, a multiple of 64.
        SHARED_BASE_LSB "address" [0 +: 32] ReadWrite ZERO;
    }
    /// The shared window of a CTA.
    REG_SHARED_BYTES "shared_bytes" @ 0x80 {
        /// Bytes, a multiple of 64.
        SHARED_BYTES_LSB "bytes" [0 +: 32] ReadWrite ZERO;
    }
    /// Where spill rows are.
    REG_SPILL_BASE "spill_base" @ 0x84 {
        /// Virtual byte address, a multiple of 64.
        SPILL_BASE_LSB "address" [0 +: 32] ReadWrite ZERO;
    }
    /// The spill area.
    REG_SPILL_ROWS "spill_rows" @ 0x88 {
        /// Rows.
        SPILL_ROWS_LSB "count" [0 +: 16] ReadWrite ZERO;
    }
    /// Shared windows of several control blocks.
    REG_SHARED_STEP "shared_step" @ 0x8c {
        /// Bytes from `shared_base` of a control block to that of the next, a multiple of 64: at least those of the
        /// windows of `at_once` CTAs, or waves write into each other's.
        SHARED_STEP_LSB "bytes" [0 +: 32] ReadWrite ZERO;
    }
    /// Spill rows of several control blocks.
    REG_SPILL_STEP "spill_step" @ 0x90 {
        /// Bytes from `spill_base` of a control block to that of the next, a multiple of 64: at least those of
        /// `spill_rows` rows, a bit for each thread.
        SPILL_STEP_LSB "bytes" [0 +: 32] ReadWrite ZERO;
    }
    /// Parameters and special registers of the launch.
    REG_COUNTS "counts" @ 0x94 {
        /// Scalar registers, from 0 on, that hold parameters when a wave begins; the others hold 0.
        COUNTS_PARAMETERS_LSB "parameters" [0 +: 6] ReadWrite ZERO;
        /// Special registers that threads find in rows.
        COUNTS_SPECIALS_LSB "specials" [8 +: 4] ReadWrite ZERO;
    }
    /// The next word: a write pushes it, with these as bits 127 to 96. Refused unless `status.ready` is 1
    /// and `feed` names the wave that runs in the control block that `block` names.
    REG_PUSH "push" @ 0x98 {
        /// The bits.
        PUSH_WORD_LSB "word" [0 +: 32] WriteOnly ZERO;
    }
    /// The word of the program that comes next.
    REG_PC "pc" @ 0x9c {
        /// Its number, counted from the program's first.
        PC_LSB "pc" [0 +: PC_BITS] ReadOnly ZERO;
    }
    /// The oldest word that the ring keeps: `pc`, or the first of the outermost loop that is open.
    REG_FRONTIER "frontier" @ 0xa0 {
        /// Its number.
        FRONTIER_LSB "frontier" [0 +: PC_BITS] ReadOnly ZERO;
    }
    /// The word that goes into the ring next.
    REG_TAIL "tail" @ 0xa4 {
        /// Its number.
        TAIL_LSB "tail" [0 +: PC_BITS] ReadOnly ZERO;
    }
    /// The wave that has begun last in the control block that `block` names.
    REG_BLOCK_WAVE "block_wave" @ 0xa8 {
        /// Its number in the launch, from 1 on; 0 before the first.
        BLOCK_WAVE_LSB "wave" [0 +: 32] ReadOnly ZERO;
    }
    /// Ways in use. Refused unless `status.clean` is 1, and no launch is under way.
    REG_WAYS "ways" @ 0xac {
        /// A bit for each way that serves as a cache, unless it is a control block. Without any no launch begins.
        WAYS_ENABLED_LSB "enabled" [0 +: 20] ReadWrite Reset::Design;
    }
    /// Writes that were refused since reset.
    REG_REFUSED "refused" @ 0xb0 {
        /// Their number modulo 2^32.
        REFUSED_COUNT_LSB "count" [0 +: 32] ReadOnly ZERO;
    }
    /// Cycles of the last launch, low half. This and what follows counts from the launch's start. A read keeps the high
    /// half for the next read of `cycles_high`.
    REG_CYCLES_LOW "cycles_low" @ 0xb4 {
        /// Bits 31 to 0.
        CYCLES_LOW_LSB "cycles" [0 +: 32] ReadOnly ZERO;
    }
    /// The high half as it was when `cycles_low` was last read.
    REG_CYCLES_HIGH "cycles_high" @ 0xb8 {
        /// Bits 63 to 32.
        CYCLES_HIGH_LSB "cycles" [0 +: 32] ReadOnly ZERO;
    }
    /// Waves: times that a control block was filled with CTAs.
    REG_WAVES "waves" @ 0xbc {
        /// Their number.
        WAVES_COUNT_LSB "count" [0 +: 32] ReadOnly ZERO;
    }
    /// Cycles in which a word of memory was at work in some control block, modulo 2^32.
    REG_MEMORY_CYCLES "memory_cycles" @ 0xc0 {
        /// Their number.
        MEMORY_CYCLES_LSB "count" [0 +: 32] ReadOnly ZERO;
    }
    /// Requests to the cache ways that found their line, modulo 2^32.
    REG_HITS "hits" @ 0xc4 {
        /// Their number.
        HITS_COUNT_LSB "count" [0 +: 32] ReadOnly ZERO;
    }
    /// Requests for whose line memory was asked, modulo 2^32.
    REG_MISSES "misses" @ 0xc8 {
        /// Their number.
        MISSES_COUNT_LSB "count" [0 +: 32] ReadOnly ZERO;
    }
    /// Requests whose line was being fetched already, modulo 2^32.
    REG_MERGES "merges" @ 0xcc {
        /// Their number.
        MERGES_COUNT_LSB "count" [0 +: 32] ReadOnly ZERO;
    }
    /// Lines that were written back, modulo 2^32.
    REG_WRITTEN_BACK "written_back" @ 0xd0 {
        /// Their number.
        WRITTEN_BACK_COUNT_LSB "count" [0 +: 32] ReadOnly ZERO;
    }
    /// What ways are wanted to be: way k may be control block k. A way changes in the midst of launches, and while
    /// others serve: `way_states` says when. Written whole, or refused.
    REG_WAY_MODES "way_modes" @ 0xd4 {
        /// A bit for each control block: its way is wanted as that, and is emptied first; else as a cache, which it
        /// becomes, empty, when no wave runs there any more. What the host writes to a control block whose way is a
        /// cache is refused.
        WAY_MODES_ACCELERATOR_LSB "accelerator" [0 +: 4] ReadWrite ZERO;
        /// A bit for each control block that is wanted as a cache: the wave that runs there is not waited for but
        /// ended, and with it the launch, as by `command.abort`.
        WAY_MODES_ABORT_LSB "abort" [8 +: 4] WriteOnly ZERO;
    }
    /// What ways of control blocks are: 0 a cache; 1 a cache that will be emptied, or is: it waits until some other
    /// way serves; 2 a control block; 3 a control block that gets no wave and waits for the one that runs.
    REG_WAY_STATES "way_states" @ 0xd8 {
        /// Way 0.
        WAY_STATES_BLOCK_0_LSB "block_0" [0 +: 2] ReadOnly ZERO;
        /// Way 1; 0 if there is no such control block, as of those that follow.
        WAY_STATES_BLOCK_1_LSB "block_1" [2 +: 2] ReadOnly ZERO;
        /// Way 2.
        WAY_STATES_BLOCK_2_LSB "block_2" [4 +: 2] ReadOnly ZERO;
        /// Way 3.
        WAY_STATES_BLOCK_3_LSB "block_3" [6 +: 2] ReadOnly ZERO;
    }
}
