//! Lanes from places at equal distances, in blocks whose beginnings are at equal distances, too: each lane some times
//! one after the other, rows in the place of columns, or all of them backwards.

use super::element::Element;

/// Fewest lanes that are worth looking for blocks.
const FEWEST: usize = 8;

/// Such lanes. Places count lanes of this size from the state's first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grid {
    /// Bits that a lane is kept in.
    bits: u32,
    /// Where the lanes go, one behind the other.
    d: u32,
    /// Where the first one comes from.
    a: u32,
    /// Lanes of a block, and how far apart they come from.
    lane: (u32, i32),
    /// Blocks, and how far apart their first lanes come from.
    block: (u32, i32),
}

impl Grid {
    /// The longest that lanes from these places begin with, and that goes where none of its lanes comes from; none if
    /// another operation takes them as well.
    pub fn first(bits: u32, d: u32, from: &[u32]) -> Option<Grid> {
        let apart = |i: usize, j: usize| i64::from(from[j]) - i64::from(from[i]);
        if from.len() < FEWEST {
            return None;
        }
        let step = apart(0, 1);
        let inner = 1 + (1..from.len()).take_while(|&i| apart(i - 1, i) == step).count();
        let mut outer = 1;
        let mut stride = 0;
        if 2 * inner <= from.len() {
            stride = apart(0, inner);
            let same = |block: usize| {
                let at = block * inner;
                apart(at - inner, at) == stride && (1..inner).all(|i| apart(at + i - 1, at + i) == step)
            };
            outer += (1..from.len() / inner).take_while(|&block| same(block)).count();
        }
        // A single run upwards is no grid.
        if inner * outer < FEWEST || inner == 1 || outer == 1 && step >= 0 {
            return None;
        }
        let small = |distance: i64| i32::try_from(distance).ok();
        let grid = Grid {
            bits,
            d,
            a: from[0],
            lane: (inner as u32, small(step)?),
            block: (outer as u32, if outer > 1 { small(stride)? } else { 0 }),
        };
        let (lowest, highest) = grid.reach();
        (highest < d || lowest >= d + grid.count() as u32).then_some(grid)
    }

    /// How many lanes there are.
    pub fn count(&self) -> usize {
        self.lane.0 as usize * self.block.0 as usize
    }

    /// The lowest and the highest place that a lane comes from.
    fn reach(&self) -> (u32, u32) {
        let ends = |(n, step): (u32, i32)| {
            let far = i64::from(n - 1) * i64::from(step);
            (far.min(0), far.max(0))
        };
        let ((low, high), (lower, higher)) = (ends(self.lane), ends(self.block));
        let place = |far: i64| (i64::from(self.a) + far) as u32;
        (place(low + lower), place(high + higher))
    }

    /// Carries it out.
    pub fn execute(&self, s: &mut [u64]) {
        match self.bits {
            8 => self.of::<u8>(s),
            32 => self.of::<u32>(s),
            _ => self.of::<u64>(s),
        }
    }

    fn of<T: Element>(&self, s: &mut [u64]) {
        let s = T::of_mut(s);
        let (d, n, (lowest, highest)) = (self.d as usize, self.count(), self.reach());
        let (lowest, highest) = (lowest as usize, highest as usize);
        let (low, high) = s.split_at_mut(d.max(lowest));
        let (from, to) = if lowest < d {
            (&low[lowest..=highest], &mut high[..n])
        } else {
            (&high[..=highest - lowest], &mut low[d..d + n])
        };
        let (mut at, lanes) = (self.a as usize - lowest, self.lane.0 as usize);
        let blocks = to.chunks_exact_mut(lanes);
        let next = |at: &mut usize| *at = at.wrapping_add(self.block.1 as usize);
        match (self.lane.1, self.block.1) {
            // The same lanes again and again: twice as many each time.
            (step, 0) => {
                each(&mut to[..lanes], from, at, step);
                let mut there = lanes;
                while there < n {
                    let more = there.min(n - there);
                    to.copy_within(..more, there);
                    there += more;
                }
            }
            // What `each` would do as well: inlined here, a board's cycle takes less.
            (0, 1) if lanes == 4 => {
                to.as_chunks_mut::<4>().0.iter_mut().zip(&from[at..]).for_each(|(block, lane)| *block = [*lane; 4]);
            }
            (0, _) => blocks.for_each(|block| {
                block.fill(from[at]);
                next(&mut at);
            }),
            (1, _) => blocks.for_each(|block| {
                block.copy_from_slice(&from[at..][..lanes]);
                next(&mut at);
            }),
            (step, _) if lanes == 4 => to.as_chunks_mut::<4>().0.iter_mut().for_each(|block| {
                let lane = |i: usize| from[at.wrapping_add(i.wrapping_mul(step as usize))];
                *block = [lane(0), lane(1), lane(2), lane(3)];
                next(&mut at);
            }),
            (step, _) => blocks.for_each(|block| {
                each(block, from, at, step);
                next(&mut at);
            }),
        }
    }
}

/// Lanes that come from places at this distance, the first one from `at`.
fn each<T: Element>(to: &mut [T], from: &[T], at: usize, step: i32) {
    let apart = step.unsigned_abs() as usize;
    match step {
        0 => to.fill(from[at]),
        1.. => to.iter_mut().zip(from[at..].iter().step_by(apart)).for_each(|(lane, from)| *lane = *from),
        _ => to.iter_mut().zip(from[..=at].iter().rev().step_by(apart)).for_each(|(lane, from)| *lane = *from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All lanes of 8, 32 and 64 bits arrive, for blocks of every shape that fits, beside what stays as it is.
    #[test]
    fn every_shape() {
        let mut tried = 0;
        for (inner, outer) in [(2, 4), (4, 1), (4, 16), (8, 1), (9, 3), (16, 2), (3, 5)] {
            for (step, stride) in [(0, 1), (1, 8), (8, 1), (-8, 1), (-1, 40), (8, 0), (2, -3), (-2, -16), (0, 0)] {
                let at = |block: i64, lane: i64| 400 + block * stride + lane * step;
                let from: Vec<u32> = (0..outer)
                    .flat_map(|block| (0..inner).map(move |lane| (block, lane)))
                    .map(|(block, lane)| at(block, lane) as u32)
                    .collect();
                for (bits, d) in [(8, 1600), (32, 1600), (64, 1600), (8, 0), (32, 8)] {
                    let Some(grid) = Grid::first(bits, d, &from) else { continue };
                    tried += 1;
                    let mut state: Vec<u64> = (0..2000u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
                    let lane = |state: &[u64], place: usize| {
                        let (many, bits) = (64 / bits as usize, bits as usize);
                        state[place / many] >> (place % many * bits) & (u64::MAX >> (64 - bits))
                    };
                    let before = state.clone();
                    grid.execute(&mut state);
                    for place in 0..1900usize {
                        let moved = place.checked_sub(d as usize).filter(|&i| i < grid.count());
                        let source = moved.map_or(place, |i| from[i] as usize);
                        assert_eq!(lane(&state, place), lane(&before, source), "{grid:?}, place {place}");
                    }
                }
            }
        }
        assert!(tried > 100, "{tried} grids");
    }

    /// What would overwrite its own lanes is none, nor is a run.
    #[test]
    fn none() {
        let spread: Vec<u32> = (0..64).map(|i| 100 + i / 4).collect();
        assert!(Grid::first(8, 90, &spread).is_none());
        assert!(Grid::first(8, 36, &spread).is_some());
        assert!(Grid::first(8, 116, &spread).is_some());
        let run: Vec<u32> = (0..64).collect();
        assert!(Grid::first(8, 100, &run).is_none());
        assert!(Grid::first(8, 100, &[5, 4, 3, 2, 1, 0, 7]).is_none());
    }
}
