//! States of the memory unit's sequence: bits of which one is 1, with [`BUSY`]; none is while nothing is done. What
//! depends on a state follows from one bit then, and no synthesis makes a subtraction of a case of many states.

/// Something is done.
pub const BUSY: usize = 0;
/// The row that chooses threads is asked for, and comes.
pub const CHOOSE: usize = 1;
/// See [`CHOOSE`].
pub const CHOSEN: usize = 2;
/// Rows of addresses are asked for; addresses go to their translation.
pub const ADDRESS: usize = 3;
/// See [`ADDRESS`].
pub const LOOK: usize = 4;
/// The last addresses are translated.
pub const LOOKED: usize = 5;
/// Data are asked for, kept, and second data asked for.
pub const DATA: usize = 6;
/// See [`DATA`].
pub const KEEP: usize = 7;
/// See [`DATA`].
pub const SECOND: usize = 8;
/// Room is made for results.
pub const OPEN: usize = 9;
/// Threads have their turns; the last ones end.
pub const DO: usize = 10;
/// See [`DO`].
pub const DONE: usize = 11;
/// The result is offered, and taken.
pub const RESULT: usize = 12;
/// See [`RESULT`].
pub const TAKEN: usize = 13;
/// A result that nobody gets goes away.
pub const FLUSH: usize = 14;
/// The word ends.
pub const END: usize = 15;
/// The next rows of a wave are looked for, and what they are made of.
pub const FILL: usize = 16;
/// Room is made for them, threads give their values, the control block is asked to take them, and takes them.
pub const FILL_OPEN: usize = 17;
/// See [`FILL_OPEN`].
pub const FILL_WALK: usize = 18;
/// See [`FILL_OPEN`].
pub const FILL_ASK: usize = 19;
/// See [`FILL_OPEN`].
pub const FILL_TAKEN: usize = 20;
/// Pieces of spill rows are translated.
pub const SPILL_LOOK: usize = 21;
/// Spill rows of a group come; their places are noted.
pub const SPILL_ROWS: usize = 22;
/// See [`SPILL_ROWS`].
pub const SPILL_PLACE: usize = 23;
/// See [`SPILL_ROWS`].
pub const SPILL_PLACED: usize = 24;
/// Room is made for results of addresses that are read from as they are looked at.
pub const DIRECT: usize = 25;
/// Bits of a state.
pub const STATE_BITS: usize = 26;

/// States as they are in the register.
macro_rules! next_states {
    ($($name:ident = $state:ident),+ $(,)?) => {
        $(#[allow(missing_docs)] pub const $name: u64 = 1 << BUSY | 1 << $state;)+
    };
}
next_states! {
    TO_CHOOSE = CHOOSE, TO_CHOSEN = CHOSEN, TO_ADDRESS = ADDRESS, TO_LOOK = LOOK, TO_LOOKED = LOOKED, TO_DATA = DATA,
    TO_KEEP = KEEP, TO_SECOND = SECOND, TO_OPEN = OPEN, TO_DO = DO, TO_DONE = DONE, TO_RESULT = RESULT,
    TO_TAKEN = TAKEN, TO_FLUSH = FLUSH, TO_END = END, TO_FILL = FILL, TO_FILL_OPEN = FILL_OPEN,
    TO_FILL_WALK = FILL_WALK, TO_FILL_ASK = FILL_ASK, TO_FILL_TAKEN = FILL_TAKEN, TO_SPILL_LOOK = SPILL_LOOK,
    TO_DIRECT = DIRECT, TO_SPILL_ROWS = SPILL_ROWS, TO_SPILL_PLACE = SPILL_PLACE, TO_SPILL_PLACED = SPILL_PLACED
}
