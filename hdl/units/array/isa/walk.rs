//! Cycle counts: an assembled program's rows are passed one by one, as the flow control would.

use crate::array::isa::assemble::Assembled;
use crate::array::isa::program::Count;
use crate::array::isa::row::{Row, StrideAction, Token, TriangleAction};
use crate::array::isa::word::Kind;

impl Assembled {
    /// Issue cycles for widths `n` and `m`, without stalls and waits. `key_ones` passes run for each
    /// [`Item::WhileKey`](crate::array::isa::program::Item::WhileKey), scans find the full width, and every tested
    /// tag is set: the worst case of data-dependent programs.
    ///
    /// # Panics
    /// If a loop has no passes: the hardware would run it as often as a counter has values.
    pub fn cycles(&self, n: u32, m: u32, key_ones: u32) -> u64 {
        self.pass(n, m, key_ones, true, |_, _| {}, || true)
    }

    /// The same where the tags that are tested have these answers, the first in the lowest bit; and how many were
    /// tested.
    pub fn answered(&self, n: u32, m: u32, answers: u8) -> (u64, u64) {
        let mut asked = 0;
        let cycles = self.pass(
            n,
            m,
            0,
            true,
            |_, _| {},
            || {
                asked += 1;
                answers >> (asked - 1) & 1 == 1
            },
        );
        (cycles, asked)
    }

    /// The same, telling `visit` each row that is issued, and whether it leads back to the head of a loop; also where
    /// the program does not run, and a loop may have no passes.
    pub fn walk(&self, n: u32, m: u32, key_ones: u32, visit: impl FnMut(usize, bool)) -> u64 {
        self.pass(n, m, key_ones, false, visit, || true)
    }

    fn pass(
        &self,
        n: u32,
        m: u32,
        key_ones: u32,
        runs: bool,
        mut visit: impl FnMut(usize, bool),
        mut any: impl FnMut() -> bool,
    ) -> u64 {
        let (n, m) = (n as i32, m as i32);
        let mut walk = Walk { z: self.program.z.value(n, m), stride: self.program.stride.value(n, m), n, m };
        let mut cycles = 0;
        let mut pc = 0;
        let (mut x, mut y) = (self.first_x().value(n, m), self.first_y().value(n, m));
        let mut passes = key_ones;
        loop {
            let word = &self.words[pc];
            cycles += 1;
            assert!(cycles < 1 << 20, "{}: does not end at n = {n}, m = {m}", self.program.name);
            let inner = matches!(word.kind, Kind::Inner | Kind::InnerOuter);
            let inner_back = inner && x > 1;
            let outer = matches!(word.kind, Kind::Outer | Kind::InnerOuter) && !inner_back;
            let outer_back = outer && y > 1;
            // Counters count down to 1: from 0 they go on with as many passes as they have values.
            for (entered, count) in [(inner, x), (outer, y)] {
                let fits = !runs || !entered || count > 0;
                assert!(fits, "{}: a loop of {count} passes at n = {n}, m = {m}", self.program.name);
            }
            visit(pc, inner_back || outer_back);
            if inner_back {
                x -= 1;
                pc -= usize::from(word.back);
                continue;
            }
            let old_z = walk.z;
            walk.leave(&word.row);
            if let Some(count) = word.x {
                x = walk.count(count, old_z);
            }
            if outer_back {
                y -= 1;
                pc = word.target;
                continue;
            }
            if let Some(count) = word.y {
                y = walk.count(count, old_z);
            }
            let found = passes > 0;
            let taken = match word.kind {
                Kind::KeySkip | Kind::KeyLoop if found => {
                    passes -= 1;
                    Some(if word.kind == Kind::KeyLoop { word.target } else { pc + 1 })
                }
                Kind::AnySkip => Some(if any() { pc + 1 } else { word.target }),
                _ => None,
            };
            if let Some(to) = taken {
                pc = to;
                continue;
            }
            let stop = word.row.may_stop && self.program.stop_if_zero.value(n, m) == 0;
            if word.end || stop {
                return cycles;
            }
            pc = if word.kind == Kind::KeySkip { word.target } else { pc + 1 };
        }
    }

    /// Whether the cycle count depends on the data.
    pub fn data_dependent(&self) -> bool {
        self.words.iter().any(|w| w.row.token != Token::None)
    }
}

/// Counters of [`Assembled::cycles`].
struct Walk {
    z: i32,
    stride: i32,
    n: i32,
    m: i32,
}

impl Walk {
    fn leave(&mut self, row: &Row) {
        match row.z {
            TriangleAction::Hold => {}
            TriangleAction::Up => self.z += 1,
            TriangleAction::Down => self.z -= 1,
        }
        match row.stride {
            StrideAction::Hold => {}
            StrideAction::Double => self.stride *= 2,
            StrideAction::Halve => self.stride /= 2,
            StrideAction::Up => self.stride += 1,
        }
    }

    fn count(&self, count: Count, z: i32) -> i32 {
        match count {
            Count::Linear(linear) => linear.value(self.n, self.m),
            Count::Triangle => z,
            Count::StrideRest => self.n - self.stride,
            Count::Stride => self.stride,
            Count::StrideLessOne => self.stride - 1,
            Count::HalfStride => self.stride / 2,
            Count::Width => self.n,
            Count::WidthLessTwo => self.n - 2,
            Count::WidthLessThree => self.n - 3,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::array::isa::assemble::assemble;
    use crate::array::isa::linear::{Linear, N};
    use crate::array::isa::operation::Context;
    use crate::array::isa::program::{Item, Program, each, once, outer};
    use crate::array::isa::row::row;

    fn cycles(body: Vec<Item>, n: u32) -> u64 {
        assemble(&Program::new("test", body), Context::all()[0]).cycles(n, 0, 0)
    }

    #[test]
    fn loops_of_one_pass_run_once() {
        assert_eq!(cycles(vec![each(N - 3, row()), outer(N - 3, vec![once(row()), once(row())])], 4), 3);
    }

    #[test]
    #[should_panic(expected = "a loop of 0 passes")]
    fn a_loop_of_no_passes_is_refused() {
        assemble(&Program::new("test", vec![once(row()), each(Linear::constant(0), row())]), Context::all()[0]);
    }

    #[test]
    #[should_panic(expected = "a loop of 0 passes at n = 3")]
    fn a_first_loop_of_no_passes_by_its_width_is_refused() {
        cycles(vec![each(N - 3, row())], 3);
    }

    #[test]
    #[should_panic(expected = "a loop of 0 passes at n = 3")]
    fn an_outer_loop_of_no_passes_by_its_width_is_refused() {
        cycles(vec![once(row()), outer(N - 3, vec![once(row())])], 3);
    }
}
