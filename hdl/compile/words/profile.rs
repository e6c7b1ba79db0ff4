//! Where a kernel's time goes: words that were executed, with the lines they are from.

use std::collections::BTreeMap;

use bitline_model::duality::watch::Watch;
use bitline_units::duality::DualityParams;
use bitline_units::duality::isa::Word;
use bitline_units::duality::isa::codes::Kind;

use super::costs::Costs;
use super::run::Compiled;
use crate::ptx::ast::Kernel;

/// How often each word of a program is executed, in all waves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Executed {
    /// A count for each word; words behind the last that was executed may be missing.
    pub words: Vec<u64>,
}

impl Executed {
    /// How often a word is executed.
    fn times(&self, word: usize) -> u64 {
        self.words.get(word).copied().unwrap_or(0)
    }
}

impl Watch for Executed {
    fn word(&mut self, pc: usize, _: &[u32]) {
        if self.words.len() <= pc {
            self.words.resize(pc + 1, 0);
        }
        self.words[pc] += 1;
    }
}

/// Cycles below which no schedule of a program's pieces takes what was executed, if each has ended before the next
/// begins: what each piece takes at least, and masks and jumps between them. Memory behind the port takes no time.
#[must_use]
pub fn least(compiled: &Compiled, executed: &Executed, params: &DualityParams) -> u64 {
    let costs = Costs::new(params);
    let between = |word: &Word| matches!(word.kind(), Ok(Kind::Mask | Kind::Jump));
    let pieces = compiled.pieces.iter().map(|piece| executed.times(piece.first) * piece.least());
    let words = compiled.program.words.iter().enumerate().filter(|(_, word)| between(word));
    pieces.sum::<u64>() + words.map(|(at, word)| executed.times(at) * costs.word(*word)).sum::<u64>()
}

/// How many windows compute at a time at most in the pieces that were executed, if each has ended before the next
/// begins.
#[must_use]
pub fn parallel(compiled: &Compiled, executed: &Executed) -> f64 {
    let [mut serial, mut longest] = [0; 2];
    for piece in &compiled.pieces {
        let (count, (all, least)) = (executed.times(piece.first), piece.parallel());
        serial += count * all;
        longest += count * least;
    }
    if longest == 0 { 1.0 } else { serial as f64 / longest as f64 }
}

/// What a line of PTX takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// The line; 0 is what the compiler puts around the kernel.
    pub line: u32,
    /// Number of the file and line of the source, if `.loc` tells.
    pub source: Option<(u32, u32)>,
    /// Words that were executed for it.
    pub words: u64,
    /// Cycles for which they keep their windows, by the tables of operations and passes. Windows work beside each
    /// other, so all together may be more than the kernel's cycles; how long memory thinks is not in them.
    pub cycles: u64,
}

/// What each line of a kernel takes, in the order of lines.
///
/// `compiled` is the kernel for this design, `executed` what its words did.
#[must_use]
pub fn profile(kernel: &Kernel, compiled: &Compiled, executed: &Executed, params: &DualityParams) -> Vec<Spent> {
    let costs = Costs::new(params);
    let sources: BTreeMap<u32, (u32, u32)> =
        kernel.body.iter().filter_map(|instruction| Some((instruction.place.line, instruction.source?))).collect();
    let mut lines: BTreeMap<u32, Spent> = BTreeMap::new();
    let program = &compiled.program;
    for ((word, &line), &count) in program.words.iter().zip(&program.lines).zip(&executed.words) {
        let spent = lines.entry(line).or_default();
        (spent.line, spent.source) = (line, sources.get(&line).copied());
        spent.words += count;
        spent.cycles += count * costs.word(*word);
    }
    lines.into_values().filter(|spent| spent.words > 0).collect()
}
