//! Registers and memories.

use super::four_ways;
use bitline::kernel::prelude::*;
use bitline::sim::oracle::oracle;

/// Registers with and without reset, with and without enable, of several types.
#[derive(LogicBlock)]
pub(super) struct Registers {
    clock: Signal<In, Domain>,
    a: Signal<In, Bits<8>>,
    enable: Signal<In, Bit>,
    clear: Signal<In, Bit>,
    plain_q: Signal<Out, Bits<8>>,
    five_q: Signal<Out, Bits<8>>,
    enabled_q: Signal<Out, Bits<8>>,
    counter_q: Signal<Out, Bits<8>>,
    pipe_q: Signal<Out, Bits<8>>,
    held_q: Signal<Out, Bits<8>>,
    ahead_d: Signal<Out, Bits<8>>,
    flag_q: Signal<Out, Bit>,
    signed_q: Signal<Out, Signed<8>>,
    wide_q: Signal<Out, Word<200, 4>>,
    swap: Signal<Out, Bits<16>>,
    taps: Signal<Out, Bits<5>>,
    plain: Register<Bits<8>>,
    five: Register<Bits<8>>,
    enabled: Register<Bits<8>>,
    counter: Register<Bits<8>>,
    pipe: Pipe<Bits<8>>,
    held: Pipe<Bits<8>>,
    ahead: Register<Bits<8>>,
    flag: Register<Bit>,
    signed: Register<Signed<8>>,
    wide: Register<Word<200, 4>>,
    left: Register<Bits<8>>,
    right: Register<Bits<8>>,
    line: Vec<Register<Bit>>,
}

impl Default for Registers {
    fn default() -> Self {
        Registers {
            clock: Default::default(),
            a: Default::default(),
            enable: Default::default(),
            clear: Default::default(),
            plain_q: Default::default(),
            five_q: Default::default(),
            enabled_q: Default::default(),
            counter_q: Default::default(),
            pipe_q: Default::default(),
            held_q: Default::default(),
            ahead_d: Default::default(),
            flag_q: Default::default(),
            signed_q: Default::default(),
            wide_q: Default::default(),
            swap: Default::default(),
            taps: Default::default(),
            plain: Default::default(),
            five: Register::new(5.into()),
            enabled: Default::default(),
            counter: Register::new(0xf0.into()),
            pipe: Default::default(),
            held: Default::default(),
            ahead: Default::default(),
            flag: Register::new(true),
            signed: Register::new((-3).into()),
            wide: Register::new(Word::from_limbs([u64::MAX, 1, 2, 3])),
            left: Register::new(1.into()),
            right: Register::new(2.into()),
            line: (0..5).map(|i| Register::new(i % 2 == 0)).collect(),
        }
    }
}

impl Logic for Registers {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, plain, five, enabled, counter, pipe, held, flag, signed, wide, left, right);
        dff_setup!(self, clock, ahead);
        for i in 0..5 {
            self.line[i].clock.next = self.clock.val();
        }
        self.line[0].d.next = self.enable.val();
        self.taps.next = 0.into();
        for i in 0..4 {
            self.line[i + 1].d.next = self.line[i].q.val();
        }
        for i in 0..5 {
            self.taps.next = self.taps.val().replace_bit(i, self.line[i].q.val());
        }
        self.plain.d.next = self.a.val();
        self.five.d.next = self.five.q.val() + self.a.val();
        if self.enable.val() {
            self.enabled.d.next = self.a.val();
            self.held.d.next = self.a.val();
            self.ahead.d.next = self.a.val() + 1;
        }
        // Whoever looks at the next value sees that the register keeps what it has.
        self.ahead_d.next = self.ahead.d.val();
        if self.clear.val() {
            self.counter.d.next = 0.into();
        } else if self.enable.val() {
            self.counter.d.next = self.counter.q.val() + 1;
        }
        self.pipe.d.next = self.a.val() ^ self.plain.q.val();
        self.flag.d.next = self.flag.q.val() ^ self.enable.val();
        self.signed.d.next = self.signed.q.val() - signed_cast(self.a.val());
        self.wide.d.next = (self.wide.q.val() << 8) ^ bits_to::<Word<200, 4>, Bits<8>>(self.a.val());
        self.left.d.next = self.right.q.val();
        self.right.d.next = self.left.q.val();
        self.plain_q.next = self.plain.q.val();
        self.five_q.next = self.five.q.val();
        self.enabled_q.next = self.enabled.q.val();
        self.counter_q.next = self.counter.q.val();
        self.pipe_q.next = self.pipe.q.val();
        self.held_q.next = self.held.q.val();
        self.flag_q.next = self.flag.q.val();
        self.signed_q.next = self.signed.q.val();
        self.wide_q.next = self.wide.q.val();
        self.swap.next = (bit_cast::<16, 8>(self.left.q.val()) << 8) | bit_cast::<16, 8>(self.right.q.val());
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("registers", "Registers.", constants![])
    }
}

#[test]
fn registers() {
    four_ways(oracle!(Registers::default(), clock; a, enable, clear), 21);
}

/// Memories of every kind: depth a power of two or not, addresses beyond the depth, one word only.
#[derive(LogicBlock)]
pub(super) struct Memories {
    clock: Signal<In, Domain>,
    read: Signal<In, Bits<8>>,
    write: Signal<In, Bits<8>>,
    data: Signal<In, Word<72, 2>>,
    mask: Signal<In, Word<72, 2>>,
    select: Signal<In, Bits<14>>,
    enable: Signal<In, Bit>,
    write_enable: Signal<In, Bit>,
    ram_data: Signal<Out, Word<72, 2>>,
    odd_data: Signal<Out, Word<72, 2>>,
    single_data: Signal<Out, Bits<4>>,
    async_data: Signal<Out, Word<72, 2>>,
    async_odd_data: Signal<Out, Word<72, 2>>,
    search_a: Signal<Out, Word<72, 2>>,
    search_b: Signal<Out, Word<72, 2>>,
    search_and: Signal<Out, Word<72, 2>>,
    search_nor: Signal<Out, Word<72, 2>>,
    rom_data: Signal<Out, Bits<12>>,
    async_rom_data: Signal<Out, Word<72, 2>>,
    bit_rom_data: Signal<Out, Bit>,
    ram: Ram<Word<72, 2>, Bits<8>>,
    odd: Ram<Word<72, 2>, Bits<8>>,
    single: Ram<Bits<4>, Bits<1>>,
    lut: AsyncRam<Word<72, 2>, Bits<4>>,
    lut_odd: AsyncRam<Word<72, 2>, Bits<8>>,
    search: SearchRam<Word<72, 2>, Bits<4>, Bits<14>>,
    rom: Rom<Bits<12>, Bits<8>>,
    async_rom: AsyncRom<Word<72, 2>, Bits<3>>,
    bit_rom: AsyncRom<Bit, Bits<2>>,
}

impl Default for Memories {
    fn default() -> Self {
        Memories {
            clock: Default::default(),
            read: Default::default(),
            write: Default::default(),
            data: Default::default(),
            mask: Default::default(),
            select: Default::default(),
            enable: Default::default(),
            write_enable: Default::default(),
            ram_data: Default::default(),
            odd_data: Default::default(),
            single_data: Default::default(),
            async_data: Default::default(),
            async_odd_data: Default::default(),
            search_a: Default::default(),
            search_b: Default::default(),
            search_and: Default::default(),
            search_nor: Default::default(),
            rom_data: Default::default(),
            async_rom_data: Default::default(),
            bit_rom_data: Default::default(),
            ram: Ram::new(8, RamStyle::Block),
            odd: Ram::new(13, RamStyle::Auto),
            single: Ram::new(2, RamStyle::Distributed),
            lut: AsyncRam::new(16),
            lut_odd: AsyncRam::new(9),
            search: SearchRam::new(12),
            rom: Rom::new((0..5u64).map(|i| (i * 321 + 7).into()).collect()),
            async_rom: AsyncRom::new((0..8u64).map(|i| Word::from_limbs([!i << 7, i])).collect()),
            bit_rom: AsyncRom::new(vec![true, false, false, true]),
        }
    }
}

impl Logic for Memories {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, ram, odd, single, lut, lut_odd, search, rom);
        self.ram.read_address.next = self.read.val();
        self.ram.read_enable.next = self.enable.val();
        self.ram.write_address.next = self.write.val();
        self.ram.write_enable.next = self.write_enable.val();
        self.ram.write_data.next = self.data.val();
        self.ram_data.next = self.ram.read_data.val();
        self.odd.read_address.next = self.read.val() & 15;
        self.odd.read_enable.next = true;
        self.odd.write_address.next = self.write.val() & 15;
        self.odd.write_enable.next = self.write_enable.val();
        self.odd.write_data.next = self.data.val();
        self.odd_data.next = self.odd.read_data.val();
        self.single.read_address.next = self.read.val().get_bits::<1>(0);
        self.single.read_enable.next = self.enable.val();
        self.single.write_address.next = self.write.val().get_bits::<1>(0);
        self.single.write_enable.next = self.write_enable.val();
        self.single.write_data.next = bits_to::<Bits<4>, Word<72, 2>>(self.data.val());
        self.single_data.next = self.single.read_data.val();
        self.lut.read_address.next = self.read.val().get_bits::<4>(0);
        self.lut.write_address.next = self.write.val().get_bits::<4>(1);
        self.lut.write_enable.next = self.write_enable.val();
        self.lut.write_data.next = self.data.val() ^ self.lut.read_data.val();
        self.async_data.next = self.lut.read_data.val();
        self.lut_odd.read_address.next = self.read.val() & 15;
        self.lut_odd.write_address.next = self.write.val() & 15;
        self.lut_odd.write_enable.next = self.write_enable.val() & self.enable.val();
        self.lut_odd.write_data.next = self.data.val();
        self.async_odd_data.next = self.lut_odd.read_data.val();
        self.search.a_address.next = self.read.val().get_bits::<4>(0);
        self.search.b_address.next = self.read.val().get_bits::<4>(4);
        self.search.select.next = self.select.val();
        self.search.write_address.next = self.write.val().get_bits::<4>(0);
        self.search.write_enable.next = self.write_enable.val();
        self.search.write_mask.next = self.mask.val();
        self.search.write_data.next = self.data.val();
        self.search_a.next = self.search.a_data.val();
        self.search_b.next = self.search.b_data.val();
        self.search_and.next = self.search.and_data.val();
        self.search_nor.next = self.search.nor_data.val();
        self.rom.address.next = self.read.val();
        self.rom.enable.next = self.enable.val();
        self.rom_data.next = self.rom.data.val();
        self.async_rom.address.next = self.read.val().get_bits::<3>(2);
        self.async_rom_data.next = self.async_rom.data.val();
        self.bit_rom.address.next = self.read.val().get_bits::<2>(0);
        self.bit_rom_data.next = self.bit_rom.data.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("memories", "Memories.", constants![])
    }
}

#[test]
fn memories() {
    let inputs = oracle!(
        Memories::default(), clock;
        read, write, data, mask, select, enable, write_enable
    );
    four_ways(inputs, 22);
}
