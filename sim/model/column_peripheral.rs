//! Model of the column peripheral: full adder, latches, write-back, for all columns at once.

use bitline_units::array::isa::uop::*;
use bitline_units::array::params::Params;
use bitline_units::each_latch;

/// The state, with its place in the hardware: a field and a row for each latch of the table.
macro_rules! latches {
    ($({
        #[doc = $doc:literal]
        $name:ident $letter:ident, field $place:literal $field:ident $lsb:ident $width:ident;
        $(parameter $latch:ident $(if $sensing:ident)?, feature $feature:literal;)?
        start $start:ident $(by $clear:ident)?;
        #[doc = $action_doc:literal]
        $action:ident { $($codes:tt)+ }
    })+) => {
        /// The latches of every column; column k is bit k of a word.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct ColumnPeripheral {
            /// Ones in the columns that exist.
            mask: Vec<u64>,
            $(#[doc = $doc] pub $letter: Vec<u64>,)+
        }

        impl ColumnPeripheral {
            fn clear(mask: Vec<u64>) -> ColumnPeripheral {
                ColumnPeripheral { $($letter: vec![0; mask.len()],)+ mask }
            }

            /// Every latch, in the order of the table.
            pub fn latches(&self) -> impl Iterator<Item = &Vec<u64>> {
                [$(&self.$letter),+].into_iter()
            }
        }

        state! {
            ColumnPeripheral(self, params: &Params) {
                $(if (true $(&& params.uses(Latch::$latch))?) { $name = &self.$letter; })+
            }
        }
    };
}
each_latch!(latches);

fn majority(x: u64, y: u64, z: u64) -> u64 {
    (x & y) | (z & (x | y))
}

fn choose(which: u64, one: u64, zero: u64) -> u64 {
    (which & one) | (!which & zero)
}

impl ColumnPeripheral {
    /// All latches clear.
    pub fn new(columns: usize) -> ColumnPeripheral {
        let limbs = columns.div_ceil(64);
        let last = if columns.is_multiple_of(64) { u64::MAX } else { (1 << (columns % 64)) - 1 };
        let mut mask = vec![u64::MAX; limbs];
        mask[limbs - 1] = last;
        ColumnPeripheral::clear(mask)
    }

    /// Whether any column's T is set.
    pub fn any_tag(&self) -> bool {
        self.t.iter().any(|&limb| limb != 0)
    }

    /// One cycle. `w` is the row to write (before predication); returns with the latches at their new values.
    pub fn step(&mut self, ctl: &ColumnControl, a: &[u64], b: &[u64], load: &[u64], w: &mut [u64]) {
        for i in 0..self.mask.len() {
            let mask = self.mask[i];
            let (a, b) = (a[i], b[i]);
            let (c, t, h, p, d) = (self.c[i], self.t[i], self.h[i], self.p[i], self.d[i]);
            let pair = choose(a ^ b, !h, a);
            let x = match ctl.x {
                X::A => a,
                X::NotA => !a,
                X::Zero => 0,
                X::One => !0,
                X::H => h,
                X::NotH => !h,
                X::HSelect => choose(h, b, a),
                X::B => b,
                X::HD => h & d,
                X::NotHD => !(h & d),
                X::DSelect => choose(d, b, h),
                X::Pair => pair,
                X::NotPair => !pair,
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
                Y::Zero => 0,
                Y::THSelect => choose(t, h, b),
                Y::One => !0,
                Y::TBSelect => choose(t, b, h),
                Y::HNotT => h & !t,
                Y::Pair => pair_y,
                Y::NotPair => !pair_y,
                Y::TD => t & d,
                Y::NotTD => !(t & d),
            };
            let y = if ctl.gate { y | !p } else { y };
            let (sum, maj) = (x ^ y ^ c, majority(x, y, c));
            let out = match ctl.out {
                WriteBack::Sum => sum,
                WriteBack::Majority => maj,
                WriteBack::NotSum => !sum,
                WriteBack::Load => load[i],
                WriteBack::TMajority => t & maj,
            };
            let next = match ctl.next {
                Next::Majority => maj,
                Next::One => !0,
                Next::NotSum => !sum,
                Next::AAndNotY => a & !y,
                Next::TMajority => t & maj,
            };
            w[i] = out & mask;
            let latch = |value: u64| value & mask;
            self.c[i] = match ctl.c {
                CarryAction::Hold => c,
                CarryAction::Zero => 0,
                CarryAction::Load => latch(next),
            };
            self.h[i] = match ctl.h {
                HoldAction::Hold => h,
                HoldAction::Zero => 0,
                HoldAction::Load => latch(next),
                HoldAction::Differ => latch(h | (out ^ x)),
                HoldAction::A => a,
            };
            self.t[i] = match ctl.t {
                TagAction::Hold => t,
                TagAction::Zero => 0,
                TagAction::W => latch(out),
                TagAction::Differ => latch(t | (out ^ y)),
                TagAction::A => a,
                TagAction::And => t & out,
                TagAction::Xor => latch(a ^ b),
            };
            self.p[i] = match ctl.p {
                PredicateAction::Hold => p,
                PredicateAction::A => a,
            };
            self.d[i] = match ctl.d {
                DelayAction::Hold => d,
                DelayAction::Zero => 0,
                DelayAction::A => a,
                DelayAction::Differ => latch(d | (out ^ x)),
            };
        }
    }
}
