//! Words of the crossbar: threads of a bank get numbers of each other, or what becomes of those of many.

use bitline_units::duality::isa::Word;
use bitline_units::duality::isa::codes::MemoryOp;
use bitline_units::duality::isa::field::*;

use super::access::atomic;
use super::interpreter::Judge;

impl Judge<'_> {
    /// A shuffle or a reduction. All threads look before one of them writes.
    pub(super) fn crossing(&mut self, word: Word, op: MemoryOp) {
        let (slot, rows) = (word.get(DATA_SLOT), word.get(WIDTH) + 1);
        // A segment is within a bank, and thread 0 is the first of one.
        let threads = 1 << word.get(S);
        let value = |judge: &Self, thread: usize| judge.rows.get(thread, slot, word.get(B), rows) as u64;
        let takes = |judge: &Self, thread: usize| judge.cta[thread].is_some() && judge.chosen(word, slot, thread);
        let result = |judge: &Self, thread: usize| {
            let first = thread / threads * threads;
            if op == MemoryOp::Load {
                let place = judge.asked(word, thread) as usize;
                let there = place < threads && judge.cta[first + place].is_some();
                return value(judge, if there { first + place } else { thread });
            }
            let all = (first..first + threads).filter(|&other| takes(judge, other));
            // Two numbers become what an atomic operation of one of them would leave where the other one is.
            let reduced = all.map(|other| value(judge, other)).reduce(|one, other| atomic(op, rows, one, other, 0));
            reduced.expect("the thread itself takes part")
        };
        let taking: Vec<usize> = self.threads().filter(|&thread| takes(self, thread)).collect();
        let results: Vec<u64> = taking.iter().map(|&thread| result(self, thread)).collect();
        for (thread, result) in taking.into_iter().zip(results) {
            self.rows.set(thread, slot, word.get(D), rows, result.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::interpreter::execute;
    use super::super::rows::Rows;
    use bitline_units::duality::DualityParams;
    use bitline_units::duality::isa::assemble::assemble;
    use bitline_units::duality::params::SCALARS;

    /// What eight threads hold, and what each statement leaves of that, by hand; thread 5 does not exist, and threads 1
    /// and 6 do not take part where p says so.
    #[test]
    fn duality_words_between_threads_by_hand() {
        let params = DualityParams { crossbar: 8, ..DualityParams::preset("tiny").expect("it is there") };
        let held = [3, 250, 7, 0, 128, 99, 1, 64];
        let there = [true, true, true, true, true, false, true, true];
        let cases: [(&str, [u64; 8]); 12] = [
            ("shuffle d [2] b", [7, 7, 7, 7, 7, 99, 7, 7]),
            ("shuffle d [t + 1] b", [250, 7, 0, 128, 128, 99, 64, 64]),
            ("shuffle d [t - 2] b", [3, 250, 3, 250, 7, 99, 128, 64]),
            ("shuffle d [t + %1 + 2] b segment=4", [250, 7, 0, 0, 128, 99, 1, 64]),
            ("shuffle d [%0] b segment=4", [0, 0, 0, 0, 64, 99, 64, 64]),
            ("shuffle d [t] b segment=2 if=p", [3, 250, 7, 0, 128, 99, 1, 64]),
            ("reduce.add d b", [197, 197, 197, 197, 197, 99, 197, 197]),
            ("reduce.add d b segment=4 if=p", [10, 250, 10, 10, 192, 99, 1, 192]),
            ("reduce.min.s d b segment=4", [250, 250, 250, 250, 128, 99, 128, 128]),
            ("reduce.max d b segment=4 if=p", [7, 250, 7, 7, 128, 99, 1, 128]),
            ("reduce.and d b segment=2 unless=p", [3, 250, 7, 0, 128, 99, 1, 64]),
            ("reduce.xor d b segment=2", [249, 249, 7, 7, 128, 99, 65, 65]),
        ];
        for (text, expected) in cases {
            let registers = ".reg t 0:4:3\n.reg p 0:7:1\n.reg b 0:8:8\n.reg d 0:16:8\n.special thread t";
            let source = format!(".name k\n.arrays 4\n{registers}\n{text}\nend\n");
            let program = assemble(&source, "k.dcs", &params).unwrap_or_else(|e| panic!("{e}"));
            let mut rows = Rows::new(8, 4, 1);
            for thread in 0..8 {
                for (row, count, value) in [
                    (4, 3, thread as u64),
                    (7, 1, u64::from(thread != 1 && thread != 6)),
                    (8, 8, held[thread]),
                    (16, 8, held[thread]),
                ] {
                    rows.set(thread, 0, row, count, value.into());
                }
            }
            let mut scalars = [0; SCALARS];
            (scalars[0], scalars[1]) = (3, u32::MAX);
            execute(&params, &program, &mut rows, &there, &mut scalars, 10).unwrap_or_else(|e| panic!("{text}: {e}"));
            let left: Vec<u64> = (0..8).map(|thread| rows.get(thread, 0, 16, 8) as u64).collect();
            assert_eq!(left, expected, "{text}");
        }
    }
}
