//! What the launch knows of the threads becomes numbers: how many there are of blocks and of threads in one, and the
//! place of a thread or block where there is only one. Products by such numbers are shifts and sums.

use super::Sizes;
use crate::ptx::ast::{Kernel, Operand, Special};

/// Puts numbers in place of special registers.
pub fn run(kernel: &mut Kernel, sizes: &Sizes) {
    let number = |special: Special| match special {
        Special::Ntid(axis) => Some(sizes.block[axis as usize]),
        Special::Nctaid(axis) => Some(sizes.grid[axis as usize]),
        Special::Tid(axis) => (sizes.block[axis as usize] == 1).then_some(0),
        Special::Ctaid(axis) => (sizes.grid[axis as usize] == 1).then_some(0),
        Special::Lane | Special::Lanes(_) => None,
    };
    for operand in kernel.body.iter_mut().flat_map(|it| &mut it.operands) {
        let found = if let Operand::Special(special) = operand { number(*special) } else { None };
        if let Some(number) = found {
            *operand = Operand::Immediate(number.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::parse;

    #[test]
    fn what_is_known_is_a_number() {
        let text = ".version 4.2\n.target sm_50\n.address_size 32\n.visible .entry k() { .reg .b32 %r<7>; \
                    mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ctaid.z; \
                    mov.u32 %r4, %ntid.x; add.s32 %r5, %r4, %nctaid.y; ret; }";
        let mut kernel = parse("k.ptx", text).unwrap_or_else(|error| panic!("{error}")).kernels.remove(0);
        run(&mut kernel, &Sizes { grid: [5, 3, 1], block: [8, 1, 1] });
        let numbers = kernel.body.iter().flat_map(|it| &it.operands).filter_map(|operand| match operand {
            Operand::Immediate(number) => Some(*number),
            _ => None,
        });
        assert_eq!(numbers.collect::<Vec<_>>(), [0, 0, 8, 3]);
    }
}
