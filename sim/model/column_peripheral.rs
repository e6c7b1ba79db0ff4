//! Model of the column peripheral: full adder, latches, write-back, for all columns at once.

mod limbs;
mod radix_4;

use bitline_units::array::isa::uop::*;
use bitline_units::array::params::Params;
use bitline_units::{each_latch, each_second_latch};

use self::limbs::{Limbs, SIDE, choose, majority};
use self::radix_4::Digit;

/// The state, with its place in the hardware: a field and a row for each latch of the tables.
macro_rules! latches {
    ($({
        #[doc = $doc:literal]
        $name:ident $letter:ident, field $place:literal $field:ident $lsb:ident $width:ident;
        $(parameter $latch:ident $(if $sensing:ident)?, feature $feature:literal;)?
        start $start:ident $(by $clear:ident)?;
        #[doc = $action_doc:literal]
        $action:ident { $($codes:tt)+ }
    })+ second $({
        #[doc = $second_doc:literal]
        $second_name:ident $second:ident $(with $needed:ident)*;
    })+) => {
        /// The latches of every column; column k is bit k of a word.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct ColumnPeripheral {
            /// Ones in the columns that exist.
            mask: Vec<u64>,
            /// Two bits of a multiplier a cycle.
            radix_4: bool,
            $(#[doc = $doc] pub $letter: Vec<u64>,)+
            $(#[doc = $second_doc] pub $second: Vec<u64>,)+
        }

        impl ColumnPeripheral {
            fn clear(mask: Vec<u64>, radix_4: bool) -> ColumnPeripheral {
                let zero = || vec![0; mask.len()];
                ColumnPeripheral { $($letter: zero(),)+ $($second: zero(),)+ mask, radix_4 }
            }

            /// Every latch, in the order of the table; those of the second adder are not among them.
            pub fn latches(&self) -> impl Iterator<Item = &Vec<u64>> {
                [$(&self.$letter),+].into_iter()
            }
        }

        state! {
            ColumnPeripheral(self, params: &Params) {
                $(if (true $(&& params.uses(Latch::$latch))?) { $name = &self.$letter; })+
                $(if (params.radix == 4 $(&& params.has(Latch::$needed))*) { $second_name = &self.$second; })+
            }
        }
    };
}
each_second_latch!(each_latch latches second);

impl ColumnPeripheral {
    /// All latches clear.
    pub fn new(columns: usize, radix: u8) -> ColumnPeripheral {
        let limbs = columns.div_ceil(64);
        let last = if columns.is_multiple_of(64) { u64::MAX } else { (1 << (columns % 64)) - 1 };
        let mut mask = vec![u64::MAX; limbs];
        mask[limbs - 1] = last;
        ColumnPeripheral::clear(mask, radix == 4)
    }

    /// Whether any column's T is set.
    pub fn any_tag(&self) -> bool {
        self.t.iter().any(|&limb| limb != 0)
    }

    /// One cycle. `w` is the row to write (before predication); returns with the latches at their new values.
    pub fn step(&mut self, ctl: &ColumnControl, a: &[u64], b: &[u64], load: &[u64], w: &mut [u64]) {
        if self.radix_4 {
            self.step_with::<true>(ctl, a, b, load, w);
        } else {
            self.step_with::<false>(ctl, a, b, load, w);
        }
    }

    fn step_with<const RADIX_4: bool>(
        &mut self,
        ctl: &ColumnControl,
        a: &[u64],
        b: &[u64],
        load: &[u64],
        w: &mut [u64],
    ) {
        for i in (0..self.mask.len()).step_by(SIDE) {
            let mask = Limbs::of(&self.mask, i);
            let (a, b) = (Limbs::of(a, i), Limbs::of(b, i));
            let (c, t, h) = (Limbs::of(&self.c, i), Limbs::of(&self.t, i), Limbs::of(&self.h, i));
            let (p, d) = (Limbs::of(&self.p, i), Limbs::of(&self.d, i));
            let g = if RADIX_4 { Limbs::of(&self.g, i) } else { Limbs::ZERO };
            let pair = choose(a ^ b, !h, a);
            let x = match ctl.x {
                X::A => a,
                X::NotA => !a,
                X::Zero => Limbs::ZERO,
                X::One => Limbs::ONE,
                X::H => h,
                X::NotH => !h,
                X::HSelect => choose(h, b, a),
                X::B => b,
                X::HD => h & d,
                X::NotHD => !(h & d),
                X::DSelect => choose(d, b, h),
                X::Pair => pair,
                X::NotPair => !pair,
                X::Choice => self.chosen(i, a),
                X::ReverseXorH => self.chosen_in_reverse(i, a) ^ h,
                X::ChoiceAndH => self.chosen(i, a) & h,
            };
            let pair_y = pair ^ !(t ^ a ^ b);
            let y = match ctl.y {
                Y::B => b,
                Y::NotB => !b,
                Y::TB => t & b,
                Y::NotTB => !(t & b),
                Y::BXorT => b ^ t,
                Y::TSelect => choose(t, a, b),
                Y::Differ => t | (a ^ b),
                Y::Zero => Limbs::ZERO,
                Y::THSelect => choose(t, h, b),
                Y::One => Limbs::ONE,
                Y::TBSelect => choose(t, b, h),
                Y::HNotT => h & !t,
                Y::Pair => pair_y,
                Y::NotPair => !pair_y,
                Y::TD => t & d,
                Y::NotTD => !(t & d),
            };
            let y = if ctl.gate { y | !p } else { y };
            let digit = if RADIX_4 { self.digit(ctl, i, x, y, b) } else { Digit::default() };
            let (sum, maj) = if RADIX_4 { (digit.sum, digit.carry) } else { (x ^ y ^ c, majority(x, y, c)) };
            let out = match ctl.out {
                WriteBack::Sum => sum,
                WriteBack::Majority => maj,
                WriteBack::NotSum => !sum,
                WriteBack::Load => Limbs::of(load, i),
                WriteBack::TMajority => t & maj,
            };
            let next = match ctl.next {
                Next::Majority => maj,
                Next::One => Limbs::ONE,
                Next::NotSum => !sum,
                Next::AAndNotY => a & !y,
                Next::TMajority => t & maj,
            };
            (out & mask).put(w, i);
            let latch = |value: Limbs| value & mask;
            let next_c = match ctl.c {
                CarryAction::Hold => c,
                CarryAction::Zero => Limbs::ZERO,
                CarryAction::Load | CarryAction::Last => latch(next),
            };
            next_c.put(&mut self.c, i);
            let next_h = match ctl.h {
                HoldAction::Hold => h,
                HoldAction::Zero => Limbs::ZERO,
                HoldAction::Load if ctl.gathers && ctl.second == Second::Top => Limbs::of(&self.v, i),
                HoldAction::Load if ctl.gathers && ctl.second == Second::TopNotQ => Limbs::of(&self.f, i),
                HoldAction::Load if ctl.gathers && ctl.second.complements() => latch(self.given(ctl, i, b)),
                HoldAction::Load if ctl.second.parks() => g,
                HoldAction::Load if ctl.second.is_top() => latch(next ^ digit.over),
                HoldAction::Load => latch(next),
                HoldAction::Differ => latch(h | (out ^ x)),
                HoldAction::A => a,
                HoldAction::Lost if ctl.x == X::ReverseXorH => h | self.lost_in_reverse(i, a),
                HoldAction::Lost => h | self.lost(i, a),
            };
            next_h.put(&mut self.h, i);
            let next_t = match ctl.t {
                TagAction::Hold => t,
                TagAction::Zero => Limbs::ZERO,
                TagAction::W => latch(out),
                TagAction::Differ => latch(t | (out ^ y)),
                TagAction::A => a,
                TagAction::And => t & out,
                TagAction::Xor => latch(a ^ b),
                TagAction::Next if ctl.gathers && ctl.second == Second::Top => Limbs::of(&self.u, i),
                TagAction::Next if ctl.gathers && ctl.second == Second::TopNotQ => Limbs::of(&self.e, i),
                TagAction::Next if ctl.gathers && ctl.second.complements() => t | a,
                TagAction::Next if ctl.second.is_top() => g,
                TagAction::Next => b,
            };
            next_t.put(&mut self.t, i);
            let next_p = match ctl.p {
                PredicateAction::Hold => p,
                PredicateAction::A if ctl.gathers && ctl.second.gives_predicate() => latch(out),
                PredicateAction::A => a,
            };
            if RADIX_4 && ctl.x == X::ReverseXorH {
                self.count_groups(ctl, i, out, mask);
            } else if RADIX_4 && !ctl.x.chooses() {
                self.gather(ctl, i, [a, b, out], [t, p], mask);
            }
            if RADIX_4 && ctl.p == PredicateAction::A {
                let chosen = ctl.x.chooses() && ctl.second == Second::Pass;
                let given = ctl.gathers && ctl.second == Second::Top;
                let upper = if chosen || given { p } else { Limbs::ZERO };
                upper.put(&mut self.u, i);
            }
            next_p.put(&mut self.p, i);
            let next_d = match ctl.d {
                DelayAction::Hold => d,
                DelayAction::Zero => Limbs::ZERO,
                DelayAction::A => a,
                DelayAction::Differ => latch(d | (out ^ x)),
            };
            next_d.put(&mut self.d, i);
            if RADIX_4 {
                self.second_latches(ctl, i, [a, b], mask, &digit);
            }
        }
    }
}
