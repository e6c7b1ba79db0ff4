//! What the rows and tags must hold, by the models of arithmetic and of legality: destinations take results, scratch
//! rows anything, all other rows keep what they held. The table of operations has no say.

use crate::engine::Engine;
use crate::isa::{Command, Opcode};
use crate::lockstep::Lockstep;
use crate::model::arith::{Inputs, Outputs, evaluate};
use crate::model::float::exceptions::raised_in;
use crate::model::legality::{Use, regions, rows};
use crate::params::Params;

/// Rows and tags as far as they are known.
#[derive(Clone, Debug)]
pub struct Scoreboard {
    params: Params,
    /// `None`: a scratch row, or one that depends on such.
    rows: Vec<Option<Vec<u64>>>,
    tags: Option<Vec<u64>>,
    /// Exceptions of each floating-point command.
    raised: Vec<u8>,
}

/// Exceptions of a command with these operands in its columns, by the exact results. Functions have none.
pub fn exceptions(command: &Command, inputs: &[Inputs]) -> u8 {
    let (n, m) = (command.width.into(), command.second.into());
    let of = |inputs| raised_in(command.opcode, n, m, command.key, inputs).unwrap_or(0);
    inputs.iter().map(of).fold(0, |all, flags| all | flags)
}

impl Scoreboard {
    /// Everything as it is.
    pub fn of<E: Engine>(unit: &Lockstep<E>) -> Scoreboard {
        let rows = (0..unit.params().rows).map(|row| Some(unit.row(row).to_vec())).collect();
        Scoreboard {
            params: unit.params().clone(),
            rows,
            tags: Some(unit.model.array.column.t.clone()),
            raised: vec![],
        }
    }

    /// Nothing is known.
    pub fn unknown(params: &Params) -> Scoreboard {
        Scoreboard { params: params.clone(), rows: vec![None; params.rows], tags: None, raised: vec![] }
    }

    /// Exceptions of the floating-point commands so far, of each.
    pub fn raised(&self) -> &[u8] {
        &self.raised
    }

    /// The tags, if they are known.
    pub fn tags(&self) -> Option<&[u64]> {
        self.tags.as_deref()
    }

    /// Replaces the tags, or forgets them.
    pub fn set_tags(&mut self, tags: Option<Vec<u64>>) {
        self.tags = tags;
    }

    /// Forgets what rows hold.
    pub fn forget(&mut self, rows: std::ops::Range<usize>) {
        self.rows[rows].fill(None);
    }

    /// A row, if it is known.
    pub fn row(&self, row: usize) -> Option<&[u64]> {
        self.rows[row].as_deref()
    }

    /// Replaces a row.
    pub fn set_row(&mut self, row: usize, words: Vec<u64>) {
        self.rows[row] = Some(words);
    }

    /// Whether the result of a command can be told.
    pub fn knows(&self, command: &Command) -> bool {
        let mut read = rows(&regions(command, &self.params), Use::reads).into_iter();
        (command.opcode != Opcode::TagStore || self.tags.is_some()) && read.all(|row| self.rows[row as usize].is_some())
    }

    /// The rows and tags after a legal command whose sources are known. Loads are not its business.
    pub fn apply(&mut self, command: &Command) {
        if matches!(command.opcode, Opcode::Load | Opcode::Store) {
            return;
        }
        let inputs = self.inputs(command);
        if command.opcode.is_float() && self.params.exception_flags {
            self.raised.push(exceptions(command, &inputs));
        }
        let (n, m) = (command.width.into(), command.second.into());
        let results: Vec<Outputs> =
            inputs.into_iter().map(|i| evaluate(command.opcode, n, m, command.key, i)).collect();
        for row in rows(&regions(command, &self.params), |used| used == Use::Scratch) {
            self.rows[row as usize] = None;
        }
        self.store(command.d, &results, |o| o.d);
        self.store(command.e, &results, |o| o.e);
        let tags: Option<Vec<bool>> = results.iter().map(|o| o.tag).collect();
        self.tags = tags.map(|tags| pack(tags.into_iter()));
    }

    fn inputs(&self, command: &Command) -> Vec<Inputs> {
        let mut inputs = vec![Inputs::default(); self.params.columns];
        for region in regions(command, &self.params).into_iter().filter(|region| region.used.reads()) {
            for (bit, row) in region.rows.enumerate() {
                let words = self.rows[row as usize].as_ref().expect("sources are known");
                for (column, input) in inputs.iter_mut().enumerate() {
                    let value = words[column / 64] >> (column % 64) & 1;
                    match region.operand {
                        'a' => input.a |= value << bit,
                        'b' => input.b |= value << bit,
                        'd' => input.d |= u128::from(value) << bit,
                        _ => input.e |= value << bit,
                    }
                }
            }
        }
        if let Some(tags) = &self.tags {
            for (column, input) in inputs.iter_mut().enumerate() {
                input.tag = tags[column / 64] >> (column % 64) & 1 == 1;
            }
        }
        inputs
    }

    fn store(&mut self, first: u16, results: &[Outputs], get: fn(&Outputs) -> Option<(u128, u32)>) {
        let Some((_, width)) = get(&results[0]) else { return };
        for bit in 0..width {
            let bits = results.iter().map(|o| get(o).is_some_and(|(value, _)| value >> bit & 1 == 1));
            self.rows[usize::from(first) + bit as usize] = Some(pack(bits));
        }
    }

    /// Compares what is known.
    ///
    /// # Errors
    /// The first row or tag that differs, in words.
    pub fn compare<E: Engine>(&self, unit: &Lockstep<E>) -> Result<(), String> {
        let differ = |what: String, actual: &[u64], wanted: &[u64]| {
            Err(format!("cycle {}: {what} is {actual:x?}, must be {wanted:x?}", unit.cycle_count()))
        };
        for (row, wanted) in self.rows.iter().enumerate() {
            if let Some(wanted) = wanted.as_deref().filter(|&wanted| wanted != unit.row(row)) {
                return differ(format!("row {row}"), unit.row(row), wanted);
            }
        }
        let tags = &unit.model.array.column.t;
        match &self.tags {
            Some(wanted) if wanted != tags => differ("T".into(), tags, wanted),
            _ => Ok(()),
        }
    }
}

fn pack(bits: impl Iterator<Item = bool>) -> Vec<u64> {
    let mut words = Vec::new();
    for (column, bit) in bits.enumerate() {
        if column % 64 == 0 {
            words.push(0);
        }
        words[column / 64] |= u64::from(bit) << (column % 64);
    }
    words
}
