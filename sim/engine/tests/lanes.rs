//! Designs with lanes: random ones against the reference, and how much of them becomes vector operations.

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::design::Design;
use super::maker::{Maker, Step};
use super::random::compare;
use super::some_of;
use crate::kernel::flat::Flat;
use crate::kernel::netlist::{Binary, ExprId, Read};
use crate::{Engine, Native};

const WIDTHS: [u32; 14] = [1, 1, 2, 5, 8, 16, 17, 31, 32, 33, 48, 63, 64, 65];

/// A design in which the same random logic is there for each lane: shared inputs and registers, inputs and registers of
/// a lane, and registers of other lanes, as a tree or a chain has them; some have a memory in each lane. With `odd`,
/// one lane differs in one step.
fn make(seed: u64, lanes: usize, steps: &[Step], odd: bool) -> Flat {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut m = Maker { design: Design::default(), pool: vec![] };
    let mut shared = vec![m.design.input(1).1];
    for _ in 0..rng.random_range(0..4) {
        let width = WIDTHS[rng.random_range(0..WIDTHS.len())];
        let reset = rng.random_bool(0.5).then_some(1);
        shared.push(if rng.random() { m.design.input(width).1 } else { m.design.register(width, reset).1 });
    }
    let heads: Vec<(u32, bool)> = (0..rng.random_range(1..5))
        .map(|_| (WIDTHS[rng.random_range(0..WIDTHS.len())], rng.random_bool(0.3)))
        .collect();
    let mut own: Vec<Vec<ExprId>> = vec![];
    let mut registers: Vec<Vec<usize>> = vec![];
    for lane in 0..lanes {
        let (mut values, mut numbers) = (vec![], vec![]);
        for (&(width, input), letter) in heads.iter().zip('a'..) {
            let net = if input {
                let (net, value) = m.design.input(width);
                values.push(value);
                net
            } else {
                let (number, value) = m.design.register(width, (width % 2 == 0).then_some(1));
                values.push(value);
                numbers.push(number);
                m.design.flat.registers[number].net
            };
            m.design.flat.nets[net.0 as usize].path = format!("lanes_{lane}.{letter}");
        }
        own.push(values);
        registers.push(numbers);
    }
    let neighbours: Vec<(usize, usize)> =
        (0..rng.random_range(0..3)).map(|_| (rng.random_range(0..3), rng.random_range(0..lanes))).collect();
    let ends: Vec<(u16, bool)> = heads.iter().map(|_| (rng.random(), rng.random_bool(0.3))).collect();
    let memory: Option<[u16; 4]> = rng.random_bool(0.4).then(|| rng.random());
    let (odd_lane, odd_step) = (rng.random_range(0..lanes), rng.random_range(0..steps.len()));
    let mut last = vec![];
    for lane in 0..lanes {
        m.pool = shared.clone();
        m.pool.extend(&own[lane]);
        m.pool.extend(neighbours.iter().map(|&(times, plus)| own[(lane * times + plus) % lanes][0]));
        for (i, &step) in steps.iter().enumerate() {
            m.step(if odd && (lane, i) == (odd_lane, odd_step) {
                (step.0.wrapping_add(1), step.2, step.1, step.3, step.4)
            } else {
                step
            });
        }
        for (&number, &(end, enabled)) in registers[lane].iter().zip(&ends) {
            let next = m.pick(end);
            m.design.set(number, next);
            if enabled {
                let enable = m.condition(end.rotate_left(5));
                m.design.enable(number, enable);
            }
        }
        last.push(match memory {
            Some([address, data, enable, read]) => {
                let (data, enable) = (m.pick(data), m.condition(enable));
                let ram = m.design.memory(m.design.width(data).min(64), 5, None);
                m.design.flat.memories[ram].path = format!("lanes_{lane}.ram");
                let [write, read] = [address, read].map(|step| {
                    let address = m.pick(step);
                    m.design.fit(address, 3, false)
                });
                m.design.write(ram, write, enable, None, data);
                m.design.port(ram, Read::Clocked { address: read, enable })
            }
            None => m.pick(0),
        });
    }
    // Something that takes from all lanes.
    let width = m.design.width(last[0]);
    let (sum, _) = m.design.register(width, None);
    let mut all = m.design.fit(last[0], width, false);
    for &e in &last[1..] {
        let e = m.design.fit(e, width, false);
        all = m.design.binary(Binary::Xor, all, e);
    }
    m.design.set(sum, all);
    m.design.flat
}

#[test]
fn random_lanes_agree_with_the_reference() {
    let cases = some_of(1500);
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let step = (any::<u8>(), any::<u16>(), any::<u16>(), any::<u16>(), any::<u16>());
    let designs = (prop::collection::vec(step, 1..25), 2..14usize, any::<bool>(), any::<u64>());
    let each = std::cell::Cell::new(0);
    let compared = TestRunner::new(config).run(&designs, |(steps, lanes, odd, seed)| {
        let flat = make(seed, lanes, &steps, odd);
        let engine = Native::with_lanes(flat.clone(), 2 + seed as usize % 3);
        each.set(each.get() + engine.lane_count());
        compare(&flat, engine, seed, 25);
        Ok(())
    });
    compared.unwrap_or_else(|e| panic!("{e}"));
    assert!(each.get() > 2 * cases as usize, "{} operations of lanes", each.get());
}

/// As many lanes as are computed together, and numbers around them; all functions of lanes in all sizes.
#[test]
fn many_lanes_agree_with_the_reference() {
    let config = ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() };
    let step = (any::<u8>(), any::<u16>(), any::<u16>(), any::<u16>(), any::<u16>());
    let lanes = prop_oneof![3 => Just(64), 1 => Just(9), 1 => Just(16), 1 => Just(17), 1 => Just(33), 1 => Just(128)];
    let designs = (prop::collection::vec(step, 4..16), lanes, any::<bool>(), any::<u64>());
    let kinds = std::cell::RefCell::new(std::collections::BTreeSet::new());
    let compared = TestRunner::new(config).run(&designs, |(steps, lanes, odd, seed)| {
        let flat = make(seed, lanes, &steps, odd);
        let engine = Native::with_lanes(flat.clone(), 4);
        kinds.borrow_mut().extend(engine.operations().filter(|name| name.starts_with("Each")));
        compare(&flat, engine, seed, 6);
        Ok(())
    });
    compared.unwrap_or_else(|e| panic!("{e}"));
    let kinds = kinds.into_inner();
    assert!(kinds.len() >= 60, "{} functions of lanes: {kinds:?}", kinds.len());
}

/// A field of a narrow register of each lane chooses among other registers, and the lower half of a sum of more than 32
/// bits counts.
#[test]
fn choices_and_lower_halves() {
    for (lanes, value) in [(9, 7), (16, 32), (64, 32), (64, 5), (64, 48), (20, 33)] {
        let mut d = Design::default();
        let mut own: Vec<Vec<(usize, ExprId)>> = vec![];
        for lane in 0..lanes {
            let registers: Vec<_> = [5, value, value, value].map(|width| d.register(width, Some(1))).into();
            for (&(number, _), letter) in registers.iter().zip('a'..) {
                let net = d.flat.registers[number].net;
                d.flat.nets[net.0 as usize].path = format!("lanes_{lane}.{letter}");
            }
            own.push(registers);
        }
        for (lane, registers) in own.iter().enumerate() {
            let (selector, [x, y, z]) = (registers[0].1, [1, 2, 3].map(|i| registers[i].1));
            let field = d.slice(selector, 1, 2);
            let mut chosen = z;
            for (number, e) in [(2u32, x), (0, y), (1, own[(lane + 1) % lanes][1].1)] {
                let number = d.constant(number, 2);
                let equal = d.binary(Binary::Eq, field, number);
                chosen = d.mux(equal, e, chosen);
            }
            let wide = [x, y, z].map(|e| d.fit(e, value + 4, false));
            let sum = d.binary(Binary::Add, wide[0], wide[1]);
            let sum = d.binary(Binary::Sub, sum, wide[2]);
            let carry = d.slice(sum, value, 1);
            let low = d.slice(sum, 0, value);
            let next = d.binary(Binary::Xor, low, chosen);
            let five = d.constant(5u32, 5);
            let step = d.binary(Binary::Add, selector, five);
            let other = d.constant(1u32, 5);
            let turned = d.binary(Binary::Xor, step, other);
            let step = d.mux(carry, turned, step);
            for (&(number, _), e) in registers.iter().zip([step, next, x, chosen]) {
                d.set(number, e);
            }
        }
        let engine = Native::with_lanes(d.flat.clone(), 4);
        assert!(engine.operations().any(|kind| kind.starts_with("Each Choose")), "{lanes} lanes of {value} bits");
        compare(&d.flat, engine, lanes as u64, 40);
    }
}

/// Counters with enables, a sum of neighbours, and one lane that may differ.
fn counters(lanes: usize, width: u32, odd: Option<usize>) -> Flat {
    let mut d = Design::default();
    let (_, step) = d.input(width);
    let registers: Vec<(usize, ExprId)> = (0..lanes).map(|_| d.register(width, Some(1))).collect();
    for (lane, &(number, own)) in registers.iter().enumerate() {
        let (enable_net, enable) = d.input(1);
        d.flat.nets[enable_net.0 as usize].path = format!("lane_{lane}.enable");
        d.flat.nets[d.flat.registers[number].net.0 as usize].path = format!("lane_{lane}.count");
        let sum = d.binary(if odd == Some(lane) { Binary::Sub } else { Binary::Add }, own, step);
        let near = registers[(lane + 1) % lanes].1;
        let next = d.binary(Binary::Xor, sum, near);
        d.set(number, next);
        d.enable(number, enable);
    }
    d.flat
}

#[test]
fn few_lanes_and_all_widths() {
    for width in 1..=64 {
        let flat = counters(3, width, None);
        let engine = Native::with_lanes(flat.clone(), 3);
        assert!(engine.lane_count() >= 2, "{width} bits");
        compare(&flat, engine, 1000 + u64::from(width), 30);
    }
    let flat = counters(3, 65, None);
    let engine = Native::with_lanes(flat.clone(), 3);
    assert_eq!(engine.lane_count(), 0, "no lane is wider than a word");
    compare(&flat, engine, 65, 30);
}

/// The lane that differs is evaluated apart, and nothing else is.
#[test]
fn a_lane_that_differs() {
    let tasks = |odd| Native::with_lanes(counters(32, 20, odd), 8).statistics().tasks;
    let (all, one) = (tasks(None), tasks(Some(13)));
    assert!(all < 12 && one < all + 12, "{all} tasks, {one} with a lane that differs");
    for lane in [0, 13, 31] {
        let flat = counters(32, 20, Some(lane));
        compare(&flat, Native::with_lanes(flat.clone(), 8), lane as u64, 40);
    }
}

/// What the outside does to a register of a lane in the middle of a run, it does to this register only.
#[test]
fn a_register_of_a_lane_is_set_from_outside() {
    let flat = counters(16, 32, None);
    let mut engine = Native::new(flat.clone());
    let nets = flat.inputs.clone();
    engine.set_input(nets[0], &[0]);
    nets[1..].iter().for_each(|&net| engine.set_input(net, &[1]));
    engine.tick(true);
    assert!((0..16).all(|r| engine.register(r) == [1]));
    engine.set_register(5, &[0xff00_0000_1234_5678]);
    assert!((0..16).all(|r| engine.register(r) == [if r == 5 { 0x1234_5678 } else { 1 }]));
    engine.tick(false);
    // Each is combined with its neighbour.
    let expected = |r: usize| if r == 4 || r == 5 { 0x1234_5679 } else { 0 };
    assert!((0..16).all(|r| engine.register(r) == [expected(r)]));
    assert_eq!(engine.value(flat.registers[5].net), [0x1234_5679]);
}

/// Inputs that are set together hold what those hold that are set one by one: in their order or another, with bits
/// above their width, of lanes in elements of every size.
#[test]
fn inputs_of_lanes_are_set_together() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for (lanes, width) in [(9, 1), (33, 5), (64, 8), (64, 20), (40, 32), (17, 33), (64, 64), (4, 8)] {
        let mut d = Design::default();
        let extra = d.input(13);
        for lane in 0..lanes {
            let (net, value) = d.input(width);
            let (number, own) = d.register(width, Some(1));
            d.flat.nets[net.0 as usize].path = format!("lane_{lane}.in");
            d.flat.nets[d.flat.registers[number].net.0 as usize].path = format!("lane_{lane}.sum");
            let added = d.fit(extra.1, width, false);
            let sum = d.binary(Binary::Add, own, value);
            // Bits that do not belong to the input would make it the larger one.
            let larger = d.binary(Binary::Lt, own, value);
            let next = d.mux(larger, added, sum);
            d.set(number, next);
        }
        let mut engines = [(); 2].map(|()| Native::with_lanes(d.flat.clone(), 4));
        engines.iter_mut().for_each(|engine| engine.tick(true));
        let mut inputs = d.flat.inputs.clone();
        for cycle in 0..60 {
            if cycle % 20 == 19 {
                let (one, other) = (rng.random_range(0..inputs.len()), rng.random_range(0..inputs.len()));
                inputs.swap(one, other);
            }
            let values: Vec<u64> = inputs.iter().map(|_| rng.random()).collect();
            engines[0].set_inputs(&inputs, &values);
            inputs.iter().zip(&values).for_each(|(&input, &value)| engines[1].set_input(input, &[value]));
            engines.iter_mut().for_each(|engine| engine.tick(false));
            for register in 0..lanes {
                let [together, apart] = engines.each_ref().map(|engine| engine.register(register).to_vec());
                assert_eq!(together, apart, "{lanes} lanes of {width} bits, cycle {cycle}, lane {register}");
            }
        }
    }
}

/// The amount of a shift, the same in all lanes, was found before a loop in which its place takes something else; a
/// design at random has shown that later turns read that.
#[test]
fn amounts_outlive_their_places() {
    let steps: [Step; 11] = [
        (50, 20867, 3422, 0, 0),
        (0, 17002, 0, 0, 0),
        (24, 27272, 52838, 50167, 31),
        (43, 34116, 21199, 0, 0),
        (158, 0, 0, 0, 0),
        (102, 57902, 46021, 0, 0),
        (163, 3532, 0, 0, 0),
        (0, 18, 0, 0, 0),
        (18, 0, 0, 0, 0),
        (0, 0, 0, 0, 0),
        (231, 21594, 5813, 8783, 0),
    ];
    let seed = 2_358_907_537_766_006_811;
    let flat = make(seed, 64, &steps, true);
    compare(&flat, Native::with_lanes(flat.clone(), 4), seed, 60);
}

/// Inputs of some lanes, at equal distances, that are given together: those between them stay.
#[test]
fn inputs_of_every_other_lane() {
    for (width, apart) in
        [(31, 2), (32, 2), (8, 4), (8, 8), (7, 8), (1, 8), (1, 32), (16, 2), (16, 4), (33, 2), (64, 1)]
    {
        let mut d = Design::default();
        let inputs: Vec<_> = (0..512).map(|_| d.input(width)).collect();
        for (lane, &(net, value)) in inputs.iter().enumerate() {
            d.flat.nets[net.0 as usize].path = format!("lanes_{lane}.a");
            let (number, own) = d.register(width, None);
            d.flat.nets[d.flat.registers[number].net.0 as usize].path = format!("lanes_{lane}.b");
            let next = d.binary(Binary::Xor, own, value);
            d.set(number, next);
        }
        let mut engine = Native::with_lanes(d.flat, 4);
        let mut rng = ChaCha8Rng::seed_from_u64(u64::from(width));
        let mut expected = vec![0; inputs.len()];
        for first in (0..apart).chain(0..apart) {
            let some: Vec<usize> = (first..inputs.len()).step_by(apart).collect();
            let values: Vec<u64> = some.iter().map(|_| rng.random::<u64>() >> (64 - width)).collect();
            some.iter().zip(&values).for_each(|(&lane, &value)| expected[lane] = value);
            engine.set_inputs(&some.iter().map(|&lane| inputs[lane].0).collect::<Vec<_>>(), &values);
            for (lane, (&(net, _), &value)) in inputs.iter().zip(&expected).enumerate() {
                assert_eq!(engine.value(net), [value], "{width} bits, {apart} apart, from {first}, lane {lane}");
            }
        }
    }
}
