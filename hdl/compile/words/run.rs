//! From a kernel to a program.

use bitline_units::duality::DualityParams;
use bitline_units::duality::isa::Program;
use bitline_units::duality::params::SCALARS;

use super::bound::Bound;
use super::choice::Source;
use super::climb::CHANGED;
use super::constants::{self, Numbers};
use super::costs::Costs;
use super::encode::{Anywhere, Encoder};
use super::estimate::estimate;
use super::piece::{self, Piece};
use super::placed::Placed;
use super::policy::Policy;
use super::program::loops_fit;
use super::rows::{Allotment, needed};
use super::select::Select;
use super::sketch::Sketch;
use super::spread::Spread;
use super::{Analysis, Rule, widths};
use crate::error::{Error, Result};
use crate::ptx::lower::Lower;

/// What a launch puts into a scalar register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// The four bytes of the kernel's parameters from this offset on.
    Word(u64),
    /// Threads of a block: x, y or z.
    Block(usize),
    /// Blocks of the grid: x, y or z.
    Grid(usize),
}

/// A kernel as words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    /// The program.
    pub program: Program,
    /// What the launch puts into scalar registers, from 0 on.
    pub parameters: Vec<Parameter>,
    /// What the program takes for granted of the launch: words of the parameter space.
    pub numbers: Numbers,
    /// What else it takes for granted: parameters of 64 bits that are no more than that, by their offsets.
    pub lower: Vec<(u64, Lower)>,
    /// Rows of an array that it uses.
    pub rows: u64,
    /// Scalar registers that it uses.
    pub scalars: u64,
    /// Spill rows that it uses.
    pub spilled: u64,
    /// Bytes of shared memory that it uses for the local memory of each thread.
    pub frame: u64,
    /// Cycles of a wave, as the compiler takes it: each block once, those of loops eight times for each loop.
    pub estimate: u64,
    /// The same on a control block by itself, where words of memory take no turns.
    pub alone: u64,
    /// What no schedule of its words can beat, piece by piece.
    pub bound: Bound,
    /// Pieces without jumps, as a schedule sees them, with that of the program.
    pub pieces: Vec<Piece>,
    /// Which line of the selection each word is.
    pub(super) origins: Vec<Option<usize>>,
}

impl Compiled {
    /// Whether it is for launches with these arguments, as they are in the parameter space.
    #[must_use]
    pub fn suits(&self, parameters: &[u8]) -> bool {
        self.numbers.iter().all(|(offset, number)| word(parameters, *offset) == *number)
            && self.wider(parameters).next().is_none()
    }

    /// Offsets of arguments that are more than the program takes them for.
    pub(super) fn wider(&self, parameters: &[u8]) -> impl Iterator<Item = u64> {
        let long = |offset: u64| u64::from(word(parameters, offset + 4)) << 32 | u64::from(word(parameters, offset));
        self.lower.iter().filter(move |(offset, kind)| !kind.holds(long(*offset))).map(|lower| lower.0)
    }
}

/// A word of the parameter space.
pub(super) fn word(parameters: &[u8], offset: u64) -> u32 {
    let bytes = parameters.iter().skip(offset as usize).take(4).rev();
    bytes.fold(0, |value, byte| value << 8 | u32::from(*byte))
}

/// The compiler for a design.
#[derive(Clone, Debug)]
pub struct Words<'p> {
    /// The design.
    pub params: &'p DualityParams,
    /// Seed of what rows hold at power-up.
    pub seed: u64,
    /// Programs are for launches of any size, and not for that of the launch at hand.
    pub general: bool,
    /// Programs are for the arguments of the launch at hand, as far as they are numbers: products by them and bounds
    /// that follow from them take fewer cycles. Not so for launches of any size, and where words are in the order of
    /// the text.
    pub arguments: bool,
    /// Arrays of a thread: 1, 2 or 4; without a number, as many as take the fewest cycles by the compiler's estimate.
    pub arrays: Option<usize>,
    /// Control blocks that share the waves of a launch, by which the number of arrays is chosen.
    pub blocks: u64,
    /// Words of memory take a turn for each thread, as in a whole unit; else the time of their rows alone, as on a
    /// control block by itself.
    pub turns: bool,
    /// On a control block by itself every bank has a port to memory; else one is for all.
    pub port_a_bank: bool,
    /// Words are in the order of the text, all in one array.
    pub simple: bool,
    /// Schedules that are tried with choices at random, for several arrays a thread. With none, words are in the order
    /// of the text.
    pub tries: u64,
    /// Offsets of parameters of 64 bits that are to be taken with all of their bits. Of others that addresses are made
    /// of, a program takes it for granted that they are pointers into memory or have 32 bits with their sign, and no
    /// launch with others gets it.
    pub all: Vec<u64>,
    /// Every program is held against the selection that it comes from, which takes longer than the compiler.
    pub checked: bool,
    /// A rule that is left out, for tests.
    pub without: Option<Rule>,
}

impl<'p> Words<'p> {
    /// The compiler for a design, with all its rules.
    #[must_use]
    pub fn new(params: &'p DualityParams) -> Words<'p> {
        let (general, simple, checked) = (false, false, false);
        let (seed, blocks, turns, tries) = (1, 1, true, 16);
        let (arguments, port_a_bank, arrays, without) = (true, false, None, None);
        let all = Vec::new();
        Words {
            params,
            seed,
            general,
            arguments,
            arrays,
            blocks,
            turns,
            port_a_bank,
            simple,
            tries,
            all,
            checked,
            without,
        }
    }

    /// An optimized kernel as words.
    pub(super) fn compile_as(
        &self,
        source: Source<'_>,
        encoder: &Encoder,
        costs: &Costs,
        arrays: usize,
        rival: &dyn Fn() -> u64,
    ) -> Result<Compiled> {
        let Source { module, kernel, addresses, sizes, numbers } = source;
        // Values that could be scalar registers, but for which there are none left.
        let mut in_rows = Vec::new();
        loop {
            let analysis = Analysis::of(module, kernel, &in_rows, self.without)?;
            let known = constants::of(kernel, &analysis.webs, numbers);
            let selected = |widths: Vec<u64>| -> Result<Select<'_>> {
                let mut select = Select::new(module, kernel, &analysis, addresses, encoder, self.without);
                (select.sizes, select.widths, select.numbers) = (sizes.copied(), widths, known.clone());
                select.kernel()?;
                if !self.simple {
                    select.fold_addresses();
                }
                Ok(select)
            };
            let mut select = selected(Vec::new())?;
            let mut text = None;
            let narrow = sizes.filter(|_| !self.simple).map(|sizes| widths::of(kernel, &analysis, sizes, &known));
            let narrow = narrow.map(selected).transpose()?;
            // Schedules take long, and none has fewer words.
            loops_fit(&select, self.params)
                .or_else(|error| narrow.as_ref().map_or(Err(error), |narrow| loops_fit(narrow, self.params)))?;
            // Narrow values are fewer rows, but have to be extended where they meet others.
            if let Some(narrow) = narrow {
                let [own, plain] = [&narrow, &select].map(|it| self.placed(it.clone(), encoder, costs, arrays));
                let legal =
                    |placed: &Result<Placed<'_>>| placed.as_ref().is_ok_and(|it| self.program(it, arrays).is_ok());
                let cycles = |placed: &Result<Placed<'_>>| placed.as_ref().map_or(u64::MAX, |it| it.estimate);
                let narrower = if cycles(&own) < cycles(&plain) { legal(&own) } else { !legal(&plain) && legal(&own) };
                text = Some(if self.without.is_some() || narrower {
                    select = narrow;
                    own
                } else {
                    plain
                });
            }
            let (refused, mut found) = match text.unwrap_or_else(|| self.placed(select.clone(), encoder, costs, arrays))
            {
                Ok(text) => (None, vec![(text, select.clone())]),
                Err(error) => {
                    let rows = self.params.rows as u64;
                    let allotment = Allotment::of(&select, encoder, arrays as u64, rows, self.without)?;
                    if allotment.scalars > SCALARS as u64 {
                        let Some(value) = select.longest(&analysis) else {
                            let rule = format!("{} needs so many; there are {SCALARS}", kernel.name);
                            return Err(Error::parameter("scalar registers", allotment.scalars, rule));
                        };
                        in_rows.push(value);
                        continue;
                    }
                    (Some(error), Vec::new())
                }
            };
            if !self.simple && self.tries > 0 {
                let sketches = Sketch::of(&select, encoder, costs, &needed(&select, self.without).lines);
                found.extend(self.spreads(&select, &sketches, encoder, costs, arrays, rival));
            }
            if self.without.is_some_and(Rule::is_of_schedules) {
                found.reverse();
            } else {
                found.sort_by_key(|one| with_spills(one.0.estimate, one.0.spilled));
            }
            return self
                .first_legal(&select, found, refused, costs, arrays)
                .map(|compiled| Compiled { numbers: numbers.to_vec(), ..compiled });
        }
    }

    /// The first of these that is a legal program; else why there is none.
    fn first_legal<'k>(
        &self,
        text: &Select<'k>,
        found: Vec<WithRows<'k>>,
        mut refused: Option<Error>,
        costs: &Costs,
        arrays: usize,
    ) -> Result<Compiled> {
        for (placed, spread) in found {
            match self.program(&placed, arrays) {
                Ok(program) => {
                    let compiled = self.compiled(text, placed, program, costs)?;
                    let pieces = piece::of(text, &spread, &compiled.origins, costs);
                    return Ok(Compiled { pieces, ..compiled });
                }
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        Err(refused.expect("the order of the text is one of them"))
    }

    /// Kernels with arrays and an order for their words, and rows, those that look best, of each policy by itself and
    /// of the best policy of each piece; and of one policy, if it is the rules that are tested.
    fn spreads<'k>(
        &self,
        text: &Select<'k>,
        sketches: &[Sketch],
        encoder: &Encoder,
        costs: &Costs,
        arrays: usize,
        rival: &dyn Fn() -> u64,
    ) -> Vec<WithRows<'k>> {
        let with_rows = |spread| self.with_rows(spread, encoder, costs, arrays).ok();
        let changed = |policies: &[Policy], changed: u64| {
            let mut spread = text.clone();
            Spread::run(&mut spread, sketches, costs, arrays as u64, (policies, changed));
            spread
        };
        let spread = |policies: &[Policy]| changed(policies, 0);
        let listed = Policy { reorder: true, lookahead: 100, slack: 16, full: self.params.rows as u64, seed: 0 };
        if self.without.is_some_and(Rule::is_of_schedules) {
            return with_rows(spread(&[listed])).into_iter().collect();
        }
        let mut policies = vec![listed];
        if arrays > 1 {
            let tries = self.tries * WHOLE / text.lines.len().max(WHOLE as usize) as u64;
            let seeds = (1..=tries).map(|seed| {
                let (one, other) = (seed as usize % 3, seed as usize / 3 % 3);
                Policy { seed, lookahead: [100, 50, 200][one], slack: [16, 164, 460][other], ..listed }
            });
            policies.extend(seeds);
            policies.push(Policy { full: listed.full / 2, ..listed });
        }
        let cycles = |spread: &Select<'_>| estimate(spread, &Anywhere(&spread.arrays), costs, arrays as u64);
        let mut first: Vec<Select<'k>> = policies.chunks(1).map(spread).collect();
        first.sort_by_cached_key(cycles);
        let mut found: Vec<WithRows<'k>> = first.into_iter().take(BEST).filter_map(with_rows).collect();
        for (number, full) in FULL.iter().enumerate().filter(|_| policies.len() > 1) {
            let full = listed.full * full / 100;
            let policies = policies.iter().map(|policy| Policy { full: policy.full.min(full), ..*policy });
            // The first one is the most likely, and each takes as long as all behind it.
            let better = with_rows(changed(&policies.collect::<Vec<_>>(), CHANGED >> number));
            let [lacking, cycles] = better.as_ref().map_or([u64::MAX; 2], |it| [it.0.spilled, it.0.estimate]);
            found.extend(better);
            // What ends first may need more rows than there are. Where it lacks more than an array has, none will
            // fit; and those that fit end later.
            if lacking == 0 || lacking > listed.full || cycles > rival() {
                break;
            }
        }
        // The order of the text takes the fewest rows.
        found.extend((arrays > 1).then(|| with_rows(spread(&[Policy { reorder: false, ..listed }]))).flatten());
        found
    }

    /// A kernel with rows for its values.
    fn with_rows<'k>(
        &self,
        select: Select<'k>,
        encoder: &Encoder,
        costs: &Costs,
        arrays: usize,
    ) -> Result<WithRows<'k>> {
        Ok((self.placed(select.clone(), encoder, costs, arrays)?, select))
    }
}

/// A kernel with rows, and as it was before.
type WithRows<'k> = (Placed<'k>, Select<'k>);

/// Cycles as schedules are compared: one with spill rows, which take a port that others want, has to be faster by a
/// quarter.
pub(super) fn with_spills(cycles: u64, spilled: u64) -> u64 {
    if spilled > 0 { cycles.saturating_add(cycles / 4) } else { cycles }
}

/// Schedules that get rows, of those of one policy each.
const BEST: usize = 4;
/// Lines of a kernel up to which all of the schedules are tried; of larger ones fewer, so that it takes no longer.
const WHOLE: u64 = 240;
/// Rows of an array, in percent, that may be full in schedules whose pieces are made better one by one.
const FULL: [u64; 5] = [100, 94, 88, 80, 70];
