//! What must come before what in a piece of code without jumps, by names and by memory.

use bitline_units::duality::isa::codes::{MemoryOp, Space};

use super::Rule;
use super::code::{Class, Code, Line};

/// Words of a piece, and those that must come before and behind each.
pub struct Dependences {
    /// Words before which each must come: the number counts from the piece's first.
    pub after: Vec<Vec<usize>>,
    /// How many must come before each.
    pub before: Vec<usize>,
}

impl Dependences {
    /// Those of a piece.
    pub fn of(lines: &[Line], classes: &[Class], without: Option<Rule>) -> Dependences {
        let mut found = Dependences { after: vec![Vec::new(); lines.len()], before: vec![0; lines.len()] };
        let (mut writers, mut readers) = (vec![Vec::new(); classes.len()], vec![Vec::new(); classes.len()]);
        let mut accesses: Vec<usize> = Vec::new();
        for (later, line) in lines.iter().enumerate() {
            let (reads, writes) = (line.reads(classes), line.writes(classes).map(|written| written.0));
            let mut earlier: Vec<usize> = Vec::new();
            reads.iter().chain(&writes).for_each(|name| earlier.extend(&writers[*name]));
            if without != Some(Rule::LaterWrites) {
                writes.iter().for_each(|name| earlier.extend(&readers[*name]));
            }
            if without != Some(Rule::AccessOrder) {
                earlier.extend(accesses.iter().filter(|access| in_memory(&lines[**access].code, &line.code)));
            }
            earlier.sort_unstable();
            earlier.dedup();
            found.before[later] = earlier.len();
            earlier.into_iter().for_each(|earlier| found.after[earlier].push(later));
            reads.iter().for_each(|name| readers[*name].push(later));
            writes.iter().for_each(|name| writers[*name].push(later));
            if matches!(line.code, Code::Memory { .. }) {
                accesses.push(later);
            }
        }
        found
    }

    /// For each word the cycles from its begin to the end of the piece, along the longest way.
    pub fn longest(&self, cycles: &[u64]) -> Vec<u64> {
        let mut found = vec![0; cycles.len()];
        for word in (0..cycles.len()).rev() {
            let behind = self.after[word].iter().map(|later| found[*later]).max().unwrap_or(0);
            found[word] = cycles[word] + behind;
        }
        found
    }
}

/// Whether two accesses keep their order: one of them writes, and they may be of the same place.
pub fn in_memory(one: &Code, other: &Code) -> bool {
    let access = |code: &Code| match code {
        Code::Memory { space: Space::Bank, .. } => None,
        Code::Memory { op, space, .. } => Some((*op != MemoryOp::Load, *space)),
        _ => None,
    };
    let (Some(one), Some(other)) = (access(one), access(other)) else { return false };
    let apart = [(Space::Global, Space::Shared), (Space::Shared, Space::Global)].contains(&(one.1, other.1));
    (one.0 || other.0) && !apart
}
