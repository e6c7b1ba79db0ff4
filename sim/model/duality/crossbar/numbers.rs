//! Model of the crossbar's numbers: addresses are put together as they come, and looked at when they are settled.

use super::Bits;

/// The numbers.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    columns: usize,
    step: usize,
    /// Bits of each thread's address that have come.
    addresses: Vec<u32>,
    come: u32,
    offset: u32,
    /// The thread that each thread names, once it is settled.
    pub named: Vec<Option<usize>>,
}

/// What they get in a cycle.
#[derive(Clone, Debug, Default)]
pub struct NumbersInputs {
    /// Addresses come from now on, counted from this.
    pub begin: Option<u32>,
    /// log2 of the threads of a segment.
    pub segment: u32,
    /// The next bit of all addresses.
    pub put: Option<Bits>,
    /// No more come.
    pub settle: bool,
    /// Threads that name none that there is.
    pub absent: Option<Bits>,
    /// All numbers are turned.
    pub turn: bool,
}

impl Numbers {
    /// Those of a bank of so many threads, which turn by `step` at a time.
    pub fn new(step: usize, columns: usize) -> Numbers {
        let (addresses, named) = (vec![0; columns], vec![None; columns]);
        Numbers { columns, step, addresses, come: 0, offset: 0, named }
    }

    /// One clock edge.
    pub fn step(&mut self, inputs: &NumbersInputs) {
        if let Some(row) = &inputs.put {
            for (address, bit) in self.addresses.iter_mut().zip(row) {
                *address |= u32::from(*bit).checked_shl(self.come).unwrap_or(0);
            }
            self.come += 1;
        }
        if inputs.settle {
            let threads = 1usize << inputs.segment;
            for (thread, named) in self.named.iter_mut().enumerate() {
                let place = self.addresses[thread].wrapping_add(self.offset) as usize;
                *named = Some(if place < threads { thread / threads * threads + place } else { thread });
            }
        }
        if let Some(absent) = &inputs.absent {
            for (thread, named) in self.named.iter_mut().enumerate().filter(|(thread, _)| absent[*thread]) {
                *named = Some(thread);
            }
        }
        if inputs.turn {
            let by = self.step % self.columns;
            self.named.rotate_left(by);
        }
        if let Some(offset) = inputs.begin {
            self.addresses.fill(0);
            self.named.fill(None);
            (self.come, self.offset) = (0, offset);
        }
    }
}
