//! Kernels written by hand in assembler (`examples/duality`), with data from a seed, and what plain Rust computes from
//! these data. Numbers of threads and sizes follow the control block; the last CTA, and the last wave, are never full.

use bitline_units::duality::DualityParams;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::model::duality::{FlatMemory, Launch};

mod floats;
mod integers;

/// A kernel.
pub struct Kernel {
    /// Its name, which is that of its program.
    pub name: &'static str,
    /// The program.
    pub text: &'static str,
    /// What it computes.
    pub what: &'static str,
    make: fn(&mut Setup) -> Task,
}

/// What a kernel runs on, and what must come out.
pub struct Task {
    /// Memory before.
    pub memory: FlatMemory,
    /// Launches, one after the other.
    pub launches: Vec<Launch>,
    /// Address and contents of what it writes.
    pub expected: Vec<(u32, Vec<u32>)>,
    /// Sizes of the data.
    pub size: String,
}

macro_rules! kernels {
    ($($name:ident $make:path, $what:literal;)+) => {
        /// Every kernel.
        pub const KERNELS: &[Kernel] = &[$(Kernel {
            name: stringify!($name),
            text: include_str!(concat!("programs/", stringify!($name), ".dcs")),
            what: $what,
            make: $make,
        }),+];
    };
}

kernels! {
    vecadd integers::vecadd, "sums of two vectors of integers";
    pathfinder integers::pathfinder, "cheapest ways through a grid, row by row in the shared window";
    bfs integers::bfs, "breadth-first search: scatter, loops as long as a node has edges";
    histogram integers::histogram, "counts of bytes by atomic additions";
    nn floats::nn, "squared distances to one place, binary32";
    gaussian floats::gaussian, "the updates of a Gaussian elimination, binary32; multipliers from the host";
    backprop floats::backprop, "a layer of a network with a rectifier, binary32";
    hotspot floats::hotspot, "a step of heat on a chip, binary32";
    matmul floats::matmul, "product of two matrices, tiles in the shared window, binary32";
}

impl Kernel {
    /// Data and results from a seed, for a control block.
    pub fn task(&self, params: &DualityParams, seed: u64) -> Task {
        self.task_at(params, seed, PLACES)
    }

    /// The same with vectors and shared windows at these places.
    pub fn task_at(&self, params: &DualityParams, seed: u64, places: Places) -> Task {
        let threads = params.threads(4) as u32;
        (self.make)(&mut Setup { rng: ChaCha8Rng::seed_from_u64(seed), threads, places })
    }
}

/// Where data come from.
struct Setup {
    rng: ChaCha8Rng,
    /// Threads of the control block.
    threads: u32,
    /// Where everything lies.
    places: Places,
}

/// Where things lie that a kernel needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    /// Vectors.
    pub vectors: [u32; 4],
    /// Shared windows.
    pub shared: u32,
}

/// Far enough apart for any of them.
const PLACES: Places = Places { vectors: [0x0010_0000, 0x0030_0000, 0x0050_0000, 0x0070_0000], shared: 0x0100_0000 };

impl Places {
    /// One after the other from an address on, so many bytes apart.
    pub fn close(base: u32, apart: u32) -> Places {
        Places { vectors: [0, 1, 2, 3].map(|at| base + at * apart), shared: base + 4 * apart }
    }
}

impl Setup {
    /// Threads of a CTA: a quarter of the control block, so that some fit.
    fn cta(&self) -> u32 {
        self.threads / 4
    }

    /// Elements that leave the last CTA and the last wave partly empty.
    fn elements(&self) -> u32 {
        2 * self.threads + self.cta() + 3
    }

    fn integers(&mut self, count: u32, below: u32) -> Vec<u32> {
        (0..count).map(|_| self.rng.random_range(0..below)).collect()
    }

    /// Numbers of moderate size, both signs.
    fn numbers(&mut self, count: u32) -> Vec<f32> {
        (0..count).map(|_| self.rng.random_range(-64.0f32..64.0)).collect()
    }

    /// A launch of enough CTAs of a dimension for so many elements.
    fn line(&self, elements: u32, parameters: Vec<u32>) -> Launch {
        let (grid, block) = ([elements.div_ceil(self.cta()), 1, 1], [self.cta(), 1, 1]);
        Launch { grid, block, parameters, ..Launch::default() }
    }
}

fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::duality::figures::{Figures, run, run_hardware};
    use crate::units::duality::hardware::Hardware;
    use crate::units::duality::machine::Mode;
    use crate::units::duality::memory_side::Timing;

    /// Every kernel on every preset's control block: memory is what plain Rust says.
    #[test]
    fn duality_kernels_compute_what_plain_rust_does() {
        for name in ["tiny", "small", "cb"] {
            let params = DualityParams::preset(name).expect("it is there");
            for kernel in KERNELS {
                for seed in [1, 2] {
                    let figures: Figures =
                        run(kernel, &params, seed).unwrap_or_else(|e| panic!("{}: {e}", kernel.name));
                    println!("{name} {} seed {seed}: {:?}", kernel.name, figures.words);
                    assert!(figures.correct, "{name} {} seed {seed}", kernel.name);
                    assert!(figures.mask_rows_left.is_empty(), "{name} {}: {:?}", kernel.name, figures.mask_rows_left);
                    assert!(figures.words.compute > 0 && figures.accesses > 0);
                }
            }
        }
    }

    /// Every kernel on the smallest hardware, in lock step with its model, in both modes.
    #[test]
    fn duality_kernels_run_on_hardware() {
        let params = DualityParams::preset("tiny").expect("it is there");
        let timing = Timing { port_a_bank: false, latency: 8 };
        let mut hardware = Hardware::block(&params, 1, timing).expect("legal");
        for kernel in KERNELS {
            for mode in [Mode::Lockstep, Mode::Decoupled] {
                let figures = run_hardware(kernel, &mut hardware, &params, 1, mode)
                    .unwrap_or_else(|e| panic!("{}: {e}", kernel.name));
                println!("{} {:?}", kernel.name, figures.took);
                assert!(figures.correct, "{} {mode:?}", kernel.name);
            }
        }
    }

    /// A wrong program is noticed: one word less, wherever it is, or a trap.
    #[test]
    fn duality_a_missing_word_is_noticed() {
        let params = DualityParams::preset("tiny").expect("it is there");
        let kernel = KERNELS.iter().find(|kernel| kernel.name == "vecadd").expect("it is there");
        let lines: Vec<&str> = kernel.text.lines().collect();
        let words = lines.iter().enumerate().filter(|(_, line)| line.starts_with("    ") && !line.contains("end"));
        let mut noticed = 0;
        for (at, _) in words {
            let text: Vec<&str> = lines.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, line)| *line).collect();
            let text: &'static str = Box::leak(text.join("\n").into_boxed_str());
            let damaged = Kernel { name: kernel.name, text, what: kernel.what, make: kernel.make };
            let wrong = run(&damaged, &params, 1).map_or(true, |figures| !figures.correct);
            assert!(wrong, "without {:?}", lines[at]);
            noticed += 1;
        }
        assert_eq!(noticed, 10);
    }
}
