//! The accesses of threads alone: places are noted, threads have their turns, and all of them end.

use bitline_units::duality::isa::codes::MemoryOp;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{design, play};
use crate::model::duality::memory::access::{Access, AccessInputs, AccessOutputs, Request};
use crate::model::duality::memory::look::Place;

/// What is done with the accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plays {
    /// Places and data are noted, and lines asked for.
    Notes,
    /// So many threads have their turns.
    Turns(u16),
    /// All of them end.
    Ends,
}

#[test]
fn duality_accesses_follow_each_other() {
    for (columns, banks, seed) in [(8, 1, 13), (64, 3, 14)] {
        let params = design(columns, banks);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let places = (0..Access::places(&params)).map(|_| rng.random::<u64>() >> 29).collect();
        let model = Access::new(&params, places, (0..columns).map(|_| rng.random()).collect());
        let (mut word, mut last) = (AccessInputs::default(), AccessInputs::default());
        let (mut plays, mut waiting) = (Plays::Notes, 0u32);
        let (mut goes, mut asked) = ([0u64; MemoryOp::ALL.len()], [0u64; 4]);
        play("access", &params, model, (seed, 100_000), |rng, _: &Access, shown: Option<AccessOutputs>| {
            let mut turned = false;
            if let Some(shown) = shown {
                if let Some(request) = shown.request.filter(|_| last.ready) {
                    let kind = match request {
                        Request::Hint(_) => 0,
                        Request::Read(_, locks) => 1 + usize::from(locks),
                        Request::Write(..) => 3,
                    };
                    waiting += u32::from(kind > 0);
                    asked[kind] += 1;
                }
                turned = shown.goes.is_some();
                goes[last.op.code() as usize] += u64::from(shown.goes == Some(true));
                plays = match plays {
                    Plays::Turns(1) if turned => Plays::Ends,
                    Plays::Turns(left) => Plays::Turns(left - u16::from(turned)),
                    Plays::Ends if shown.empty => Plays::Notes,
                    plays => plays,
                };
                let kept = last.keep && last.data.is_some();
                word.column = (word.column + u16::from(turned || kept)) % columns as u16;
            } else {
                (plays, waiting, word.column) = (Plays::Notes, 0, 0);
            }
            let mut inputs = AccessInputs { ready: rng.random_range(0..4) > 0, noise: rng.random(), ..word };
            if waiting > 0 && rng.random() {
                waiting -= 1;
                let line = std::array::from_fn(|_| [0, rng.random()][rng.random_range(0..2)]);
                inputs.answer = Some((line, rng.random_ratio(1, 100)));
            }
            let place = |rng: &mut ChaCha8Rng, log_bytes: u8| {
                let from = [0x1000, rng.random::<u32>() >> 1][usize::from(rng.random_ratio(1, 8))];
                let address = (from + rng.random_range(0..128)) & !((1 << log_bytes) - 1);
                Place { address, part: rng.random_range(0..8) > 0, window: rng.random(), same: rng.random() }
            };
            match plays {
                Plays::Notes if rng.random_ratio(1, 24) => {
                    let op = MemoryOp::ALL[rng.random_range(0..MemoryOp::ALL.len())];
                    let op = if rng.random_ratio(1, 3) { MemoryOp::Load } else { op };
                    word = AccessInputs {
                        op,
                        log_bytes: match op {
                            MemoryOp::FAdd => 2,
                            op if op.is_atomic() => rng.random_range(2..4),
                            _ => rng.random_range(0..4),
                        },
                        extends: !op.is_atomic() && rng.random(),
                        last: rng.random_range(0..64),
                        ..AccessInputs::default()
                    };
                    let AccessInputs { ready, noise, answer, .. } = inputs;
                    inputs = AccessInputs { ready, noise, answer, first: true, ..word };
                    word.direct = op == MemoryOp::Load && rng.random();
                    plays = Plays::Turns(rng.random_range(1..40));
                }
                Plays::Notes => {
                    inputs.direct = false;
                    inputs.note = rng.random::<bool>().then(|| (rng.random_range(0..40), place(rng, 3)));
                    inputs.hint = rng.random_ratio(1, 4).then(|| rng.random());
                    inputs.keep = rng.random();
                    let some = [0, rng.random::<u32>().into()][rng.random_range(0..2)];
                    inputs.data = rng.random::<bool>().then_some(some);
                }
                Plays::Turns(_) => {
                    inputs.active = !word.direct;
                    inputs.offered = (word.direct && rng.random()).then(|| place(rng, word.log_bytes));
                    // Data are 0 above their bits.
                    let top = if word.op.is_atomic() { (8 << word.log_bytes) - 1 } else { word.last };
                    let bits = u64::MAX >> (63 - top);
                    inputs.data = (rng.random_range(0..4) > 0).then(|| rng.random::<u64>() & bits);
                    // Data stay until they are taken, and so does a place.
                    if last.active && !turned {
                        inputs.data = last.data.or(inputs.data);
                    } else if last.direct && !turned {
                        inputs.offered = last.offered.or(inputs.offered);
                    }
                    // One that is refused is told late.
                    let waits = last.direct && last.offered.is_some() && !turned;
                    let told = waits && !last.asks;
                    inputs.asks = inputs.offered.is_some_and(|place| place.part) || !told && rng.random();
                }
                Plays::Ends => inputs.direct = false,
            }
            last = inputs;
            inputs
        });
        println!("{goes:?} {asked:?}");
        assert!(goes.iter().chain(&asked).all(|&count| count > 0), "{goes:?} {asked:?}");
    }
}
