//! Runs of kernels by the judge and by hardware, and what they executed and took.

use std::fmt::Write;

use bitline_units::duality::DualityParams;
use bitline_units::duality::isa::Kind;
use bitline_units::duality::isa::assemble::assemble;
use serde::Serialize;

use super::hardware::{Counts, Hardware, Requests, Took};
use super::kernels::{KERNELS, Kernel};
use super::machine::Mode;
use crate::error::{Error, Result};
use crate::model::duality::interpreter;

/// Most words of a launch: a program that does not end is an error and not a run without an end.
pub const MOST_WORDS: u64 = 10_000_000;

/// Words executed, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct WordCounts {
    /// Operations of arrays.
    pub compute: u64,
    /// Moves between arrays.
    pub r#move: u64,
    /// Loads, stores, atomic operations.
    pub memory: u64,
    /// Operations of the scalar unit.
    pub scalar: u64,
    /// Operations on masks.
    pub mask: u64,
    /// Jumps and beginnings of loops.
    pub jump: u64,
    /// Ends.
    pub end: u64,
}

impl WordCounts {
    fn add(&mut self, words: [u64; Kind::ALL.len()]) {
        let own = [
            &mut self.compute,
            &mut self.r#move,
            &mut self.memory,
            &mut self.scalar,
            &mut self.mask,
            &mut self.jump,
            &mut self.end,
        ];
        own.into_iter().zip(words).for_each(|(sum, count)| *sum += count);
    }

    /// All of them.
    pub fn sum(&self) -> u64 {
        self.compute + self.r#move + self.memory + self.scalar + self.mask + self.jump + self.end
    }
}

/// What a kernel's run did.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    /// The kernel.
    pub kernel: String,
    /// The preset of the control block.
    pub preset: String,
    /// Sizes of the data.
    pub size: String,
    /// What ran it.
    pub engine: &'static str,
    /// Seed of the data, and of what rows hold at power-up.
    pub seed: u64,
    /// Words of the program.
    pub program_words: usize,
    /// Rows that it names, of the array that has most.
    pub rows: u64,
    /// Launches of the program.
    pub launches: usize,
    /// Times that the control block was filled.
    pub waves: u64,
    /// Threads in all.
    pub threads: u64,
    /// Words executed.
    pub words: WordCounts,
    /// Accesses of single threads to memory.
    pub accesses: u64,
    /// Mask rows in which threads were left at the end.
    pub mask_rows_left: Vec<u64>,
    /// Memory is what plain Rust computes.
    pub correct: bool,
    /// How words left the dispatcher, if hardware ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<&'static str>,
    /// What the hardware took.
    #[serde(flatten)]
    pub took: Option<Took>,
}

/// Runs a kernel on data from a seed.
///
/// # Errors
/// [`Error::Syntax`] if its program is wrong; [`Error::Parameter`] with word, thread and address of a trap.
pub fn run(kernel: &Kernel, params: &DualityParams, seed: u64) -> Result<Figures> {
    params.check()?;
    let program = assemble(kernel.text, &format!("{}.dcs", kernel.name), params)?;
    let mut task = kernel.task(params, seed);
    let mut figures = Figures {
        kernel: kernel.name.into(),
        preset: params.name.clone(),
        size: task.size.clone(),
        engine: "interpreter",
        seed,
        program_words: program.words.len(),
        rows: program.rows(params),
        launches: task.launches.len(),
        waves: 0,
        threads: 0,
        words: WordCounts::default(),
        accesses: 0,
        mask_rows_left: Vec::new(),
        correct: false,
        mode: None,
        took: None,
    };
    for launch in &task.launches {
        let outcome = interpreter::run(params, &program, launch, &mut task.memory, seed, MOST_WORDS)?;
        let outcome = outcome.map_err(|stop| {
            let line = program.lines.get(stop.pc).copied().unwrap_or(0);
            Error::parameter("kernel", kernel.name, format!("line {line}: {stop}"))
        })?;
        figures.words.add(outcome.words);
        figures.waves += outcome.waves;
        figures.threads += outcome.threads;
        figures.accesses += outcome.accesses;
        figures.mask_rows_left.extend(outcome.left);
    }
    figures.correct = task.expected.iter().all(|(at, words)| task.memory.words(*at, words.len()) == *words);
    Ok(figures)
}

/// Runs a kernel on data from a seed, on hardware. What words were executed comes from the interpreter, which runs
/// first.
///
/// # Errors
/// As [`run`]; [`Error::Parameter`] too for a difference between hardware and model.
pub fn run_hardware(
    kernel: &Kernel,
    hardware: &mut Hardware,
    params: &DualityParams,
    seed: u64,
    mode: Mode,
) -> Result<Figures> {
    let mut figures = run(kernel, params, seed)?;
    let program = assemble(kernel.text, &format!("{}.dcs", kernel.name), params)?;
    let mut task = kernel.task(params, seed);
    let mut sum: Option<Took> = None;
    for launch in &task.launches {
        let took = hardware.run(&program, launch, &mut task.memory, mode)?;
        match &mut sum {
            Some(sum) => *sum += took,
            None => sum = Some(took),
        }
    }
    let counted = match sum.map(|took| took.counts) {
        Some(Counts::Block { accesses, .. }) => accesses == figures.accesses,
        _ => true,
    };
    figures.engine = hardware.name();
    figures.correct = figures.correct
        && counted
        && task.expected.iter().all(|(at, words)| task.memory.words(*at, words.len()) == *words);
    figures.mode = Some(if mode == Mode::Lockstep { "lockstep" } else { "decoupled" });
    figures.took = sum;
    Ok(figures)
}

/// The kernel of this name, or all for `all`.
///
/// # Errors
/// [`Error::Parameter`] if there is none.
pub fn named(name: &str) -> Result<Vec<&'static Kernel>> {
    let found: Vec<&Kernel> = KERNELS.iter().filter(|kernel| name == "all" || kernel.name == name).collect();
    if found.is_empty() {
        let names: Vec<&str> = KERNELS.iter().map(|kernel| kernel.name).collect();
        return Err(Error::parameter("kernel", name, format!("must be all or one of {}", names.join(", "))));
    }
    Ok(found)
}

/// A table in Markdown of what the hardware took: two rows of a kernel are its two modes.
pub fn markdown_of_hardware(figures: &[Figures]) -> String {
    let columns: &[&str] = match figures.iter().find_map(|row| row.took).map(|took| took.counts) {
        Some(Counts::Unit { .. }) => {
            &["cycles", "word of memory at work", "hits", "misses", "merged", "lines written back"]
        }
        Some(Counts::System { .. }) => &[
            "cycles",
            "control blocks at work",
            "words of memory at work",
            "hits",
            "misses",
            "merged",
            "lines written back",
        ],
        _ => &["cycles", "compute", "memory", "both", "neither"],
    };
    let (columns, lines) = (columns.join(" | "), "--:|".repeat(columns.len()));
    let mut text =
        format!("| kernel | data | threads | mode | {columns} | as plain Rust |\n|---|---|--:|---|{lines}---|\n");
    let mut ratios = vec![];
    for (at, row) in figures.iter().enumerate() {
        let (Some(took), Some(mode)) = (row.took, row.mode) else { continue };
        let counts = match took.counts {
            Counts::Block { compute_cycles, memory_cycles, overlapped_cycles, other_cycles, .. } => {
                vec![took.cycles, compute_cycles, memory_cycles, overlapped_cycles, other_cycles]
            }
            Counts::Unit { word_of_memory_cycles, requests } => {
                let Requests { hits, misses, merges, written_back } = requests;
                vec![took.cycles, word_of_memory_cycles, hits, misses, merges, written_back]
            }
            Counts::System { control_block_cycles, word_of_memory_cycles, requests, .. } => {
                let Requests { hits, misses, merges, written_back } = requests;
                vec![took.cycles, control_block_cycles, word_of_memory_cycles, hits, misses, merges, written_back]
            }
        };
        let counts: Vec<String> = counts.iter().map(u64::to_string).collect();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {mode} | {} | {} |",
            row.kernel,
            row.size,
            row.threads,
            counts.join(" | "),
            if row.correct { "yes" } else { "**no**" }
        );
        let other = figures[..at].iter().find(|other| other.kernel == row.kernel && other.mode == Some("lockstep"));
        if let Some(other) = other.and_then(|other| other.took).filter(|_| mode == "decoupled") {
            ratios.push((&row.kernel, other.cycles as f64 / took.cycles as f64));
        }
    }
    if !ratios.is_empty() {
        let mean = (ratios.iter().map(|ratio| ratio.1.ln()).sum::<f64>() / ratios.len() as f64).exp();
        let least = ratios.iter().min_by(|a, b| a.1.total_cmp(&b.1)).expect("there are some");
        let _ = writeln!(
            text,
            "\nDecoupled over lockstep: {mean:.3} × in the geometric mean, {:.3} × at least ({}).",
            least.1, least.0
        );
    }
    text
}

/// A table in Markdown.
pub fn markdown(figures: &[Figures]) -> String {
    let mut text = String::from(
        "| kernel | data | words | rows | launches | waves | threads | compute | move | memory | scalar | mask | \
         jump | accesses | as plain Rust |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|\n",
    );
    for row in figures {
        let counts = &row.words;
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            row.kernel,
            row.size,
            row.program_words,
            row.rows,
            row.launches,
            row.waves,
            row.threads,
            counts.compute,
            counts.r#move,
            counts.memory,
            counts.scalar,
            counts.mask,
            counts.jump,
            row.accesses,
            if row.correct { "yes" } else { "**no**" }
        );
    }
    text
}
