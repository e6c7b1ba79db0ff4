//! The same operations on words of every width from 1 to 512.

use super::four_ways;
use bitline::kernel::prelude::*;
use bitline::sim::oracle::oracle;

/// What is computed from two words.
#[derive(LogicInterface, Clone, Debug, Default)]
struct Results<const N: usize, const L: usize> {
    sum: Signal<Out, Word<N, L>>,
    difference: Signal<Out, Word<N, L>>,
    logic: Signal<Out, Word<N, L>>,
    up: Signal<Out, Word<N, L>>,
    down: Signal<Out, Word<N, L>>,
    up_fixed: Signal<Out, Word<N, L>>,
    down_fixed: Signal<Out, Word<N, L>>,
    choice: Signal<Out, Word<N, L>>,
    replaced: Signal<Out, Word<N, L>>,
    short: Signal<Out, Word<70, 2>>,
    flags: Signal<Out, Bits<8>>,
}

/// Operations on two words.
#[derive(LogicBlock, Default)]
struct Wide<const N: usize, const L: usize> {
    a: Signal<In, Word<N, L>>,
    b: Signal<In, Word<N, L>>,
    by: Signal<In, Bits<10>>,
    s: Signal<In, Bit>,
    out: Results<N, L>,
}

impl<const N: usize, const L: usize> Logic for Wide<N, L> {
    #[hdl_gen]
    fn update(&mut self) {
        self.out.sum.next = self.a.val() + self.b.val();
        self.out.difference.next = self.a.val() - self.b.val();
        self.out.logic.next = self.a.val() & self.b.val() | !self.a.val() ^ self.b.val();
        self.out.up.next = self.a.val() << self.by.val();
        self.out.down.next = self.a.val() >> self.by.val();
        self.out.up_fixed.next = self.a.val() << 5;
        self.out.down_fixed.next = self.a.val() >> 65;
        if self.s.val() {
            self.out.choice.next = self.a.val();
        } else {
            self.out.choice.next = self.b.val();
        }
        self.out.replaced.next = self.a.val().replace_bit(0, self.s.val());
        self.out.short.next = bits_to::<Word<70, 2>, Word<N, L>>(self.a.val());
        self.out.flags.next = bits::<8>(0)
            .replace_bit(0, self.a.val().any())
            .replace_bit(1, self.a.val().all())
            .replace_bit(2, self.a.val().xor())
            .replace_bit(3, self.a.val() == self.b.val())
            .replace_bit(4, self.a.val() != self.b.val())
            .replace_bit(5, self.a.val() < self.b.val())
            .replace_bit(6, self.a.val() >= self.b.val())
            .replace_bit(7, self.a.val().get_bit(0));
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(format!("wide_{N}"), "Operations on wide words.", constants![])
    }
}

macro_rules! widths {
    ($top:ident, $module:literal, $total:tt $words:tt: $($name:ident $out:ident $bits:tt $limbs:tt),+) => {
        /// Blocks of several widths on the same inputs.
        #[derive(LogicBlock, Default)]
        struct $top {
            a: Signal<In, Word<$total, $words>>,
            b: Signal<In, Word<$total, $words>>,
            by: Signal<In, Bits<10>>,
            s: Signal<In, Bit>,
            $($out: Results<$bits, $limbs>,)+
            $($name: Wide<$bits, $limbs>,)+
        }

        impl Logic for $top {
            #[hdl_gen]
            fn update(&mut self) {
                $(
                    self.$name.a.next = bits_to::<Word<$bits, $limbs>, Word<$total, $words>>(self.a.val());
                    self.$name.b.next = bits_to::<Word<$bits, $limbs>, Word<$total, $words>>(self.b.val());
                    self.$name.by.next = self.by.val();
                    self.$name.s.next = self.s.val();
                    Results::<$bits, $limbs>::link(&mut self.$out, &mut self.$name.out);
                )+
            }

            fn timing(&self) -> Vec<TimingInfo> {
                describe($module, "Several widths.", constants![])
            }
        }
    };
}

widths!(Narrow, "narrow_words", 64 1: w1 o1 1 1, w2 o2 2 1, w7 o7 7 1, w31 o31 31 1, w32 o32 32 1, w33 o33 33 1, w63 o63 63 1, w64 o64 64 1);
widths!(Broad, "broad_words", 512 8: w65 o65 65 2, w127 o127 127 2, w128 o128 128 2, w129 o129 129 3, w256 o256 256 4, w511 o511 511 8, w512 o512 512 8);

#[test]
fn narrow_words() {
    four_ways(oracle!(Narrow::default(); a, b, by, s), 31);
}

#[test]
fn broad_words() {
    four_ways(oracle!(Broad::default(); a, b, by, s), 32);
}

/// rust-hdl's own wide type, and parts of wide words.
#[derive(LogicBlock, Default)]
struct Parts {
    a: Signal<In, Word<512, 8>>,
    b: Signal<In, Bits<100>>,
    at: Signal<In, Bits<9>>,
    at_b: Signal<In, Bits<6>>,
    s: Signal<In, Bit>,
    bit: Signal<Out, Bit>,
    bit_at: Signal<Out, Bit>,
    low: Signal<Out, Bits<1>>,
    top: Signal<Out, Bits<64>>,
    middle: Signal<Out, Bits<100>>,
    at_position: Signal<Out, Bits<100>>,
    replaced: Signal<Out, Word<512, 8>>,
    replaced_at: Signal<Out, Word<512, 8>>,
    sum: Signal<Out, Bits<100>>,
    shifted: Signal<Out, Bits<100>>,
    reduced: Signal<Out, Bits<3>>,
    less: Signal<Out, Bit>,
    mixed: Signal<Out, Word<512, 8>>,
}

impl Logic for Parts {
    #[hdl_gen]
    fn update(&mut self) {
        self.bit.next = self.a.val().get_bit(511);
        self.bit_at.next = self.a.val().get_bit(self.at.val().index());
        self.low.next = self.a.val().get_bits::<1>(0);
        self.top.next = self.a.val().get_bits::<64>(448);
        self.middle.next = self.a.val().get_bits::<100>(200);
        self.at_position.next = self.a.val().get_bits::<100>(self.at_b.val().index());
        self.replaced.next = self.a.val().replace_bit(300, self.s.val());
        self.replaced_at.next = self.a.val().replace_bit(self.at.val().index(), self.s.val());
        self.sum.next = self.b.val() + self.b.val() + 1;
        self.shifted.next = (self.b.val() << self.at_b.val()) | (self.b.val() >> 90);
        self.reduced.next = bits::<3>(0)
            .replace_bit(0, self.b.val().any())
            .replace_bit(1, self.b.val().all())
            .replace_bit(2, self.b.val().xor());
        self.less.next = self.b.val() < self.a.val().get_bits::<100>(0);
        self.mixed.next = bits_to::<Word<512, 8>, Bits<100>>(self.b.val()) << self.at.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("parts", "Parts of wide words.", constants![])
    }
}

#[test]
fn parts() {
    four_ways(oracle!(Parts::default(); a, b, at, at_b, s), 33);
}
