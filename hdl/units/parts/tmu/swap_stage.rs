//! One stage of a permutation: exchanges neighbouring groups of bits.

use crate::kernel::prelude::*;

hdl_block! {
    /// With `swap`, bit b of the result is bit b ⊕ `half` of the operand. Combinational.
    pub SwapStage<W: RowWord> {
        In data: W; /// Operand.
        In swap: Bit; /// Exchanges.
        Out swapped: W; /// Result.
    } inside {
        Child low: Vec<Constant<W>>;
        Value _half: u64;
    }
}

impl<W: RowWord> SwapStage<W> {
    /// Groups of `half` bits, a power of two.
    pub fn new(half: usize) -> Self {
        let low: Vec<u64> = (0..W::width().div_ceil(64))
            .map(|limb| {
                (0..64).filter(|bit| ((64 * limb + bit) / half).is_multiple_of(2)).fold(0, |word, bit| word | 1 << bit)
            })
            .collect();
        SwapStage { low: vec![Constant::new(W::from_packed(&low))], _half: half as u64, ..Self::default() }
    }
}

impl<W: RowWord> Logic for SwapStage<W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.swapped.next = self.data.val();
        if self.swap.val() {
            self.swapped.next = ((self.data.val() >> self._half) & self.low[0].val())
                | ((self.data.val() & self.low[0].val()) << self._half);
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let module = format!("swap_stage_{}", self._half);
        describe(module, "Exchanges neighbouring groups of bits.", constants![; self._half])
    }
}
