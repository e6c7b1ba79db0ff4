//! Pieces of code without jumps, and what is the same however one of them is scheduled.

use std::collections::HashMap;
use std::ops::Range;

use fixedbitset::FixedBitSet;

use bitline_units::duality::params::MASK_ROWS;

use super::code::{Code, Line, Name};
use super::costs::{Costs, Timed};
use super::depend::Dependences;
use super::encode::{Anywhere, Encoder, encode};
use super::select::Select;

/// A piece as it was selected.
pub(super) struct Sketch {
    /// Its lines.
    pub range: Range<usize>,
    /// What must come before what.
    pub graph: Dependences,
    /// Its words.
    pub words: Vec<Timed>,
    /// Cycles from the begin of each word to the end of the piece, along the longest way.
    pub longest: Vec<u64>,
    /// Scratch rows of each word.
    pub scratch: Vec<u64>,
    /// What each word reads; of that in the array where it is done; and what it writes.
    pub reads: Vec<Vec<Name>>,
    pub sources: Vec<Vec<Name>>,
    pub writes: Vec<Option<Name>>,
    /// Words behind each word that read what it writes, accesses apart: whose array is thought of when its own is
    /// chosen.
    pub behind: Vec<Vec<usize>>,
    /// Words for whose arrays it matters where a name is.
    pub looks: HashMap<Name, Vec<usize>>,
    /// Names of which nothing is left outside, and how many words read each name.
    pub local: Vec<bool>,
    pub uses: Vec<usize>,
    /// Names that are needed in it, and elsewhere.
    pub outer: Vec<Name>,
}

impl Sketch {
    /// Those of all pieces of a kernel; `needed` has the lines at which each name is needed.
    pub fn of(select: &Select<'_>, encoder: &Encoder, costs: &Costs, needed: &[FixedBitSet]) -> Vec<Sketch> {
        let sketch = |range: Range<usize>| {
            let own = &select.lines[range.clone()];
            let graph = Dependences::of(own, &select.classes, select.without);
            let timed = |line: &Line| costs.timed(encode(&line.code, &Anywhere(&[]), MASK_ROWS));
            let words: Vec<Timed> = own.iter().map(timed).collect();
            let longest = graph.longest(&words.iter().map(|word| word.cycles).collect::<Vec<_>>());
            let scratch = own.iter().map(|line| encoder.scratch(&line.code).unwrap_or(0)).collect();
            let reads: Vec<Vec<Name>> = own.iter().map(|line| line.reads(&select.classes)).collect();
            let sources: Vec<Vec<Name>> = own.iter().map(|line| line.code.sources()).collect();
            let writes: Vec<Option<Name>> =
                own.iter().map(|line| line.code.writes(&select.classes).map(|written| written.0)).collect();
            let reads_it = |word: usize, later: &&usize| {
                writes[word].is_some_and(|name| reads[**later].contains(&name))
                    && !matches!(own[**later].code, Code::Memory { .. })
            };
            let behind =
                |word: usize| graph.after[word].iter().filter(|later| reads_it(word, later)).copied().collect();
            let behind: Vec<Vec<usize>> = (0..own.len()).map(behind).collect();
            let mut looks: HashMap<Name, Vec<usize>> = HashMap::new();
            for (word, behind) in behind.iter().enumerate() {
                let later = behind.iter().flat_map(|later| sources[*later].iter().chain(&writes[*later]));
                for name in reads[word].iter().chain(&sources[word]).chain(&writes[word]).chain(later) {
                    let words = looks.entry(*name).or_default();
                    if words.last() != Some(&word) {
                        words.push(word);
                    }
                }
            }
            let mut uses = vec![0; select.classes.len()];
            reads.iter().flatten().for_each(|name| uses[*name] += 1);
            let inside: Vec<usize> = needed.iter().map(|lines| lines.count_ones(range.clone())).collect();
            let all = needed.iter().zip(&inside);
            let local: Vec<bool> = all.map(|(lines, inside)| lines.count_ones(..) == *inside).collect();
            let outer = (0..needed.len()).filter(|name| inside[*name] > 0 && !local[*name]).collect();
            Sketch { range, graph, words, longest, scratch, reads, sources, writes, behind, looks, local, uses, outer }
        };
        pieces(&select.lines).into_iter().map(sketch).collect()
    }

    /// Whether nothing of a name is left outside.
    pub fn is_local(&self, name: Name) -> bool {
        self.local.get(name) == Some(&true)
    }
}

/// Pieces of code in which words may change their order: without labels, jumps and masks.
pub(super) fn pieces(lines: &[Line]) -> Vec<Range<usize>> {
    let free = |line: &Line| matches!(line.code, Code::Compute { .. } | Code::Memory { .. } | Code::Scalar { .. });
    let mut pieces: Vec<Range<usize>> = Vec::new();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| free(line)) {
        match pieces.last_mut() {
            Some(last) if last.end == at && lines[last.start].block == line.block => last.end += 1,
            _ => pieces.push(at..at + 1),
        }
    }
    pieces
}
