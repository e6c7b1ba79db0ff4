//! The interconnect of the banks: one block at a time goes in or out, for the near-place path, for keys, and for the
//! processor's words.
//!
//! ```text
//!  near write ─┐                        ┌─▶ arrived ─▶ near-place path
//!  key        ─┼─▶ one access ─▶ banks ─┼─▶ key register ─▶ key rows
//!  near read  ─┤                        └─▶ word ─▶ read port
//!  word       ─┘
//! ```
//!
//! An access granted in cycle t goes to its bank, which executes it in t + 1; a block read is `arrived` in t + 2.
//! Writes of the near-place path come first, then keys; its reads and the processor's words take turns. A word does not
//! follow a word while banks have missed their part of a wave.
//!
//! Words: 64 bits, at byte addresses whose low three bits do not count. One access is taken in a cycle with
//! `word_valid` and `word_ready`; it happens after all instructions that came in before it and touch its block, and
//! before those that come in after it. A read's data follow on the read port three cycles later; the next read is taken
//! when they are gone. Beyond the memory, writes have no effect and reads give 0.

use crate::compute_cache::CacheGeometry;
use crate::compute_cache::blocks::bundles::{AccessSource, ArrivalSource, ProcessorSink};
use crate::compute_cache::blocks::types::{BankSet, BlockNumber};
use crate::kernel::prelude::*;
use crate::parts::bundles::MaskedSource;

// What an access is for.
const NONE: u64 = 0;
const NEAR_FIRST: u64 = 1;
const NEAR_LAST: u64 = 2;
const KEY: u64 = 3;
const WORD: u64 = 4;

hdl_block! {
    pub CcInterconnect<W: RowWord> {
        In clock: Domain; /// Clock and reset.
        Bus processor_: ProcessorSink; /// Both of these.
        Out word_block: BlockNumber; /// The block of the word accessed.
        In word_conflict: Bit; /// An instruction still touches it.
        Out word_written: Bit; /// A word is written.
        In waits, key_request: Bit; /// Banks have missed their part of a wave. A key is to be read.
        In key_at: BlockNumber; /// Its block.
        Out key_granted, key_arrives: Bit; /// It is being read. It is in `key` from the next cycle on.
        Out key: W; /// The key.
        In near_read: Bit; /// The near-place path reads.
        In near_block: BlockNumber; /// Which block.
        In near_last: Bit; /// It completes its block operation's sources.
        Out near_granted: Bit; /// The block is being read.
        Bus arrival_: ArrivalSource<W>; /// Blocks that arrive at the near-place path.
        In near_write: Bit; /// The near-place path writes.
        In near_write_block: BlockNumber; /// Which block.
        In near_write_data: W; /// What.
        Bus access: AccessSource<BankSet>; /// Accesses of the interconnect.
        Bus masked_: MaskedSource<W>; /// An ordinary write.
        In sensed: W; /// What the banks have read.
    } inside {
        Register sent, got: Bits<3>; // An access is executed: what for. A block has been read: what for.
        Pipe written, written_mask: W; // What the access writes. The bits of it that count.
        Pipe block, key_held: W; // The block that was read. The key.
        Pipe word_at: Bits<3>; // Number in its block of the word that is read.
        Register word_there: Bit; // A word waits to be taken.
        Pipe word: Word<64, 1>; // The word.
        Register word_before: Bit; // A word was accessed in the cycle before.
        Local inside, free, wants, granted, beyond: Bit;
        Local chosen: BlockNumber;
        Local kind: Bits<3>;
        Local any: Bit;
        Local one: BankSet;
        Local bytes: Word<64, 1>;
        Local number: Bits<3>;
        Value _block_bits, _word_mask, _capacity, _bank_bits, _bank_mask: u64;
    }
}

impl<W: RowWord> CcInterconnect<W> {
    pub fn new(geometry: &CacheGeometry) -> Self {
        CcInterconnect {
            _block_bits: geometry.block_bytes.ilog2().into(),
            _word_mask: geometry.words() as u64 - 1,
            _capacity: geometry.bytes() as u64,
            _bank_bits: geometry.banks.ilog2().into(),
            _bank_mask: geometry.banks as u64 - 1,
            ..Self::default()
        }
    }
}

impl<W: RowWord> Logic for CcInterconnect<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, sent, got, written, written_mask, block, key_held);
        dff_setup!(self, clock, word_at, word_there, word, word_before);
        // The processor's word.
        self.word_block.next = bit_cast::<19, 32>(self.processor_.word.address.val() >> self._block_bits);
        self.number.next = bit_cast::<3, 32>(self.processor_.word.address.val() >> 3) & self._word_mask;
        self.inside.next = self.processor_.word.address.val() < self._capacity;
        self.free.next = self.processor_.word.write.val()
            | (!self.word_there.q.val() & (self.sent.q.val() != WORD) & (self.got.q.val() != WORD));
        self.wants.next = self.processor_.word.valid.val()
            & self.inside.val()
            & self.free.val()
            & !self.word_conflict.val()
            & !(self.word_before.q.val() & (self.waits.val() | self.near_read.val()));
        self.granted.next = self.wants.val() & !self.near_write.val() & !self.key_request.val();
        self.beyond.next = self.processor_.word.valid.val() & !self.inside.val() & self.free.val();
        self.processor_.word.ready.next = self.granted.val() | self.beyond.val();
        self.word_written.next = self.granted.val() & self.processor_.word.write.val();
        self.word_before.d.next = self.granted.val();
        // Who gets the interconnect.
        self.near_granted.next = false;
        self.key_granted.next = false;
        self.kind.next = NONE.into();
        self.chosen.next = self.near_write_block.val();
        self.access.write.next = self.near_write.val();
        if self.near_write.val() {
            self.any.next = true;
        } else if self.key_request.val() {
            self.any.next = true;
            self.key_granted.next = true;
            self.kind.next = KEY.into();
            self.chosen.next = self.key_at.val();
        } else if self.wants.val() {
            self.any.next = true;
            self.access.write.next = self.processor_.word.write.val();
            if !self.processor_.word.write.val() {
                self.kind.next = WORD.into();
            }
            self.chosen.next = self.word_block.val();
        } else {
            self.any.next = self.near_read.val();
            self.near_granted.next = self.near_read.val();
            if self.near_read.val() {
                self.kind.next = NEAR_FIRST.into();
                if self.near_last.val() {
                    self.kind.next = NEAR_LAST.into();
                }
            }
            self.chosen.next = self.near_block.val();
        }
        self.one.next = 0.into();
        if self.any.val() {
            self.one.next = 1.into();
        }
        self.access.access.next = self.one.val() << (self.chosen.val() & self._bank_mask);
        self.access.block.next = self.chosen.val() >> self._bank_bits;
        self.sent.d.next = self.kind.val();
        self.got.d.next = self.sent.q.val();
        // What it writes.
        self.bytes.next = 0.into();
        for i in 0..64 {
            self.bytes.next = self.bytes.val().replace_bit(i, self.processor_.word.strobes.val().get_bit(i >> 3));
        }
        if self.near_write.val() {
            self.written.d.next = self.near_write_data.val();
            self.written_mask.d.next = !bits_to::<W, Bit>(false);
        } else if self.granted.val() {
            self.written.d.next = bits_to::<W, Word<64, 1>>(self.processor_.word.data.val())
                << (bit_cast::<9, 3>(self.number.val()) << 6);
            self.written_mask.d.next =
                bits_to::<W, Word<64, 1>>(self.bytes.val()) << (bit_cast::<9, 3>(self.number.val()) << 6);
        }
        if self.granted.val() & !self.processor_.word.write.val() {
            self.word_at.d.next = self.number.val();
        }
        self.masked_.data.next = self.written.q.val();
        self.masked_.mask.next = self.written_mask.q.val();
        // What it has read.
        if self.sent.q.val() != NONE {
            self.block.d.next = self.sensed.val();
        }
        self.arrival_.arrived.next = self.block.q.val();
        self.arrival_.first_arrives.next = self.got.q.val() == NEAR_FIRST;
        self.arrival_.last_arrives.next = self.got.q.val() == NEAR_LAST;
        self.key_arrives.next = self.got.q.val() == KEY;
        if self.got.q.val() == KEY {
            self.key_held.d.next = self.block.q.val();
        }
        self.key.next = self.key_held.q.val();
        if self.word_there.q.val() & self.processor_.read.ready.val() {
            self.word_there.d.next = false;
        }
        if self.got.q.val() == WORD {
            self.word_there.d.next = true;
            self.word.d.next =
                bits_to::<Word<64, 1>, W>(self.block.q.val() >> (bit_cast::<9, 3>(self.word_at.q.val()) << 6));
        }
        if self.beyond.val() & !self.processor_.word.write.val() {
            self.word_there.d.next = true;
            self.word.d.next = 0.into();
        }
        self.processor_.read.valid.next = self.word_there.q.val();
        self.processor_.read.data.next = self.word.q.val();
    }

    described!("cc_interconnect", "The interconnect of the banks: one block at a time.";
        NONE, NEAR_FIRST, NEAR_LAST, KEY, WORD; _block_bits, _word_mask, _capacity, _bank_bits, _bank_mask);
}
