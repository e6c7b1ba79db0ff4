//! What the Compute Cache's instructions do to a memory of bytes: plain integers, opcodes, and nothing of the hardware.

use bitline_units::compute_cache::{CacheFault, CacheGeometry, CacheInstruction, CacheOp};

/// Executes an instruction on a whole memory. Returns its mask.
///
/// # Errors
/// Why it is refused; the memory is as it was then.
pub fn execute(memory: &mut [u8], geometry: &CacheGeometry, instruction: &CacheInstruction) -> Result<u64, CacheFault> {
    let op = instruction.check(geometry)?.op;
    let (a, b, d) = (instruction.a as usize, instruction.b as usize, instruction.d as usize);
    let (size, block) = (instruction.size as usize, geometry.block_bytes);
    let mut mask = 0;
    match op {
        CacheOp::Copy => memory.copy_within(a..a + size, d),
        CacheOp::Zero => memory[d..d + size].fill(0),
        CacheOp::Not => (0..size).for_each(|i| memory[d + i] = !memory[a + i]),
        CacheOp::And => (0..size).for_each(|i| memory[d + i] = memory[a + i] & memory[b + i]),
        CacheOp::Or => (0..size).for_each(|i| memory[d + i] = memory[a + i] | memory[b + i]),
        CacheOp::Xor => (0..size).for_each(|i| memory[d + i] = memory[a + i] ^ memory[b + i]),
        CacheOp::Compare | CacheOp::Search => {
            for word in 0..size / 8 {
                let at = 8 * word;
                let other = if op == CacheOp::Search { b + at % block } else { b + at };
                mask |= u64::from(memory[a + at..a + at + 8] == memory[other..other + 8]) << word;
            }
        }
        CacheOp::Clmul => {
            let bytes = 8 << instruction.grain;
            for word in 0..size / bytes {
                let product = |i: usize| (memory[a + word * bytes + i] & memory[b + word * bytes + i]).count_ones();
                mask |= u64::from((0..bytes).map(product).sum::<u32>() % 2) << word;
            }
        }
    }
    Ok(mask)
}
