//! What instructions on lines do to memory: flat memory, plain Rust.

use std::collections::HashMap;

use bitline_units::duality::lines::{LINE_BUS, LineInstruction};
use bitline_units::parts::cache_ops::CacheOp;

/// Words of a line.
pub const WORDS: u32 = 8;

/// Memory, word by word of 8 bytes.
#[derive(Clone, Debug, Default)]
pub struct Flat(pub HashMap<u32, u64>);

impl Flat {
    /// A word of 8 bytes, by its number.
    pub fn word(&self, number: u32) -> u64 {
        self.0.get(&number).copied().unwrap_or(0)
    }

    /// The line at this address.
    pub fn line(&self, address: u32) -> [u64; WORDS as usize] {
        std::array::from_fn(|k| self.word(address / 64 * WORDS + k as u32))
    }
}

/// An instruction that is carried out, answer by answer.
#[derive(Clone, Debug)]
pub struct Judge {
    instruction: LineInstruction,
    op: CacheOp,
    /// Requests that are to come, and answers: addresses, and whether they write.
    requests: Vec<(u32, bool)>,
    taken: usize,
    answered: usize,
    key: [u64; WORDS as usize],
    /// Bits of its result.
    pub mask: u64,
    /// Code, and what it is about.
    pub ended: (u64, u32),
}

impl Judge {
    /// Before the first request.
    ///
    /// # Errors
    /// Code and value of an illegal instruction, by rules of its own.
    pub fn new(instruction: LineInstruction) -> Result<Judge, (u64, u32)> {
        let LineInstruction { op, grain, a, b, d, size } = instruction;
        // By the paper's table: which operands there are.
        let (reads_a, reads_b, writes, largest) = match op {
            1 | 6 => (true, false, true, 16 << 10),
            2 => (false, false, true, 16 << 10),
            3..=5 => (true, true, true, 16 << 10),
            7 => (true, true, false, 512),
            8 => (true, false, false, 512),
            9 if grain < 3 => (true, true, false, 512 << grain),
            9 => return Err((2, 0)),
            _ => return Err((1, 0)),
        };
        if size == 0 || size % 64 != 0 || size > largest {
            return Err((3, size));
        }
        let used = [(reads_a, a, size), (reads_b, b, size), (op == 8, b, 64), (writes, d, size)];
        for (_, address, size) in used.into_iter().filter(|operand| operand.0) {
            if address % 64 != 0 {
                return Err((4, address));
            }
            if u64::from(address) + u64::from(size) > 1 << 32 {
                return Err((5, address));
            }
        }
        let behind = |first: u32, second: u32| u64::from(first) + u64::from(size) <= u64::from(second);
        let apart = |from: u32| from == d || behind(from, d) || behind(d, from);
        if writes && (reads_a && !apart(a) || reads_b && !apart(b)) {
            return Err((6, d));
        }
        let mut requests = vec![];
        requests.extend((op == 8).then_some((b, false)));
        for at in (0..size).step_by(64) {
            requests.extend(reads_a.then_some((a.wrapping_add(at), false)));
            requests.extend(reads_b.then_some((b.wrapping_add(at), false)));
            requests.extend(writes.then_some((d.wrapping_add(at), true)));
        }
        let op = CacheOp::from_code(op).expect("it is in the table");
        let (taken, answered, key, mask, ended) = (0, 0, [0; 8], 0, (0, 0));
        Ok(Judge { instruction, op, requests, taken, answered, key, mask, ended })
    }

    /// A request is taken; whether it is the one that is due.
    pub fn takes(&mut self, address: u32, writes: bool) -> bool {
        let due = self.requests.get(self.taken).copied();
        self.taken += 1;
        due == Some((address, writes))
    }

    /// The request before the one that is due, if both are of the same line.
    pub fn before(&self) -> Option<u32> {
        let own = self.taken.checked_sub(usize::from(self.op == CacheOp::Search))?;
        let begins = own.is_multiple_of(self.each() as usize);
        self.requests.get(self.taken.checked_sub(1)?).filter(|_| !begins).map(|request| request.0)
    }

    /// The request that is due is taken.
    pub fn next(&mut self) {
        self.taken += 1;
    }

    /// Requests that were taken.
    pub fn asked(&self) -> usize {
        self.taken
    }

    /// Everything is asked and answered that is to be.
    pub fn over(&self) -> bool {
        self.taken == self.answered && (self.taken == self.requests.len() || self.ended.0 != 0)
    }

    /// The next request is answered. Whether that may fail is not known; that it must is.
    ///
    /// # Errors
    /// A line that was written though it must not be.
    pub fn answer(&mut self, memory: &mut Flat, failed: bool) -> Result<(), &'static str> {
        let (address, writes) = self.requests[self.answered];
        let (line, is_key) = (self.line(), self.op == CacheOp::Search && self.answered == 0);
        self.answered += 1;
        if self.ended.0 != 0 {
            return if writes && !failed { Err("a line is written behind one that has failed") } else { Ok(()) };
        }
        if failed {
            self.ended = (LINE_BUS, address);
            return Ok(());
        }
        let LineInstruction { a, b, grain, .. } = self.instruction;
        let (one, two) = (memory.line(a.wrapping_add(64 * line)), memory.line(b.wrapping_add(64 * line)));
        if is_key {
            self.key = memory.line(b);
        } else if writes {
            for k in 0..WORDS {
                let (x, y) = (one[k as usize], two[k as usize]);
                let z = match self.op {
                    CacheOp::Copy => x,
                    CacheOp::Zero => 0,
                    CacheOp::And => x & y,
                    CacheOp::Or => x | y,
                    CacheOp::Xor => x ^ y,
                    _ => !x,
                };
                memory.0.insert(address / 8 + k, z);
            }
        } else if self.gives() {
            let per_line = if self.op == CacheOp::Clmul { WORDS >> grain } else { WORDS };
            for word in 0..per_line {
                let bit = match self.op {
                    CacheOp::Compare => one[word as usize] == two[word as usize],
                    CacheOp::Search => one[word as usize] == self.key[word as usize],
                    _ => {
                        let both = |k: u32| (one[k as usize] & two[k as usize]).count_ones();
                        let from = word << grain;
                        (from..from + (1 << grain)).map(both).sum::<u32>() % 2 == 1
                    }
                };
                self.mask |= u64::from(bit) << (per_line * line + word);
            }
        }
        Ok(())
    }

    /// Which line the next answer is about.
    fn line(&self) -> u32 {
        let key = u32::from(self.op == CacheOp::Search);
        (self.answered as u32).saturating_sub(key) / self.each()
    }

    /// Requests for a line.
    fn each(&self) -> u32 {
        match self.op {
            CacheOp::Zero | CacheOp::Search => 1,
            CacheOp::And | CacheOp::Or | CacheOp::Xor => 3,
            _ => 2,
        }
    }

    /// A line's operands are complete with the answer that was the last one.
    fn gives(&self) -> bool {
        let key = usize::from(self.op == CacheOp::Search);
        (self.answered - key).is_multiple_of(self.each() as usize)
    }
}

/// Code, what it is about, and the mask of a whole operation that nothing disturbs; memory is what it makes of it.
///
/// # Panics
/// Never: nothing fails.
pub fn judged(made: LineInstruction, flat: &mut Flat) -> (u64, u32, u64) {
    match Judge::new(made) {
        Ok(mut judge) => {
            while !judge.over() {
                judge.next();
                judge.answer(flat, false).expect("nothing fails");
            }
            (0, 0, judge.mask)
        }
        Err((code, about)) => (code, about, 0),
    }
}
