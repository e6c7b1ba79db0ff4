//! GHASH (NIST SP 800-38D, §6.4) by carry-less products of 128 bits.
//!
//! Coefficient k of the product of two polynomials is the parity of one AND the other reversed and shifted by k. The
//! 255 reversed and shifted keys lie in the cache; a block of data is spread beside them, and four instructions give
//! all coefficients. The reduction modulo x¹²⁸ + x⁷ + x² + x + 1 is a few shifts and exclusive ors on the processor.

use super::{repeated, spread, suits};
use crate::compute_cache::{CacheInstruction, CacheOp};
use crate::engine::Engine;
use crate::error::Result;
use crate::units::compute_cache::machine::CacheMachine;

/// Products of 128 bits in one instruction, in bytes.
const EACH: u32 = 1024;
/// Instructions for all coefficients.
const PARTS: u32 = 4;
/// Granularity: 128 bits.
const GRAIN: u8 = 1;

/// A published test case of GCM, in hexadecimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vector {
    /// The hash's key H: zero encrypted.
    pub key: &'static str,
    /// Additional authenticated data A.
    pub additional: &'static str,
    /// Ciphertext C.
    pub cipher: &'static str,
    /// The first counter encrypted.
    pub counter: &'static str,
    /// The tag: GHASH exclusive or that.
    pub tag: &'static str,
}

/// Test cases 2, 3 and 4 of the GCM specification, from which NIST SP 800-38D is made.
pub const VECTORS: [Vector; 3] = [
    Vector {
        key: "66e94bd4ef8a2c3b884cfa59ca342b2e",
        additional: "",
        cipher: "0388dace60b6a392f328c2b971b2fe78",
        counter: "58e2fccefa7e3061367f1d57a4e7455a",
        tag: "ab6e47d42cec13bdf53a67b21257bddf",
    },
    Vector {
        key: "b83b533708bf535d0aa6e52980d53b78",
        additional: "",
        cipher: "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985",
        counter: "3247184b3c4f69a44dbcd22887bbb418",
        tag: "4d5c2af327cd64a62cf35abd2ba6fab4",
    },
    Vector {
        key: "b83b533708bf535d0aa6e52980d53b78",
        additional: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
        cipher: "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
        counter: "3247184b3c4f69a44dbcd22887bbb418",
        tag: "5bc94fbc3221a5db94fae95ae7121a47",
    },
];

/// The bytes of a vector's field.
///
/// # Panics
/// If it is no hexadecimal text: vectors are part of this crate.
pub fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).expect("hexadecimal")).collect()
}

/// A key in a compute cache. Blocks are as in the standard: 16 bytes, the first bit being coefficient 0.
pub struct Ghash {
    stride: u32,
}

/// Coefficient `i` of a block.
fn coefficient(block: &[u8; 16], i: usize) -> bool {
    block[i / 8] >> (7 - i % 8) & 1 == 1
}

impl Ghash {
    /// Loads a key H.
    ///
    /// # Errors
    /// [`crate::error::Error::Parameter`] if the cache is too small; [`crate::error::Error::Tool`] when hardware and
    /// model differ.
    pub fn load<E: Engine>(machine: &mut CacheMachine<E>, key: &[u8; 16]) -> Result<Ghash> {
        let stride = EACH.next_multiple_of(machine.geometry().page() as u32);
        suits(machine, (PARTS + 1) * stride)?;
        for part in 0..PARTS {
            let mut rows = vec![0u8; EACH as usize];
            for (row, bytes) in rows.chunks_mut(16).enumerate() {
                let k = 64 * part as usize + row;
                // Bit i meets coefficient i of the data: together they make coefficient k with k - i of the key.
                let met = (0..128).filter(|&i| k.checked_sub(i).is_some_and(|j| j < 128 && coefficient(key, j)));
                met.for_each(|i| bytes[i / 8] |= 1 << (7 - i % 8));
            }
            machine.write((part + 1) * stride, &rows)?;
        }
        Ok(Ghash { stride })
    }

    /// Coefficients of the product of a block and the key, in 256 bits, the lowest in bit 0.
    fn product<E: Engine>(&self, machine: &mut CacheMachine<E>, block: &[u8; 16]) -> Result<[u64; 4]> {
        machine.write(0, &repeated(block))?;
        let parts = (1..=PARTS).map(|part| CacheInstruction {
            grain: GRAIN,
            ..CacheInstruction::new(CacheOp::Clmul, 0, part * self.stride, 0, EACH)
        });
        let program: Vec<_> = spread(0, EACH).into_iter().chain(parts).collect();
        let run = machine.run_legal(&program)?;
        let masks: Vec<u64> = run.masks().skip(program.len() - PARTS as usize).collect();
        Ok([masks[0], masks[1], masks[2], masks[3]])
    }

    /// GHASH of additional data and ciphertext, with their lengths, as GCM has it.
    ///
    /// # Errors
    /// [`crate::error::Error::Tool`] when hardware and model differ.
    pub fn hash<E: Engine>(&self, machine: &mut CacheMachine<E>, additional: &[u8], cipher: &[u8]) -> Result<[u8; 16]> {
        let lengths = [additional, cipher].map(|text| (8 * text.len() as u64).to_be_bytes()).concat();
        let mut state = [0u8; 16];
        for chunk in additional.chunks(16).chain(cipher.chunks(16)).chain([&lengths[..]]) {
            state.iter_mut().zip(chunk).for_each(|(s, c)| *s ^= c);
            state = reduced(self.product(machine, &state)?);
        }
        Ok(state)
    }
}

/// The remainder modulo x¹²⁸ + x⁷ + x² + x + 1, as a block.
fn reduced(product: [u64; 4]) -> [u8; 16] {
    let mut low = u128::from(product[1]) << 64 | u128::from(product[0]);
    let mut high = u128::from(product[3]) << 64 | u128::from(product[2]);
    // x¹²⁸ is x⁷ + x² + x + 1; what that carries over the top comes round once more.
    while high != 0 {
        low ^= high ^ high << 1 ^ high << 2 ^ high << 7;
        high = high >> 127 ^ high >> 126 ^ high >> 121;
    }
    low.reverse_bits().to_be_bytes()
}
