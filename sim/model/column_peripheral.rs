//! Model of the column peripheral: full adder, latches, write-back, for all columns at once.

mod limbs;

use bitline_units::array::isa::uop::*;
use bitline_units::array::params::Params;
use bitline_units::{each_latch, each_second_latch};

use self::limbs::{Limbs, SIDE, choose, majority};

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

/// Outputs of the two adders of radix 4.
#[derive(Clone, Copy, Default)]
struct Digit {
    sum: Limbs,
    /// Weighs 2: the majority.
    carry: Limbs,
    /// Weighs 4.
    high: Limbs,
    /// q: what P adds above the top row of a pass.
    over: Limbs,
}

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

    /// This row and the six before it, as they were read on a since a chain began; the eighth is 0.
    #[inline(always)]
    fn rows(&self, i: usize, a: Limbs) -> [Limbs; 8] {
        let before = [&self.m, &self.g, &self.k, &self.e, &self.f, &self.v];
        let [one, two, three, four, five, six] = before.map(|latch| Limbs::of(latch, i));
        [a, one, two, three, four, five, six, Limbs::ZERO]
    }

    /// The row whose number, counted back from this one, is in U, P and T.
    #[inline(always)]
    fn chosen(&self, i: usize, a: Limbs) -> Limbs {
        let [u, p, t] = [&self.u, &self.p, &self.t].map(|latch| Limbs::of(latch, i));
        let [zero, one, two, three, four, five, six, seven] = self.rows(i, a);
        let near = choose(p, choose(t, three, two), choose(t, one, zero));
        choose(u, choose(p, choose(t, seven, six), choose(t, five, four)), near)
    }

    /// The row whose number, counted on from the third one before this one, is in P and T.
    #[inline(always)]
    fn chosen_in_reverse(&self, i: usize, a: Limbs) -> Limbs {
        let [p, t] = [&self.p, &self.t].map(|latch| Limbs::of(latch, i));
        let [this, one, two, three, ..] = self.rows(i, a);
        choose(p, choose(t, this, one), choose(t, two, three))
    }

    /// Whether a 1 is among the rows that a shift by U, P and T leaves nowhere: this one is the last, the shift takes
    /// it out if it is by 1 or more, the one before if by 2 or more, and so on. By 7 everything is, which is not noted.
    #[inline(always)]
    fn lost(&self, i: usize, a: Limbs) -> Limbs {
        let [u, p, t] = [&self.u, &self.p, &self.t].map(|latch| Limbs::of(latch, i));
        let at_least = [u | p | t, u | p, u | (p & t), u, u & (p | t), u & p];
        let lost = self.rows(i, a).into_iter().zip(at_least).map(|(row, far)| row & far);
        lost.fold(Limbs::ZERO, |any, row| any | row) & !(u & p & t)
    }

    /// The same where rows go up: this one is the third, which a shift by three takes out, the two before are taken out
    /// by less.
    #[inline(always)]
    fn lost_in_reverse(&self, i: usize, a: Limbs) -> Limbs {
        let [u, p, t] = [&self.u, &self.p, &self.t].map(|latch| Limbs::of(latch, i));
        let [third, second, first, fourth, fifth, sixth, ..] = self.rows(i, a);
        // The number is 3 at most; with a larger one the rows before are among them.
        let low = first & (u | p | t) | second & (u | p) | third & (u | p & t);
        let high = fourth & u | fifth & u & (p | t) | sixth & u & p;
        (low | high) & !(u & p & t)
    }

    /// U, F and E, a number of three bits, behind a row that chooses from the other end and maybe begins a group: how
    /// many groups have begun since a 1 was written. V takes F as in any chain.
    #[inline(always)]
    fn count_groups(&mut self, ctl: &ColumnControl, i: usize, out: Limbs, mask: Limbs) {
        let begins = ctl.second == Second::Top;
        let [u, f, e] = [&self.u, &self.f, &self.e].map(|latch| Limbs::of(latch, i));
        let [four, two, one] = if begins { [u ^ (f & e), f ^ e, !e] } else { [u, f, e] };
        let six = if matches!(ctl.c, CarryAction::Zero | CarryAction::Last) { Limbs::ZERO } else { f };
        six.put(&mut self.v, i);
        let counted = [(four, &mut self.u), (two, &mut self.f), (one, &mut self.e)];
        counted.into_iter().for_each(|(bit, latch)| (bit & !out & mask).put(latch, i));
    }

    /// What the adders of radix 4 make of x, y and their latches, as a number: x + y + z + C + 2 · K.
    #[inline(always)]
    fn digit(&self, ctl: &ColumnControl, i: usize, x: Limbs, y: Limbs, b: Limbs) -> Digit {
        let (c, k, p, m) = (Limbs::of(&self.c, i), Limbs::of(&self.k, i), Limbs::of(&self.p, i), Limbs::of(&self.m, i));
        let turned = |bit: Limbs, turn: bool| if turn { !bit } else { bit };
        let z = match ctl.second {
            Second::NotPass if ctl.gathers => p ^ m,
            Second::NotPark | Second::NotTop if ctl.gathers => p ^ self.next_bit(i),
            second => turned(p & m, second.complements()),
        };
        // Rows that choose use the latches for something else, and may do so around rows that leave them alone.
        let (k, z) = if ctl.x.chooses() || ctl.alone { (Limbs::ZERO, Limbs::ZERO) } else { (k, z) };
        let q = turned(p & b, ctl.second == Second::TopNotQ);
        // Bits that weigh 1, then those that weigh 2; what weighs more than 4 · 1 cannot be told and is dropped.
        let [one, two] = [x ^ y ^ z, majority(x, y, z)];
        let [sum, four] = [one ^ c, one & c];
        let [carry, high] = [two ^ four ^ k, majority(two, four, k)];
        Digit { sum, carry, high, over: q }
    }

    /// E, F, V and U behind a row that does not choose: what was seen of the factors and of the product, or zeros.
    #[inline(always)]
    fn gather(&mut self, ctl: &ColumnControl, i: usize, [a, b, out]: [Limbs; 3], [t, p]: [Limbs; 2], mask: Limbs) {
        let note = |latch: &mut [u64], seen: Limbs| ((Limbs::of(latch, i) | seen) & mask).put(latch, i);
        if matches!(ctl.second, Second::Pass | Second::Park) {
            note(&mut self.f, b);
        }
        match ctl.second {
            Second::Off if ctl.gathers => {
                note(&mut self.e, a);
                note(&mut self.f, b);
                note(&mut self.u, !a);
                note(&mut self.v, !b);
            }
            Second::Pass if ctl.gathers => note(&mut self.v, out),
            Second::Park if ctl.gathers => note(&mut self.e, t | p | a),
            // Given away.
            Second::Top if ctl.gathers => self.ahead(i, [Limbs::ZERO; 3], mask),
            Second::NotPass if ctl.gathers => {
                let [e, f, v] = [&self.e, &self.f, &self.v].map(|latch| Limbs::of(latch, i));
                note(&mut self.u, b);
                self.ahead(i, [majority(v, !b, e), majority(v, b, f), out], mask);
            }
            Second::NotPark if ctl.gathers => {
                note(&mut self.u, b);
                self.ahead(i, [!b, Limbs::ZERO, b], mask);
            }
            Second::NotTop if ctl.gathers => {
                let next = self.next_bit(i);
                self.ahead(i, [!next, next, Limbs::ONE], mask);
            }
            _ => {}
        }
    }

    /// The bit of a quotient or a root behind the one that P has: no borrow where P is 1, else a carry.
    #[inline(always)]
    fn next_bit(&self, i: usize) -> Limbs {
        choose(Limbs::of(&self.p, i), Limbs::of(&self.e, i), Limbs::of(&self.f, i))
    }

    /// What H takes in a pass of two bits: that the divisor has a 1, what the next bit adds in the lowest row, or P.
    #[inline(always)]
    fn given(&self, ctl: &ColumnControl, i: usize, b: Limbs) -> Limbs {
        match ctl.second {
            Second::NotPark => self.next_bit(i) & !b,
            Second::NotTop => Limbs::of(&self.p, i),
            _ => Limbs::of(&self.u, i),
        }
    }

    /// E, F and V take something.
    #[inline(always)]
    fn ahead(&mut self, i: usize, values: [Limbs; 3], mask: Limbs) {
        let latches = [&mut self.e, &mut self.f, &mut self.v];
        values.into_iter().zip(latches).for_each(|(value, latch)| (value & mask).put(latch, i));
    }

    /// K, M, G, E, F and V at the end of the cycle.
    #[inline(always)]
    fn second_latches(&mut self, ctl: &ColumnControl, i: usize, [a, b]: [Limbs; 2], mask: Limbs, digit: &Digit) {
        if ctl.x.chooses() {
            // A chain of rows, one after the other; its end empties it.
            let ends = matches!(ctl.c, CarryAction::Zero | CarryAction::Last);
            let after = |limbs: Limbs| if ends { Limbs::ZERO } else { limbs };
            let rows = self.rows(i, a).map(after);
            let latches = [&mut self.m, &mut self.g, &mut self.k, &mut self.e, &mut self.f, &mut self.v];
            // From the other end only three rows wait.
            let wait = if ctl.x == X::ReverseXorH { 3 } else { 6 };
            rows.into_iter().zip(latches).take(wait).for_each(|(row, latch)| row.put(latch, i));
            return;
        }
        // Behind a row that gives everything away nothing waits.
        let gives = ctl.gathers && matches!(ctl.second, Second::Top | Second::TopNotQ);
        if gives {
            Limbs::ZERO.put(&mut self.m, i);
            Limbs::ZERO.put(&mut self.g, i);
        }
        let loads = matches!(ctl.c, CarryAction::Load | CarryAction::Last);
        let clears = ctl.c == CarryAction::Zero || loads && ctl.next != Next::Majority;
        if clears {
            Limbs::ZERO.put(&mut self.k, i);
        } else if loads && !ctl.alone {
            (digit.high & mask).put(&mut self.k, i);
        }
        if clears || ctl.c == CarryAction::Last {
            Limbs::ZERO.put(&mut self.m, i);
        } else if ctl.second != Second::Off && !gives {
            b.put(&mut self.m, i);
        }
        if ctl.second.parks() {
            a.put(&mut self.g, i);
        } else if ctl.second.is_top() && !gives {
            // The upper bit of q + carry + 2 · high.
            (((digit.over & digit.carry) ^ digit.high) & mask).put(&mut self.g, i);
        }
    }
}
