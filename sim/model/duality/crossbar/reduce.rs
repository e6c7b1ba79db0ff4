//! Model of the crossbar's reduction: numbers of threads as integers, of which a sum is a bit for each bit that comes.

use super::Bits;

/// What is made of the bits of a segment's threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Making {
    /// A sum of numbers that come bit by bit.
    Sum,
    /// Whether one of them is 1.
    Or,
    /// Whether all of them are.
    And,
    /// Whether an odd number of them is.
    Xor,
}

/// The reduction.
#[derive(Clone, Debug, Default)]
pub struct Reduce {
    /// Bits of each thread's number that have come.
    numbers: Vec<u128>,
    come: u32,
    /// What became of the bits of the cycle before.
    pub result: Bits,
}

/// What it gets in a cycle.
#[derive(Clone, Debug)]
pub struct ReduceInputs {
    /// log2 of the threads of a segment.
    pub segment: u32,
    /// What is made of the bits.
    pub making: Making,
    /// A new sum begins with the next cycle.
    pub begin: bool,
    /// The row is the next one of numbers.
    pub put: bool,
    /// A bit of each thread.
    pub row: Bits,
}

impl Reduce {
    /// That of a bank of so many threads.
    pub fn new(columns: usize) -> Reduce {
        Reduce { numbers: vec![0; columns], come: 0, result: vec![false; columns] }
    }

    /// One clock edge.
    pub fn step(&mut self, inputs: &ReduceInputs) {
        let mut numbers = self.numbers.clone();
        for (number, bit) in numbers.iter_mut().zip(&inputs.row) {
            *number |= u128::from(*bit) << self.come;
        }
        let threads = 1 << inputs.segment;
        for first in (0..self.result.len()).step_by(threads) {
            let own = &inputs.row[first..first + threads];
            let bit = match inputs.making {
                Making::Sum => numbers[first..first + threads].iter().sum::<u128>() >> self.come & 1 == 1,
                Making::Or => own.contains(&true),
                Making::And => !own.contains(&false),
                Making::Xor => own.iter().filter(|bit| **bit).count() % 2 == 1,
            };
            self.result[first..first + threads].fill(bit);
        }
        if inputs.put && inputs.making == Making::Sum {
            self.numbers = numbers;
            self.come += 1;
        }
        if inputs.begin {
            self.numbers.fill(0);
            self.come = 0;
        }
    }
}
