//! The parameter space of a kernel, as threads see it.
//!
//! Parameters lie there in their order, each by itself: between any two is a gap, so that an access beyond the end of
//! one meets nothing. So an address is the offset in the bytes of a launch, plus a gap for each parameter before it.

use crate::ptx::ast::{Kernel, Parameter};

/// Bytes between two parameters: a multiple of what the longest access is aligned to.
const GAP: u64 = 256;

/// Where the parameter of this index begins.
pub(super) fn address(kernel: &Kernel, index: usize) -> u64 {
    kernel.parameters[index].offset + GAP * index as u64
}

/// Where the `count` bytes at an address are in the bytes of a launch.
pub(super) fn offset(kernel: &Kernel, address: u64, count: u64) -> Result<usize, String> {
    let begins = |(index, parameter): (u64, &Parameter)| parameter.offset + GAP * index;
    let found = (0..).zip(&kernel.parameters).take_while(|one| begins(*one) <= address).last();
    let Some(one) = found else { return Err(format!("param address {address:#x}, {count} bytes: there are none")) };
    let (bytes, from) = (one.1.bytes(), address - begins(one));
    match from.checked_add(count).filter(|end| *end <= bytes) {
        Some(_) => Ok((one.1.offset + from) as usize),
        None => Err(format!(
            "param address {address:#x}, {count} bytes: in no parameter; the one below, {}, has {bytes} bytes, and \
             this is its byte {from}",
            one.1.name
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::parse;

    #[test]
    fn parameters_are_apart_and_bounded() {
        let text = ".version 6.0\n.target sm_50\n.address_size 64\n\
                    .visible .entry k(.param .u8 n, .param .align 4 .b8 s[36], .param .align 8 .b8 t[16])\n{ ret; }\n\
                    .visible .entry none() { ret; }";
        let module = parse("k.ptx", text).unwrap_or_else(|error| panic!("{error}"));
        let kernel = &module.kernels[0];
        assert_eq!([0, 1, 2].map(|index| address(kernel, index)), [0, 256 + 4, 512 + 40]);
        assert_eq!((offset(kernel, 0, 1), offset(kernel, 292, 4), offset(kernel, 552, 16)), (Ok(0), Ok(36), Ok(40)));
        for (at, count, byte) in [(1, 1, "n, has 1 bytes, and this is its byte 1"), (293, 4, "its byte 33")] {
            let error = offset(kernel, at, count).expect_err("beyond");
            assert!(error.contains(byte), "{error}");
        }
        assert!(offset(kernel, 256, 4).is_err() && offset(kernel, 569, 1).is_err());
        assert!(offset(kernel, u64::MAX, 8).is_err() && offset(&module.kernels[1], 0, 1).is_err());
    }
}
