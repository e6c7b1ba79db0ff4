//! Lines with rows become a program: words in their places, jumps with the numbers of words.

use bitline_units::duality::DualityParams;
use bitline_units::duality::isa::codes::Condition;
use bitline_units::duality::isa::field::TARGET;
use bitline_units::duality::isa::{Program, Word};
use bitline_units::duality::params::MASK_ROWS;

use super::code::{Code, Label, Line};
use super::encode::{Places, encode};
use super::rows::Allotment;
use super::select::Select;
use crate::error::{Error, Place, Result, of_units};

/// Everything in its place.
pub fn program(select: &Select<'_>, allotment: &Allotment, arrays: usize, params: &DualityParams) -> Result<Program> {
    let lines = &select.lines;
    let mut starts = Vec::new();
    let mut next = 0;
    for line in lines {
        starts.push(next);
        next += usize::from(!matches!(line.code, Code::Label(_)));
    }
    let words: Vec<Word> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| !matches!(line.code, Code::Label(_)))
        .map(|(at, line)| {
            let word = encode(&line.code, allotment, allotment.scratch[at]);
            match &line.code {
                Code::Jump { to, .. } => word.with(TARGET, target(select, lines, &starts, line.block, *to) as u64),
                _ => word,
            }
        })
        .collect();
    let specials = select.specials.iter().flat_map(|(special, name, rows)| {
        let own = (0..arrays as u64).filter(|array| allotment.arrays(*name) >> array & 1 == 1);
        own.map(|array| (*special, array, allotment.place(*name), *rows))
    });
    // What nobody reads has no rows.
    let specials = specials.filter(|&(_, _, row, _)| row >= MASK_ROWS);
    let program =
        Program { name: name(&select.kernel.name), arrays, specials: specials.collect(), words, lines: numbers(lines) };
    program.check(params).map_err(of_units)?;
    Ok(program)
}

/// Whether the ring has room for the loops of a kernel without rows; moves and spills only make them longer.
///
/// # Errors
///
/// The first loop that has more words than the ring, with its line.
pub(super) fn loops_fit(select: &Select<'_>, params: &DualityParams) -> Result<()> {
    let lines = &select.lines;
    let loops = lines.iter().enumerate().filter_map(|(at, line)| match line.code {
        Code::Jump { condition: Condition::Loop, to: Label::Behind(header), .. } => Some((at, header)),
        _ => None,
    });
    for (at, header) in loops {
        let inside = &select.analysis.shape.outermost(header).expect("a loop begins here").inside;
        let last = lines.iter().rposition(|line| inside[line.block]).expect("it has words");
        let words = lines[at..=last].iter().filter(|line| !matches!(line.code, Code::Label(_))).count();
        if words > params.ring {
            let reason = format!("the loop has {words} words, the ring {}", params.ring);
            return Err(Error::source(&select.module.origin, Place { line: lines[at].line, column: 1 }, reason));
        }
    }
    Ok(())
}

/// The number of the word that a label stands before.
fn target(select: &Select<'_>, lines: &[Line], starts: &[usize], from: usize, to: Label) -> usize {
    let shape = &select.analysis.shape;
    let at = |label: Label| {
        let found = lines.iter().position(|line| line.code == Code::Label(label));
        starts[found.expect("every label is there")]
    };
    match to {
        Label::Block(block) => {
            // From outside a loop is entered at the word with which it begins.
            let own = shape.outermost(block).filter(|one| one.header == block);
            let enters = own.is_some_and(|one| !one.inside[from]);
            at(to) - usize::from(enters)
        }
        Label::Behind(header) => {
            let inside = &shape.outermost(header).expect("a loop begins here").inside;
            let last = lines.iter().rposition(|line| inside[line.block]).expect("it has words");
            starts.get(last + 1).copied().unwrap_or(starts[last] + 1)
        }
        _ => at(to),
    }
}

/// The lines of a program, for messages and its line table.
fn numbers(lines: &[Line]) -> Vec<u32> {
    lines.iter().filter(|line| !matches!(line.code, Code::Label(_))).map(|line| line.line).collect()
}

/// A kernel's name as programs may have one.
fn name(kernel: &str) -> String {
    let legal = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
    let name: String = kernel.chars().map(legal).take(32).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        format!("_{name}")[..name.len().min(32)].to_string()
    } else {
        name
    }
}
