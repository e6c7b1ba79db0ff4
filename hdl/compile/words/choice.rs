//! Which program a launch gets: for so many arrays a thread, for its numbers or for all.

use std::panic::resume_unwind;
use std::thread;

use bitline_units::duality::DualityParams;
use bitline_units::duality::params::SLOTS;

use super::costs::Costs;
use super::encode::Encoder;
use super::memory::Addresses;
use super::run::{Compiled, Words, with_spills};
use crate::error::{Result, of_units};
use crate::optimize::{Addressing, Sizes, optimized};
use crate::ptx::ast::{Kernel, Module, WARP};

/// Launches of a kernel with so many different arguments may have programs of their own; the others share one that
/// takes any.
pub const VERSIONS: usize = 16;

/// A program for the numbers of one launch is taken if it takes fewer cycles by more than this part.
const WORTH: u64 = 64;

/// Words of a kernel beyond which one program is made, and not two.
const LARGE: usize = 120;

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
    /// Cycles of another program for the launch: what lacks rows and takes more is not made better.
    pub(super) rival: u64,
}

impl Words<'_> {
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
        let source = Source { module, kernel, addresses, sizes, numbers, rival: u64::MAX };
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
        let Source { kernel, sizes, numbers, .. } = source;
        let (encoder, mut costs) = (Encoder::new(self.params), Costs::new(self.params));
        if let Some(sizes) = sizes.filter(|_| self.turns) {
            let groups = (self.params.banks * SLOTS / arrays) as u64;
            costs = Costs::with_turns(self.params, groups, self.waves(sizes, arrays).1);
        } else if self.port_a_bank {
            costs = Costs::with_port_a_bank(self.params);
        }
        let text_as = |numbers: &[(u64, u32)], form| optimized(kernel, sizes, numbers, form, self.crosses());
        let compile_beside = |numbers: &[(u64, u32)], form: Addressing, tries: u64, rival: u64| {
            let source = Source { kernel: &text_as(numbers, form), numbers, rival, ..source };
            Words { tries, ..self.clone() }.compile_as(source, &encoder, &costs, arrays)
        };
        let compile =
            |numbers: &[(u64, u32)], form: Addressing, tries: u64| compile_beside(numbers, form, tries, u64::MAX);
        // By itself, so that a control block and a unit of many run the same program.
        let cycles =
            |made: &Result<Compiled>| made.as_ref().map_or(u64::MAX, |made| with_spills(made.alone, made.spilled));
        let faster = |own: u64, all: u64| own < all - all / WORTH;
        if self.simple {
            return compile(&[], Addressing::Text, 0);
        }
        // What the order of the text says takes little time: whether addresses are taken apart, and whether numbers are
        // worth it.
        let first = |numbers: &[(u64, u32)]| {
            let [text, apart] = [Addressing::Text, Addressing::Apart].map(|form| text_as(numbers, form));
            let whole = compile(numbers, Addressing::Text, 0);
            let large = whole.as_ref().is_ok_and(|made| made.program.words.len() > LARGE);
            let whole = cycles(&whole);
            let parts = if apart.body == text.body { whole } else { cycles(&compile(numbers, Addressing::Apart, 0)) };
            (whole < parts, parts.min(whole), large)
        };
        // Whether shifts stand before accesses changes how values live, and schedules with that: the better one.
        let best = |numbers: &[(u64, u32)], whole: bool| {
            if whole {
                return compile(numbers, Addressing::Text, self.tries);
            }
            let [apart, scaled] = [Addressing::Apart, Addressing::Scaled].map(|form| text_as(numbers, form));
            if apart.body == scaled.body {
                return compile(numbers, Addressing::Apart, self.tries);
            }
            let tries = self.tries.div_ceil(2);
            // Scaled ones need fewer rows.
            let scaled = compile(numbers, Addressing::Scaled, tries);
            let rival = scaled.as_ref().map_or(u64::MAX, |made| with_spills(made.estimate, made.spilled));
            let apart = compile_beside(numbers, Addressing::Apart, tries, rival);
            if cycles(&apart) < cycles(&scaled) { apart } else { scaled }
        };
        let (whole, all_first, large) = first(&[]);
        let all = || best(&[], whole);
        if numbers.is_empty() {
            return all();
        }
        // Numbers seldom change which form is better. What does not fit without them may fit with them, in either form.
        let (whole, own_first) = if all_first == u64::MAX {
            let (whole, own_first, _) = first(numbers);
            (whole, own_first)
        } else {
            let form = if whole { Addressing::Text } else { Addressing::Apart };
            (whole, cycles(&compile(numbers, form, 0)))
        };
        // What does not fit in the order of the text may in another one.
        if own_first != u64::MAX && !faster(own_first, all_first) {
            return all();
        }
        let clear = large || own_first < all_first - all_first / CLEAR;
        match best(numbers, whole) {
            Ok(own) if clear && own.spilled == 0 => Ok(own),
            own => {
                let all = all();
                if faster(cycles(&own), cycles(&all)) { own } else { all }
            }
        }
    }
}
