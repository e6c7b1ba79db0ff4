//! Numbers between two others.

use super::MOST;

/// Numbers from `low` to `high`, each a multiple of `step` above `low`; one number alone has the step 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) low: i128,
    pub(super) high: i128,
    step: i128,
}

/// Addresses of memory, and of variables in a window of their own.
pub(super) const MEMORY: Range = Range::between(0, MOST as i128 - 1);
/// Lower halves as they are.
pub(super) const UNSIGNED: Range = Range::between(0, (1 << 32) - 1);
/// Lower halves with their signs.
pub(super) const SIGNED: Range = Range::between(-(1 << 31), (1 << 31) - 1);
/// More than a number of 64 bits with its sign.
pub(super) const ANY: i128 = 1 << 63;
/// What has 64 bits, and keeps them all the way to an access.
pub(super) const WHOLE: Range = Range::between(-ANY, ANY);

fn divisor(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { divisor(b, a % b) }
}

impl Range {
    pub(super) const fn between(low: i128, high: i128) -> Range {
        Range { low, high, step: 1 }
    }

    pub(super) const fn number(number: i128) -> Range {
        Range { low: number, high: number, step: 0 }
    }

    pub(super) fn holds(self, other: Range) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    pub(super) fn joined(self, other: Range) -> Range {
        let step = divisor(divisor(self.step, other.step), self.low - other.low);
        Range { low: self.low.min(other.low), high: self.high.max(other.high), step }
    }

    /// Those of its numbers that are between two others; none if there are none.
    pub(super) fn within(self, low: i128, high: i128) -> Option<Range> {
        let step = self.step.max(1);
        let low = if low > self.low { self.low + (low - self.low + step - 1) / step * step } else { self.low };
        let high = high.min(self.high);
        let high = if high < low { high } else { low + (high - low) / step * step };
        (low <= high).then_some(Range { low, high, step: if low == high { 0 } else { self.step } })
    }

    pub(super) fn plus(self, other: Range) -> Range {
        let step = divisor(self.step, other.step);
        Range { low: self.low + other.low, high: self.high + other.high, step }
    }

    pub(super) fn minus(self, other: Range) -> Range {
        let step = divisor(self.step, other.step);
        Range { low: self.low - other.high, high: self.high - other.low, step }
    }

    pub(super) fn times(self, other: Range) -> Range {
        let product = |one: i128, other: i128| one.saturating_mul(other);
        let [low, high] = [other.low, other.high];
        let all = [product(self.low, low), product(self.low, high), product(self.high, low), product(self.high, high)];
        let [low, high] = [all.iter().min(), all.iter().max()].map(|one| one.copied().unwrap_or(0));
        let step = match (self.step, other.step) {
            (0, _) => product(self.low, other.step),
            (_, 0) => product(other.low, self.step),
            _ => 1,
        };
        Range { low: low.max(-ANY), high: high.min(ANY), step: if low < -ANY || high > ANY { 1 } else { step.abs() } }
    }

    /// What it may grow to from another one: to the next of these limits.
    pub(super) fn widened(self, from: Range, limits: &[i128]) -> Range {
        let step = self.step.max(1);
        let low = if self.low < from.low {
            let limit = limits.iter().copied().filter(|limit| *limit <= self.low).max().unwrap_or(-ANY);
            self.low - (self.low - limit) / step * step
        } else {
            self.low
        };
        let high = if self.high > from.high {
            let limit = limits.iter().copied().filter(|limit| *limit >= self.high).min().unwrap_or(ANY);
            self.high + (limit - self.high) / step * step
        } else {
            self.high
        };
        Range { low, high, step: self.step }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A range, and some of its numbers.
    fn some(seed: &mut u64) -> (Range, Vec<i128>) {
        let mut next = |below: u64| {
            *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            i128::from((*seed >> 33) % below)
        };
        let (low, step, count) = (next(200) - 100, next(9), next(9));
        let range = (0..=count).map(|at| Range::number(low + at * step)).reduce(Range::joined).expect("one at least");
        (range, (0..=count).map(|at| low + at * step).collect())
    }

    fn has(range: Range, number: i128) -> bool {
        range.low <= number && number <= range.high && (number - range.low) % range.step.max(1) == 0
    }

    #[test]
    fn all_numbers_are_in_it() {
        let mut seed = 3;
        for _ in 0..2000 {
            let ((one, ones), (other, others)) = (some(&mut seed), some(&mut seed));
            for (a, b) in ones.iter().flat_map(|a| others.iter().map(move |b| (*a, *b))) {
                assert!(has(one, a) && has(one.joined(other), a) && has(one.joined(other), b), "{one:?} {other:?}");
                assert!(has(one.plus(other), a + b) && has(one.minus(other), a - b), "{one:?} {other:?} {a} {b}");
                assert!(has(one.times(other), a * b), "{one:?} {other:?} {a} {b}");
                assert!(has(one.joined(other).widened(one, &[-1000, 0, 1000]), a), "{one:?} {other:?}");
                assert!(has(one.joined(other).widened(one, &[-1000, 0, 1000]), b), "{one:?} {other:?}");
            }
            let part = one.within(other.low, other.high);
            for a in ones.iter().filter(|a| (other.low..=other.high).contains(a)) {
                assert!(part.is_some_and(|part| has(part, *a)), "{one:?} {other:?} {a}");
            }
        }
    }
}
