//! States of the memory unit's sequence.

/// Nothing is done.
pub const IDLE: u64 = 0;
/// The row that chooses threads is asked for, and comes.
pub const CHOOSE: u64 = 1;
/// See [`CHOOSE`].
pub const CHOSEN: u64 = 2;
/// Rows of addresses are asked for; addresses go to their translation.
pub const ADDRESS: u64 = 3;
/// See [`ADDRESS`].
pub const LOOK: u64 = 4;
/// The last addresses are translated.
pub const LOOKED: u64 = 5;
/// Data are asked for, kept, and second data asked for.
pub const DATA: u64 = 6;
/// See [`DATA`].
pub const KEEP: u64 = 7;
/// See [`DATA`].
pub const SECOND: u64 = 8;
/// Room is made for results.
pub const OPEN: u64 = 9;
/// Threads have their turns; the last ones end.
pub const DO: u64 = 10;
/// See [`DO`].
pub const DONE: u64 = 11;
/// The result is offered, and taken.
pub const RESULT: u64 = 12;
/// See [`RESULT`].
pub const TAKEN: u64 = 13;
/// A result that nobody gets goes away.
pub const FLUSH: u64 = 14;
/// The word ends.
pub const END: u64 = 15;
/// The next rows of a wave are looked for, and what they are made of.
pub const FILL: u64 = 16;
/// Room is made for them, threads give their values, the control block is asked to take them, and takes them.
pub const FILL_OPEN: u64 = 17;
/// See [`FILL_OPEN`].
pub const FILL_WALK: u64 = 18;
/// See [`FILL_OPEN`].
pub const FILL_ASK: u64 = 19;
/// See [`FILL_OPEN`].
pub const FILL_TAKEN: u64 = 20;
/// Pieces of spill rows are translated.
pub const SPILL_LOOK: u64 = 21;
/// Spill rows of a group come; their places are noted.
pub const SPILL_ROWS: u64 = 22;
/// See [`SPILL_ROWS`].
pub const SPILL_PLACE: u64 = 23;
/// See [`SPILL_ROWS`].
pub const SPILL_PLACED: u64 = 24;
/// Room is made for results of addresses that are read from as they are looked at.
pub const DIRECT: u64 = 25;
/// Bits of a state.
pub const STATE_BITS: usize = 5;
