//! Which program a launch gets: for so many arrays a thread, for its numbers or for all.

use std::cell::OnceCell;
use std::panic::resume_unwind;
use std::sync::mpsc;
use std::thread;

use bitline_units::duality::DualityParams;
use bitline_units::duality::params::SLOTS;

use super::costs::Costs;
use super::encode::Encoder;
use super::memory::Addresses;
use super::run::{Compiled, Words, with_spills};
use crate::error::{Result, of_units};
use crate::optimize::{Addressing, Given, Sizes, optimized};
use crate::ptx::ast::{Kernel, Module, WARP};

/// Launches of a kernel with so many different arguments may have programs of their own; the others share one that
/// takes any.
pub const VERSIONS: usize = 16;

/// A program for the numbers of one launch is taken if it takes fewer cycles by more than this part.
const WORTH: u64 = 64;

/// Words of a kernel beyond which one program is made, and not two.
const LARGE: u64 = 120;

/// One is made, too, if by the order of the text it takes fewer cycles by more than this part than the other, or not as
/// many fewer as would be worth it.
const CLEAR: u64 = 40;

/// What is compiled, and for which launches.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) module: &'a Module,
    pub(super) kernel: &'a Kernel,
    pub(super) addresses: &'a Addresses,
    /// Of launches of any size there are none.
    pub(super) sizes: Option<&'a Sizes>,
    /// What the program may take for granted.
    pub(super) numbers: &'a [(u64, u32)],
}

impl Words<'_> {
    /// A kernel as words, for a launch with these parameters: as [`Words::compile`], and where a parameter of 64 bits
    /// is more than programs take for granted, with all of its bits.
    ///
    /// # Errors
    ///
    /// As [`Words::compile`].
    pub(crate) fn compile_with(
        &self,
        (module, kernel): (&Module, &Kernel),
        addresses: &Addresses,
        sizes: &Sizes,
        numbers: &[(u64, u32)],
        parameters: &[u8],
    ) -> Result<Compiled> {
        let compiled = self.compile(module, kernel, addresses, Some(sizes), numbers)?;
        let wider: Vec<u64> = compiled.wider(parameters).collect();
        if wider.is_empty() {
            return Ok(compiled);
        }
        let all = Words { all: [&self.all[..], &wider].concat(), ..self.clone() };
        all.compile_with((module, kernel), addresses, sizes, numbers, parameters)
    }

    /// A kernel as words, for launches of these sizes, if they are given and it is not to be for any, with these
    /// numbers as arguments.
    ///
    /// # Errors
    ///
    /// An instruction, or control flow, that words do not have, with its line; more rows, scalar registers or words of
    /// a loop than the design has, with how many it takes.
    pub fn compile(
        &self,
        module: &Module,
        kernel: &Kernel,
        addresses: &Addresses,
        sizes: Option<&Sizes>,
        numbers: &[(u64, u32)],
    ) -> Result<Compiled> {
        let numbers = if self.arguments && !self.simple && !self.general { numbers } else { &[] };
        let sizes = sizes.filter(|_| !self.general);
        let source = Source { module, kernel, addresses, sizes, numbers };
        let mut found: Option<(u64, Compiled)> = None;
        let mut refused = None;
        let choices = self.choices(sizes)?;
        let made = thread::scope(|scope| {
            let make = |&arrays: &usize| scope.spawn(move || (arrays, self.compile_for(source, arrays)));
            let makers: Vec<_> = choices.iter().map(make).collect();
            let done = makers.into_iter().map(|maker| maker.join().unwrap_or_else(|panic| resume_unwind(panic)));
            done.collect::<Vec<_>>()
        });
        for (arrays, made) in made {
            match made {
                Ok(compiled) => {
                    let waves = sizes.map_or(1, |sizes| self.waves(sizes, arrays).0);
                    let cycles = compiled.estimate.saturating_mul(waves);
                    if found.as_ref().is_none_or(|best| cycles < best.0) {
                        found = Some((cycles, compiled));
                    }
                }
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        found.map(|best| best.1).ok_or_else(|| refused.expect("there is a choice"))
    }

    /// Numbers of arrays that a thread may have.
    fn choices(&self, sizes: Option<&Sizes>) -> Result<Vec<usize>> {
        if let Some(arrays) = self.arrays {
            DualityParams::check_arrays(arrays).map_err(of_units)?;
            return Ok(vec![arrays]);
        }
        let Some(sizes) = sizes.filter(|_| !self.simple) else { return Ok(vec![1]) };
        let threads: u64 = sizes.block.iter().map(|size| u64::from(*size)).product();
        let room = |arrays: &usize| *arrays == 1 || threads <= self.params.threads(*arrays) as u64;
        Ok([1, 2, 4].into_iter().filter(room).collect())
    }

    /// How often a control block is filled in launches of these sizes, and with how many threads at most.
    pub(super) fn waves(&self, sizes: &Sizes, arrays: usize) -> (u64, u64) {
        let product = |sizes: [u32; 3]| sizes.iter().map(|size| u64::from(*size)).product::<u64>();
        let (threads, grid) = (product(sizes.block).max(1), product(sizes.grid));
        let at_once = (self.params.threads(arrays) as u64 / threads).max(1);
        let own = grid.div_ceil(self.blocks.max(1));
        (grid.div_ceil(at_once).div_ceil(self.blocks.max(1)), threads * own.min(at_once))
    }

    /// Whether a crossbar joins the threads of a warp: those of a bank are no fewer.
    fn crosses(&self) -> bool {
        self.params.crossbar > 0 && self.params.columns >= WARP as usize
    }

    /// A program for the launch's numbers, if that is well worth it, else one for all: other launches can have it, too.
    fn compile_for(&self, source: Source<'_>, arrays: usize) -> Result<Compiled> {
        let mut costs = Costs::new(self.params);
        if let Some(sizes) = source.sizes.filter(|_| self.turns) {
            let groups = (self.params.banks * SLOTS / arrays) as u64;
            costs = Costs::with_turns(self.params, groups, self.waves(sizes, arrays).1);
        } else if self.port_a_bank {
            costs = Costs::with_port_a_bank(self.params);
        }
        let maker = Maker { words: self, source, arrays, encoder: Encoder::new(self.params), costs };
        maker.chosen()
    }
}

/// Makes programs of a kernel for so many arrays a thread. What it has learned of words it keeps.
#[derive(Clone)]
struct Maker<'a> {
    words: &'a Words<'a>,
    source: Source<'a>,
    arrays: usize,
    encoder: Encoder,
    costs: Costs,
}

/// What the order of the text says of a kernel, in little time.
struct First {
    /// Whether its addresses are better not taken apart.
    whole: bool,
    /// Cycles of the better form.
    cycles: u64,
    /// Whether it has so many words that one program is made.
    large: bool,
}

/// Cycles of a program by itself, so that a control block and a unit of many run the same one.
fn cycles(made: &Result<Compiled>) -> u64 {
    made.as_ref().map_or(u64::MAX, |made| with_spills(made.alone, made.spilled))
}

/// Words of a program, if there is one.
fn words(made: &Result<Compiled>) -> u64 {
    made.as_ref().map_or(0, |made| made.program.words.len() as u64)
}

/// Whether a program for one launch is worth it.
fn faster(own: u64, all: u64) -> bool {
    own < all - all / WORTH
}

impl Maker<'_> {
    /// The kernel with its addresses in this form.
    fn text(&self, numbers: &[(u64, u32)], form: Addressing) -> Kernel {
        let Source { module, kernel, sizes, .. } = self.source;
        let given = Given { address_bits: module.address_size, sizes, numbers, all: &self.words.all };
        optimized(kernel, given, form, self.words.crosses())
    }

    /// What lacks rows and takes more cycles than `rival` is not made better.
    fn compile_beside(
        &self,
        numbers: &[(u64, u32)],
        kernel: &Kernel,
        tries: u64,
        rival: &dyn Fn() -> u64,
    ) -> Result<Compiled> {
        let source = Source { kernel, numbers, ..self.source };
        Words { tries, ..self.words.clone() }.compile_as(source, &self.encoder, &self.costs, self.arrays, rival)
    }

    fn compile(&self, numbers: &[(u64, u32)], kernel: &Kernel, tries: u64) -> Result<Compiled> {
        self.compile_beside(numbers, kernel, tries, &|| u64::MAX)
    }

    /// Two programs at the same time; the second one's cycles are the first one's rival.
    fn both(&self, numbers: &[(u64, u32)], kernels: [&Kernel; 2], tries: u64) -> [Result<Compiled>; 2] {
        let other = self.clone();
        let (ended, ends) = mpsc::channel();
        thread::scope(|scope| {
            let other = scope.spawn(move || {
                let made = other.compile(numbers, kernels[1], tries);
                // Nobody asks, if the first one does not lack rows.
                let _ = ended.send(made.as_ref().map_or(u64::MAX, |made| with_spills(made.estimate, made.spilled)));
                made
            });
            let rival = OnceCell::new();
            let asked = || *rival.get_or_init(|| ends.recv().unwrap_or(u64::MAX));
            let one = self.compile_beside(numbers, kernels[0], tries, &asked);
            [one, other.join().unwrap_or_else(|panic| resume_unwind(panic))]
        })
    }

    fn first(&self, numbers: &[(u64, u32)]) -> First {
        let [text, apart] = [Addressing::Text, Addressing::Apart].map(|form| self.text(numbers, form));
        let [whole, parts, large] = if apart.body == text.body {
            let one = self.compile(numbers, &text, 0);
            [cycles(&one), cycles(&one), words(&one)]
        } else {
            let [whole, parts] = self.both(numbers, [&text, &apart], 0);
            [cycles(&whole), cycles(&parts), words(&whole)]
        };
        First { whole: whole < parts, cycles: parts.min(whole), large: large > LARGE }
    }

    /// Whether shifts stand before accesses changes how values live, and schedules with that: the better one.
    fn best(&self, numbers: &[(u64, u32)], whole: bool) -> Result<Compiled> {
        let tries = self.words.tries;
        if whole {
            return self.compile(numbers, &self.text(numbers, Addressing::Text), tries);
        }
        let [apart, scaled] = [Addressing::Apart, Addressing::Scaled].map(|form| self.text(numbers, form));
        if apart.body == scaled.body {
            return self.compile(numbers, &apart, tries);
        }
        let [apart, scaled] = self.both(numbers, [&apart, &scaled], tries.div_ceil(2));
        if cycles(&apart) < cycles(&scaled) { apart } else { scaled }
    }

    fn chosen(&self) -> Result<Compiled> {
        let numbers = self.source.numbers;
        if self.words.simple {
            return self.compile(&[], &self.text(&[], Addressing::Text), 0);
        }
        let all_first = self.first(&[]);
        let all = || self.best(&[], all_first.whole);
        if numbers.is_empty() {
            return all();
        }
        // Numbers seldom change which form is better. What does not fit without them may fit with them, in either form.
        let own_first = if all_first.cycles == u64::MAX {
            self.first(numbers)
        } else {
            let form = if all_first.whole { Addressing::Text } else { Addressing::Apart };
            First { cycles: cycles(&self.compile(numbers, &self.text(numbers, form), 0)), ..all_first }
        };
        // What does not fit in the order of the text may in another one.
        if own_first.cycles != u64::MAX && !faster(own_first.cycles, all_first.cycles) {
            return all();
        }
        let clear = all_first.large || own_first.cycles < all_first.cycles - all_first.cycles / CLEAR;
        match self.best(numbers, own_first.whole) {
            Ok(own) if clear && own.spilled == 0 => Ok(own),
            own => {
                let all = all();
                if faster(cycles(&own), cycles(&all)) { own } else { all }
            }
        }
    }
}
