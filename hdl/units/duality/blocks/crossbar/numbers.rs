//! Numbers of the crossbar: which thread each thread names, in latches of a row for each bit.
//!
//! `opens` = 1 takes an offset and the size of a segment, 2^`segment` threads; then comes a bit of every thread's
//! address with each `put`, the lowest first, and `settle` = 1 behind the last one, at least `segment` bits in all.
//! From the next cycle on a thread names that one of its segment whose place in it is address + offset, a number of 32
//! bits in which bits that have not come are 0; or itself if its segment has no such place. `exclude` = 1 makes
//! those name themselves that have a 1 in `absent`. `turn` = 1 turns all numbers down by `step` threads: thread t gets
//! that of thread t + `step`.

use super::network::NUMBER_BITS;
use crate::kernel::prelude::*;

/// Bits of an address.
const ADDRESS_BITS: u64 = 32;
const LAST_BIT: usize = 31;

hdl_block! {
    /// The numbers.
    pub DualityCrossbarNumbers {
        In clock: Domain; /// Clock and reset.
        In opens: Bit; /// Addresses come from now on.
        In offset: Bits<32>; /// With it: what they are counted from.
        In segment: Bits<4>; /// log2 of the threads of a segment; stays until they are settled.
        In put: Bit; /// The next bit of all addresses comes.
        In row: Row; /// The bit.
        In settle: Bit; /// No more come.
        In exclude: Bit; /// Some threads name none that there is.
        In absent: Row; /// Which ones.
        In turn: Bit; /// All numbers are turned.
        Bus numbers: Vec<Signal<Out, Row>>; /// Bits of the numbers, the lowest first.
    } inside {
        Child latches: Vec<Register<Row>>; // Bits of the numbers.
        Register carry: Row; // Of the sums.
        Register beyond: Row; // Threads whose segment has no such place.
        Register rest: Bits<32>; // Bits of the offset to come, the next one lowest, and behind them its sign.
        Register place: Bits<7>; // Bits that have come.
        Local sum, majority, more, outside: Row;
        Child own: Vec<Signal<Local, Row>>; // Bits of each thread's own number.
        Local ones: Row;
        Local sign: Bit;
        Value _bits, _columns, _turns: usize;
        Value _step, _rest: u64;
    }
}

impl DualityCrossbarNumbers {
    /// For a bank of so many threads, which turn by `step` at a time.
    pub fn new(step: usize, columns: usize) -> Self {
        let bits = columns.ilog2() as usize;
        assert!(bits <= NUMBER_BITS, "{columns} threads");
        DualityCrossbarNumbers {
            numbers: (0..bits).map(|_| Signal::default()).collect(),
            latches: (0..bits).map(|_| Register::default()).collect(),
            own: (0..bits).map(|_| Signal::default()).collect(),
            _bits: bits,
            _columns: columns,
            _turns: usize::from(step < columns),
            _step: step as u64,
            _rest: (columns - step) as u64,
            ..Self::default()
        }
    }
}

impl Logic for DualityCrossbarNumbers {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, carry, beyond, rest, place);
        self.ones.next = 0.into();
        self.ones.next = !self.ones.val();
        self.sign.next = self.rest.q.val().get_bit(LAST_BIT);
        // Address and offset are added bit by bit.
        self.more.next = 0.into();
        if self.rest.q.val().get_bit(0) {
            self.more.next = self.ones.val();
        }
        self.sum.next = self.row.val() ^ self.more.val() ^ self.carry.q.val();
        self.majority.next =
            (self.row.val() & self.more.val()) | (self.carry.q.val() & (self.row.val() | self.more.val()));
        // What is left of the sum is 0 where carry and offset say so; of all 32 bits nothing is left.
        self.outside.next = self.beyond.q.val();
        if self.place.q.val() < ADDRESS_BITS {
            if self.rest.q.val() == 0 {
                self.outside.next = self.beyond.q.val() | self.carry.q.val();
            } else if (!self.rest.q.val()) == 0 {
                self.outside.next = self.beyond.q.val() | !self.carry.q.val();
            } else {
                self.outside.next = self.ones.val();
            }
        }
        if self.exclude.val() {
            self.outside.next = self.absent.val();
        }
        for j in 0..self._bits {
            dff_setup!(self, clock, latches[j]);
            self.numbers[j].next = self.latches[j].q.val();
            self.own[j].next = 0.into();
            for t in 0..self._columns {
                self.own[j].next = self.own[j].val().replace_bit(t, ((t >> j) & 1) == 1);
            }
            if self.put.val() & (self.place.q.val().index() == j) {
                self.latches[j].d.next = self.sum.val();
            }
            if self.settle.val() | self.exclude.val() {
                self.latches[j].d.next =
                    (self.latches[j].q.val() & !self.outside.val()) | (self.own[j].val() & self.outside.val());
                if self.segment.val().index() <= j {
                    self.latches[j].d.next = self.own[j].val();
                }
            }
            for _i in 0..self._turns {
                if self.turn.val() {
                    self.latches[j].d.next =
                        (self.latches[j].q.val() >> self._step) | (self.latches[j].q.val() << self._rest);
                }
            }
        }
        if self.put.val() {
            self.carry.d.next = self.majority.val();
            self.place.d.next = self.place.q.val() + 1;
            self.rest.d.next = (self.rest.q.val() >> 1).replace_bit(LAST_BIT, self.sign.val());
            if self.place.q.val() >= bit_cast::<7, 4>(self.segment.val()) {
                self.beyond.d.next = self.beyond.q.val() | self.sum.val();
            }
        }
        if self.opens.val() {
            self.carry.d.next = 0.into();
            self.beyond.d.next = 0.into();
            self.place.d.next = 0.into();
            self.rest.d.next = self.offset.val();
        }
    }

    described! {
        "duality_crossbar_numbers", "Which thread each thread names."; ADDRESS_BITS, LAST_BIT; _bits, _columns, _turns,
        _step, _rest
    }
}
