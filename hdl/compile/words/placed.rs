//! Kernels whose names have rows, and the programs that they are.

use bitline_units::duality::isa::Program;
use bitline_units::duality::isa::program::Placement;
use bitline_units::duality::params::{MASK_ROWS, SCALARS};

use super::bound::Bound;
use super::check::{Emitted, check};
use super::code::{Class, Code};
use super::costs::Costs;
use super::encode::{Encoder, Places};
use super::estimate::estimate;
use super::program::program;
use super::rows::Allotment;
use super::run::{Compiled, Words};
use super::select::Select;
use super::spill;
use crate::error::{Error, Result};

/// A kernel whose names have rows.
pub(super) struct Placed<'k> {
    pub(super) select: Select<'k>,
    allotment: Allotment,
    /// Rows of names that are kept in memory.
    pub(super) spilled: u64,
    /// Cycles of a wave, and those on a control block by itself.
    pub(super) estimate: u64,
    alone: u64,
}

impl Words<'_> {
    /// Rows for all names of a kernel.
    pub(super) fn placed<'k>(
        &self,
        mut select: Select<'k>,
        encoder: &Encoder,
        costs: &Costs,
        arrays: usize,
    ) -> Result<Placed<'k>> {
        let limit = self.params.rows as u64;
        let allot = |select: &Select<'_>| Allotment::of(select, encoder, arrays as u64, limit, self.without);
        let (mut allotment, mut spilled) = (allot(&select)?, 0);
        while allotment.rows > limit && !allotment.spills.is_empty() {
            for choice in std::mem::take(&mut allotment.spills) {
                let Class::Rows(rows) = select.classes[choice.name] else { continue };
                spill::apply(&mut select, choice, spilled);
                spilled += if choice.array.is_none() { rows } else { 0 };
            }
            allotment = allot(&select)?;
        }
        let name = &select.kernel.name;
        if allotment.rows > limit {
            let rule = format!("{name} needs {} rows of one array", allotment.rows);
            return Err(Error::parameter("rows", limit, rule));
        }
        if allotment.scalars > SCALARS as u64 {
            let rule = format!("{name} needs so many; there are {SCALARS}");
            return Err(Error::parameter("scalar registers", allotment.scalars, rule));
        }
        let [estimate, alone] = [costs, costs.alone()].map(|costs| estimate(&select, &allotment, costs, arrays as u64));
        Ok(Placed { select, allotment, spilled, estimate, alone })
    }

    /// Its words, which is the longest part of making them: so only of what is taken.
    ///
    /// # Errors
    ///
    /// The rule that they break, of loops and the ring above all.
    pub(super) fn program(&self, placed: &Placed<'_>, arrays: usize) -> Result<Program> {
        program(&placed.select, &placed.allotment, arrays, self.params)
    }

    /// A program with what is known of it; `text` is the kernel in the order of the text.
    pub(super) fn compiled(
        &self,
        text: &Select<'_>,
        placed: Placed<'_>,
        program: Program,
        costs: &Costs,
    ) -> Result<Compiled> {
        if self.checked {
            self.check(text, &placed, &program)?;
        }
        let Placed { select, allotment, spilled, estimate, alone } = placed;
        let parameters = select.parameters.iter().map(|parameter| parameter.0).collect();
        let words = select.lines.iter().filter(|line| !matches!(line.code, Code::Label(_)));
        Ok(Compiled {
            program,
            parameters,
            numbers: Vec::new(),
            lower: select.kernel.lower.clone(),
            rows: allotment.rows,
            scalars: allotment.scalars,
            spilled,
            frame: select.kernel.frame(),
            estimate,
            alone,
            bound: Bound::of(text, costs),
            pieces: Vec::new(),
            origins: words.map(|line| line.origin).collect(),
        })
    }

    /// Holds a program against the selection in the order of the text.
    fn check(&self, text: &Select<'_>, placed: &Placed<'_>, program: &Program) -> Result<()> {
        let lines = placed.select.lines.iter().filter(|line| !matches!(line.code, Code::Label(_)));
        let known = text.specials.iter().flat_map(|(special, name, _)| {
            let own = |one: &&Placement| one.0 == *special;
            program.specials.iter().filter(own).map(|one| (*name, (one.1, one.2, one.3)))
        });
        let masks = (0..text.analysis.graph.blocks.len()).map(|block| placed.allotment.mask(block));
        let emitted = Emitted {
            select: text,
            lines: lines.zip(program.words.iter().copied()).collect(),
            specials: known.collect(),
            masks: masks.filter(|row| *row >= MASK_ROWS).collect(),
        };
        check(&emitted, self.params).map_err(|reason| Error::parameter("program", &program.name, reason))
    }
}
