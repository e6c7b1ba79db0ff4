//! Designs about as large as what an engine runs without checks.

use super::design::Design;
use crate::kernel::netlist::{Binary, ExprId};
use crate::{Bytecode, Engine};

/// Code about as long as positions of 16 bits reach, against plain integers.
#[test]
fn code_of_every_length_around_the_limit() {
    let mut lengths = Vec::new();
    for count in (2150..2270).step_by(8) {
        let mut d = Design::default();
        let (x_net, x) = d.input(32);
        let (k_net, k) = d.input(32);
        let registers: Vec<(usize, ExprId)> = (0..count).map(|_| d.register(32, Some(0))).collect();
        for (i, &(number, own)) in registers.iter().enumerate() {
            let next = if i == 0 {
                d.binary(Binary::Add, own, x)
            } else {
                let before = registers[i - 1].1;
                let steps = [
                    (Binary::Xor, x),
                    (Binary::And, k),
                    (Binary::Xor, own),
                    (Binary::Or, x),
                    (Binary::Xor, k),
                    (Binary::Xor, before),
                ];
                steps.into_iter().fold(before, |e, (op, with)| d.binary(op, e, with))
            };
            d.set(number, next);
        }
        let mut engine = Bytecode::new(d.flat);
        let (x, k) = (0x1234_5679u32, 0x0f0f_a5a5u32);
        engine.set_input(x_net, &[x.into()]);
        engine.set_input(k_net, &[k.into()]);
        let mut expected = vec![0u32; count];
        for cycle in 0..3 {
            engine.tick(false);
            let old = expected.clone();
            expected[0] = old[0].wrapping_add(x);
            for i in 1..count {
                let before = old[i - 1];
                expected[i] = (((((before ^ x) & k) ^ old[i]) | x) ^ k) ^ before;
            }
            for (i, &value) in expected.iter().enumerate() {
                assert_eq!(engine.register(i), [u64::from(value)], "{count} registers, register {i}, cycle {cycle}");
            }
        }
        lengths.push(engine.code_words());
    }
    let limit = 1 << 16;
    assert!(lengths.iter().any(|&n| n < limit) && lengths.iter().any(|&n| n > limit + 2000), "{lengths:?}");
    assert!(lengths.iter().any(|&n| (limit..limit + 1700).contains(&n)), "{lengths:?}");
}
