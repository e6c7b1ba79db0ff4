//! How measurements stand to their targets.

use super::CycleRow;

/// How a measurement stands to its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// There is no target.
    None,
    /// At or below.
    Met,
    /// Above by no more than 5 % and 4 cycles.
    Allowed,
    /// Above that, and known to be: its micro-program takes what `DESIGN.md` says, and no more.
    Known,
    /// Above that.
    Missed,
}

impl CycleRow {
    /// How the count stands to the target.
    pub fn verdict(&self) -> Verdict {
        match self.target_cycles {
            None => Verdict::None,
            Some(target) if self.rtl_cycles <= target => Verdict::Met,
            // r ≤ t + t/20 + 4, in whole numbers.
            Some(target) if 20 * self.rtl_cycles <= 21 * target + 80 => Verdict::Allowed,
            Some(_) if self.known_cycles.is_some_and(|known| self.formula_cycles <= known) => Verdict::Known,
            Some(_) => Verdict::Missed,
        }
    }
}
