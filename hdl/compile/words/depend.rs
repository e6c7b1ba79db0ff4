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
        for (later, line) in lines.iter().enumerate() {
            let (reads, writes) = (line.reads(classes), line.writes(classes).map(|written| written.0));
            for (earlier, other) in lines[..later].iter().enumerate() {
                let (other_reads, other_writes) = (other.reads(classes), other.writes(classes).map(|one| one.0));
                let kept = without != Some(Rule::LaterWrites) && writes.is_some_and(|name| other_reads.contains(&name));
                let named = other_writes.is_some_and(|name| reads.contains(&name) || writes == Some(name)) || kept;
                if named || without != Some(Rule::AccessOrder) && in_memory(&other.code, &line.code) {
                    found.after[earlier].push(later);
                    found.before[later] += 1;
                }
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
fn in_memory(one: &Code, other: &Code) -> bool {
    let access = |code: &Code| match code {
        Code::Memory { op, space, .. } => Some((*op != MemoryOp::Load, *space)),
        _ => None,
    };
    let (Some(one), Some(other)) = (access(one), access(other)) else { return false };
    let apart = [(Space::Global, Space::Shared), (Space::Shared, Space::Global)].contains(&(one.1, other.1));
    (one.0 || other.0) && !apart
}
