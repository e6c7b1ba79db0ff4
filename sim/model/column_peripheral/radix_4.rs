//! What columns with radix 4 have besides the others, in the model: two adders, rows that choose, and what is noted.

use bitline_units::array::isa::uop::*;

use super::ColumnPeripheral;
use super::limbs::{Limbs, choose, majority};

/// Outputs of the two adders of radix 4.
#[derive(Clone, Copy, Default)]
pub(super) struct Digit {
    pub(super) sum: Limbs,
    /// Weighs 2: the majority.
    pub(super) carry: Limbs,
    /// Weighs 4.
    pub(super) high: Limbs,
    /// q: what P adds above the top row of a pass.
    pub(super) over: Limbs,
}

impl ColumnPeripheral {
    /// This row and the six before it, as they were read on a since a chain began; the eighth is 0.
    #[inline(always)]
    fn rows(&self, i: usize, a: Limbs) -> [Limbs; 8] {
        let before = [&self.m, &self.g, &self.k, &self.e, &self.f, &self.v];
        let [one, two, three, four, five, six] = before.map(|latch| Limbs::of(latch, i));
        [a, one, two, three, four, five, six, Limbs::ZERO]
    }

    /// The row whose number, counted back from this one, is in U, P and T.
    #[inline(always)]
    pub(super) fn chosen(&self, i: usize, a: Limbs) -> Limbs {
        let [u, p, t] = [&self.u, &self.p, &self.t].map(|latch| Limbs::of(latch, i));
        let [zero, one, two, three, four, five, six, seven] = self.rows(i, a);
        let near = choose(p, choose(t, three, two), choose(t, one, zero));
        choose(u, choose(p, choose(t, seven, six), choose(t, five, four)), near)
    }

    /// The row whose number, counted on from the third one before this one, is in P and T.
    #[inline(always)]
    pub(super) fn chosen_in_reverse(&self, i: usize, a: Limbs) -> Limbs {
        let [p, t] = [&self.p, &self.t].map(|latch| Limbs::of(latch, i));
        let [this, one, two, three, ..] = self.rows(i, a);
        choose(p, choose(t, this, one), choose(t, two, three))
    }

    /// Whether a 1 is among the rows that a shift by U, P and T leaves nowhere: this one is the last, the shift takes
    /// it out if it is by 1 or more, the one before if by 2 or more, and so on. By 7 everything is, which is not noted.
    #[inline(always)]
    pub(super) fn lost(&self, i: usize, a: Limbs) -> Limbs {
        let [u, p, t] = [&self.u, &self.p, &self.t].map(|latch| Limbs::of(latch, i));
        let at_least = [u | p | t, u | p, u | (p & t), u, u & (p | t), u & p];
        let lost = self.rows(i, a).into_iter().zip(at_least).map(|(row, far)| row & far);
        lost.fold(Limbs::ZERO, |any, row| any | row) & !(u & p & t)
    }

    /// The same where rows go up: this one is the third, which a shift by three takes out, the two before are taken out
    /// by less.
    #[inline(always)]
    pub(super) fn lost_in_reverse(&self, i: usize, a: Limbs) -> Limbs {
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
    pub(super) fn count_groups(&mut self, ctl: &ColumnControl, i: usize, out: Limbs, mask: Limbs) {
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
    pub(super) fn digit(&self, ctl: &ColumnControl, i: usize, x: Limbs, y: Limbs, b: Limbs) -> Digit {
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
    pub(super) fn gather(
        &mut self,
        ctl: &ColumnControl,
        i: usize,
        [a, b, out]: [Limbs; 3],
        [t, p]: [Limbs; 2],
        mask: Limbs,
    ) {
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
    pub(super) fn given(&self, ctl: &ColumnControl, i: usize, b: Limbs) -> Limbs {
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
    pub(super) fn second_latches(
        &mut self,
        ctl: &ColumnControl,
        i: usize,
        [a, b]: [Limbs; 2],
        mask: Limbs,
        digit: &Digit,
    ) {
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
