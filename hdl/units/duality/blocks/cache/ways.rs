//! The cache ways of a slice: set-associative, lines of 64 bytes, write-back, write-allocate, tree-PLRU over the ways
//! that serve; fetches and write-backs over AXI4.
//!
//! ```text
//!  port ─▶ first ─▶ second ─▶ answer
//!    │       │         │
//!   tags   hits,      word of the way that hits, bytes replaced; else what is below
//!          data
//!  a line is not there: victim ─▶ written back, if dirty ─▶ its tag waits for the line ─▶ fetches
//! ```
//!
//! Source: Duality Cache §3.3; thesis §4.2.5. Ways of `enabled` serve as a cache; it may change only for ways that are
//! empty, as all are after reset and those that were drained are. A way that is drained serves no more until its bit in
//! `enabled` has been 0 afterwards.
//!
//! **Requests** are decided in the order in which they are taken. The answer of one that hits comes three cycles after
//! it was taken, one a cycle. A line that is not there gets a way at once: the first that serves and is empty, else the
//! one that the tree of the set points to, once that does not wait for a line itself; what is dirty in it is written
//! back. So which lines are there depends on the requests and on errors, not on time. A hint is done when its line has
//! a way, and counts as a use of it; any other request waits for its line, and all behind it. Lines that hints have
//! asked for are fetched meanwhile, up to the MSHR's entries; a request for one of them is merged into its fetch. If a
//! beat of the line has an error, the way is empty afterwards, and a request that has waited for it is answered with
//! `port_answer_failed`. No request is taken while no way serves.
//!
//! **Lines as a whole**, in a design that has `stores`. A request with `whole` is one to write the line, not the word:
//! when its turn has come the line gets all of `line`, and the answer has what it has become. It takes a way as any
//! other, but without a fetch. With `drop` at that time it has no effect, takes no way, counts as nothing, and fails.
//! `answer_line` stays as it is until the next answer that has not failed: so a request that is served directly behind
//! another one can store what is made of the other one's line.
//!
//! **Draining** takes set by set; between two sets requests go on for some cycles. `drained` = 1 for a cycle when the
//! lines of these ways are in memory, or their write-backs were answered with an error, and the ways are empty.
//!
//! **Errors** of write-backs are kept in `write_failed` until `clear_failed`; the line is lost.
//!
//! **Reset** empties all ways in as many cycles as there are sets, and the bus is reset with it. `restart` does the
//! same with a bus that goes on: requests under way get no answer, lines that are asked for are awaited, write-backs
//! that are complete are done, no burst is cut off; then the ways are emptied. `port_ready` is 0 meanwhile.
//!
//! `hit`, `merged` and `miss` are 1 for a cycle when a request is decided: its line is there, is being fetched, or is
//! not there. `written_back`: a write-back was answered.

use super::data::DualityCacheData;
use super::drain::DualityCacheDrain;
use super::memory::DualityCacheMemory;
use super::replacement::DualityCacheReplacement;
use super::tags::DualityCacheTags;
use super::{LINES, LineNumber};
use crate::duality::blocks::bundles::{CacheDrainSink, CacheLine, CacheSink, CacheStage, LineStoreSink};
use crate::duality::cache_params::{CacheParams, LINE_WORDS};
use crate::kernel::prelude::*;
use crate::parts::bundles::AxiMasterPort;

mod logic;

hdl_block! {
    /// The cache ways.
    pub DualityCache {
        In clock: Domain; /// Clock and reset.
        Bus port: CacheSink; /// Requests and answers.
        Out answer_line: CacheLine; /// With an answer that has not failed: the line of its word, before the request.
        Bus stores: Array<LineStoreSink, LINES>; /// Lines that are written as a whole.
        In enabled: CacheWays; /// Ways that serve as a cache.
        Bus drain: CacheDrainSink; /// Ways to be emptied.
        Out drained: Bit; /// They are empty.
        In restart: Bit; /// Everything is forgotten.
        In clear_failed: Bit; /// Clears `write_failed`.
        Out write_failed: Bit; /// A line could not be written back.
        Out hit, miss, merged, written_back: Bit; /// What happens, for performance counters.
        Bus m_axi: AxiMasterPort<Bits<32>, Word<64, 1>, Bits<8>>; /// Memory.
    } inside {
        Child tags: DualityCacheTags; // Which lines are where.
        Child words: DualityCacheData; // Their words.
        Child replacement: DualityCacheReplacement; // Which way a line gets.
        Child memory: DualityCacheMemory; // Lines on their way from and to memory.
        Child modes: DualityCacheDrain; // Ways that are drained, and those that serve.
        Child dirty: Vec<Ram<Bit, LineNumber>>; // Sets of each way whose line was written.
        Register state: Bits<4>; // What is done.
        Child first, second: CacheStage; // Requests: tags are compared; words are read and written.
        Register first_valid, second_valid: Bit; // There is one.
        Pipe way: CacheWays; // The way of the second request's line, or of what is done.
        Register found, pending: Bit; // It has one. It waits for the line.
        Register waited: Bit; // The second request was decided before.
        Register place: LineNumber; // A line of the set that is dealt with.
        Register fresh: Bit; // Its tags were read.
        Register count: Bits<4>; // Words read for a write-back.
        Pipe old: LineNumber; // The line that is written back.
        Register step: Bit; // A set of ways that are drained is dealt with.
        Register answered, answered_failed: Bit; // An answer is shown. It tells of an error.
        Pipe answer: CacheLine; // The line.
        Pipe answer_word: Bits<3>; // The word in it.
        Register broken: Bit; // A write-back has failed.
        Child first_whole, second_whole: Array<Register<Bit>, LINES>; // A request writes its line as a whole.
        Child dropped: Array<Signal<Local, Bit>, LINES>; // The second request is dropped.
        Child whole: Array<Signal<Local, Bit>, LINES>; // It writes its line as a whole.
        Local port_line, first_line, second_line: LineNumber;
        Local dirty_ways, candidates, none: CacheWays;
        Local runs, stalls, moves, serves, store, accepts, takes, drops, clears, evicts, notes: Bit;
        Local here: Bits<LINE_WORDS>;
        Local picked: Bits<64>;
        Local unused_byte: Bits<3>;
        Value _ways, _entries, _lines: usize;
        Value _last_set: u64;
    }
}

impl DualityCache {
    /// A cache with these parameters.
    pub fn new(params: &CacheParams) -> Self {
        DualityCache {
            tags: DualityCacheTags::new(params),
            words: DualityCacheData::new(params),
            replacement: DualityCacheReplacement::new(params),
            memory: DualityCacheMemory::new(params),
            modes: DualityCacheDrain::new(params),
            dirty: (0..params.ways).map(|_| Ram::new(params.sets, RamStyle::Distributed)).collect(),
            _ways: params.ways,
            _entries: params.mshr,
            _lines: params.lines.into(),
            _last_set: params.sets as u64 - 1,
            ..Self::default()
        }
    }
}
