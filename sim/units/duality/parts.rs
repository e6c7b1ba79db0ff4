//! Parts of the memory unit alone: sums of floating-point numbers against `rustc_apfloat`, walks over threads against
//! what a launch is.

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use bitline_units::array::isa::format::Mode;
    use bitline_units::duality::DualityParams;
    use bitline_units::duality::blocks::{duality_cta_queue, duality_float_add, duality_threads};
    use bitline_units::duality::isa::Program;
    use bitline_units::duality::isa::codes::Special;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use crate::engine::{Engine, Native, engine};
    use crate::kernel::netlist::{NetId, Netlist};
    use crate::model::duality::Launch;
    use crate::model::duality::interpreter::filling;
    use crate::model::float::{self, Function};

    struct Block {
        engine: Native,
        nets: HashMap<String, NetId>,
    }

    impl Block {
        fn new(netlist: &Netlist) -> Block {
            let mut engine = engine(netlist);
            let design = engine.design();
            let nets = design.inputs.iter().chain(&design.outputs);
            let nets = nets.map(|&net| (design.nets[net.0 as usize].path.clone(), net)).collect();
            design.inputs.clone().into_iter().for_each(|net| engine.set_input(net, &[0]));
            engine.tick(true);
            Block { engine, nets }
        }

        fn set(&mut self, name: &str, value: u64) {
            self.engine.set_input(self.nets[name], &[value]);
        }

        fn get(&mut self, name: &str) -> u64 {
            self.engine.low(self.nets[name])
        }

        fn pulse(&mut self, names: &[&str]) {
            names.iter().for_each(|name| self.set(name, 1));
            self.engine.tick(false);
            names.iter().for_each(|name| self.set(name, 0));
        }
    }

    /// A number of a class that is hard: edges, subnormal, near the other one, or any.
    fn number(rng: &mut ChaCha8Rng, other: u32) -> u32 {
        let edges = [0, 1, 0x7f_ffff, 0x80_0000, 0x3f80_0000, 0x7f7f_ffff, 0x7f80_0000, 0x7fc0_0000, 0x7f80_0001];
        let sign = rng.random::<u32>() & 1 << 31;
        let magnitude = match rng.random_range(0..6) {
            0 => edges[rng.random_range(0..edges.len())],
            1 => rng.random::<u32>() >> rng.random_range(1..32),
            2 => other.wrapping_add(rng.random_range(0..9)).wrapping_sub(4),
            3 => other.wrapping_add(rng.random_range(0..60 << 23)).wrapping_sub(30 << 23),
            4 => (other & 0x7f80_0000).wrapping_sub(rng.random_range(0..27) << 23) | 1 << rng.random_range(0..23),
            _ => rng.random(),
        };
        magnitude & 0x7fff_ffff | sign
    }

    #[test]
    fn duality_sums_of_floats_are_rounded_as_ieee_has_it() {
        let mut block = Block::new(&duality_float_add().expect("legal"));
        let seed = 1;
        println!("seed {seed}");
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut longest = 0;
        for _ in 0..200_000 {
            let small = rng.random_ratio(1, 4);
            let other = rng.random::<u32>() >> if small { 7 } else { 0 };
            let flush = rng.random();
            let a = number(&mut rng, other);
            let b = number(&mut rng, a);
            block.set("a", a.into());
            block.set("b", b.into());
            block.set("flush", u64::from(flush));
            block.pulse(&["start"]);
            let mut cycles = 1;
            while block.get("busy") == 1 {
                block.engine.tick(false);
                cycles += 1;
                assert!(cycles < 100, "{a:#x} + {b:#x}");
            }
            longest = longest.max(cycles);
            let mode = Mode { flush_operands: flush, flush_results: flush, ..Mode::default() };
            let sum = float::evaluate(Function::Add, 26, 8, mode.key(), a.into(), b.into());
            let sum = sum.expect("binary32 is a format");
            assert_eq!(block.get("result"), sum, "{a:#x} + {b:#x}");
            let zero = |x: u32| if flush && x >> 23 & 0xff == 0 { x & 1 << 31 } else { x };
            let host = f32::from_bits(zero(a)) + f32::from_bits(zero(b));
            assert!(host.is_nan() || u64::from(zero(host.to_bits())) == sum, "{a:#x} + {b:#x}: the processor differs");
        }
        assert!((28..=30).contains(&longest), "{longest} cycles at most");
    }

    /// Walks over random launches, several times a wave, meet the threads that a launch fills.
    #[test]
    fn duality_walks_meet_the_threads_of_each_wave() {
        let mut block = Block::new(&duality_threads().expect("legal"));
        let params = DualityParams::preset("tiny").expect("it is there");
        let seed = 2;
        println!("seed {seed}");
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for _ in 0..200 {
            let arrays = [4, 2, 1][rng.random_range(0..3)];
            let threads = params.threads(arrays);
            let x = rng.random_range(1..=threads as u32);
            let y = rng.random_range(1..=threads as u32 / x);
            let z = rng.random_range(1..=threads as u32 / (x * y));
            let (grid, block_of) = ([0; 3].map(|_: u32| rng.random_range(1..5)), [x, y, z]);
            let (shared_bytes, shared_base) = (64 * rng.random_range(0..4), 0x1_0000);
            let launch = Launch { grid, block: block_of, shared_bytes, shared_base, ..Launch::default() };
            let specials = Special::ALL.iter().map(|&special| (special, 0, 4, 21)).collect();
            let program = Program { name: "walk".into(), arrays, specials, lines: vec![], words: vec![] };
            let at_once = threads as u64 / launch.cta();
            for (name, value) in
                [("at_once", at_once), ("shared_base", 0x1_0000), ("shared_bytes", shared_bytes.into())]
            {
                block.set(&format!("launch_{name}"), value);
            }
            for (at, axis) in ["x", "y", "z"].iter().enumerate() {
                block.set(&format!("launch_block_{axis}"), launch.block[at].into());
                block.set(&format!("launch_grid_{axis}"), launch.grid[at].into());
            }
            let total: u64 = grid.iter().map(|&count| u64::from(count)).product();
            for first in (0..total).step_by(at_once as usize) {
                let expected = filling(&program, &launch, threads, first);
                let [nx, ny, _] = grid.map(u64::from);
                for (axis, value) in [("x", first % nx), ("y", first / nx % ny), ("z", first / nx / ny)] {
                    block.set(&format!("wave_{axis}"), value);
                }
                block.pulse(&["wave"]);
                // From now on that is of no account.
                block.set("wave_x", 7);
                for _ in 0..rng.random_range(1..4) {
                    block.pulse(&["first"]);
                    for (number, expected) in expected.iter().enumerate() {
                        assert_eq!(block.get("number"), number as u64);
                        assert_eq!(block.get("there") == 1, expected.is_some(), "{launch:?}, thread {number}");
                        if let Some((cta, values)) = expected {
                            let window = u64::from(shared_base + cta * shared_bytes);
                            assert_eq!(block.get("window"), window, "{launch:?}, thread {number}");
                            for (special, &value) in Special::ALL.iter().zip(values) {
                                block.set("special", special.code());
                                assert_eq!(block.get("value"), value, "{launch:?}, thread {number}: {special}");
                            }
                        }
                        block.pulse(&["step"]);
                    }
                }
                // A walk that stays in the middle changes nothing of what comes next.
                block.pulse(&["first"]);
                (0..rng.random_range(0..threads)).for_each(|_| block.pulse(&["step"]));
            }
        }
    }

    /// Waves follow each other through random grids, at any speed, until no CTA is left.
    #[test]
    fn duality_waves_of_a_grid_follow_each_other() {
        let mut queue = Block::new(&duality_cta_queue().expect("legal"));
        let seed = 3;
        println!("seed {seed}");
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for _ in 0..300 {
            let grid = [0; 3].map(|_: u64| rng.random_range(1..7));
            let at_once = rng.random_range(1..30);
            for (axis, count) in ["x", "y", "z"].iter().zip(grid) {
                queue.set(&format!("grid_{axis}"), count);
            }
            queue.set("at_once", at_once);
            queue.pulse(&["restart"]);
            let total: u64 = grid.iter().product();
            let begun = (0..total).step_by(at_once as usize).take(rng.random_range(1..40));
            for first in begun.clone() {
                let cycles = (0..=at_once).find(|_| {
                    let valid = queue.get("valid") == 1;
                    assert_eq!(queue.get("over"), 0, "{grid:?}, {at_once}: CTA {first} is left");
                    (!valid).then(|| queue.engine.tick(false));
                    valid
                });
                assert!(cycles.is_some(), "{grid:?}, {at_once}: CTA {first} is offered");
                (0..rng.random_range(0..3)).for_each(|_| queue.engine.tick(false));
                let at = ["x", "y", "z"].map(|axis| queue.get(axis));
                let expected = [first % grid[0], first / grid[0] % grid[1], first / grid[0] / grid[1]];
                assert_eq!(at, expected, "{grid:?}, {at_once}: CTA {first}");
                queue.pulse(&["take"]);
            }
            // A launch that is ended goes no further: the next one begins anew.
            if begun.last().is_some_and(|first| first + at_once >= total) {
                (0..=at_once).for_each(|_| queue.engine.tick(false));
                assert_eq!((queue.get("valid"), queue.get("over")), (0, 1), "{grid:?}, {at_once}: no CTA is left");
            }
        }
    }
}
