//! What `sim cuda` says of a run, as text or JSON.

use bitline_compile::launch::Outcome;
use bitline_compile::ptx::ast::Module;
use bitline_compile::words::{Executed, Ran, least, parallel};
use bitline_sim::units::duality::hardware::{Counts, Requests, Took};
use bitline_units::duality::DualityParams;
use bitline_units::duality::isa::Kind;
use serde::Serialize;

use crate::cuda::CudaArgs;
use crate::sim_arguments::ReportFormat;

/// Windows at work in the mean, while one is.
fn parallelism(computing: u64, windows: u64) -> f64 {
    (100 * windows).checked_div(computing).unwrap_or(100) as f64 / 100.0
}

/// What was asked of the cache ways.
fn asked(requests: Requests) -> String {
    let Requests { hits, misses, merges, written_back } = requests;
    format!(
        "{hits} requests hit, {misses} missed, {merges} were merged with a miss, {written_back} lines written back\n"
    )
}

/// How long it took. Reports as text do not tell, so that two runs say the same.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Seconds {
    /// The compiler, with the placing of arguments.
    pub compile: f64,
    /// What runs the words; on hardware, with the run that it is compared with.
    pub run: f64,
}

/// What the compiler made, and what ran.
pub fn words_report(
    args: &CudaArgs,
    params: &DualityParams,
    ran: &Ran,
    counted: &Executed,
    took: Option<&Took>,
    seconds: Seconds,
) -> String {
    let (compiled, outcome) = (&ran.compiled, &ran.outcome);
    let kinds = || Kind::ALL.iter().zip(outcome.words).filter(|(_, count)| *count > 0);
    let executed: u64 = outcome.words.iter().sum();
    match args.format {
        ReportFormat::Json => {
            let kinds: std::collections::BTreeMap<&str, u64> = kinds().map(|(kind, n)| (kind.name(), n)).collect();
            let value = serde_json::json!({
                "kernel": args.kernel,
                "grid": args.grid,
                "block": args.block,
                "engine": match took.map(|took| took.counts) {
                    None => "words",
                    Some(Counts::Block { .. }) => "rtl",
                    Some(Counts::Unit { .. }) => "unit",
                    Some(Counts::System { .. }) => "system",
                },
                "preset": params.name,
                "threads": outcome.threads,
                "waves": outcome.waves,
                "program": compiled.program.words.len(),
                "arrays": compiled.program.arrays,
                "rows": compiled.rows,
                "estimate": compiled.estimate,
                "bound": {
                    "serial": compiled.bound.serial,
                    "least": compiled.bound.least,
                    "executed": least(compiled, counted, params),
                    "ilp": parallel(compiled, counted),
                },
                "scalar_registers": compiled.scalars,
                "spill_rows": compiled.spilled,
                "words": executed,
                "accesses": outcome.accesses,
                "executed": kinds,
                "seconds": seconds,
                "cycles": took.map(|took| match took.counts {
                    Counts::Block {
                        compute_cycles,
                        memory_cycles,
                        overlapped_cycles,
                        other_cycles,
                        computing_cycles,
                        window_cycles,
                        ..
                    } => {
                        serde_json::json!({
                            "all": took.cycles,
                            "compute": compute_cycles,
                            "memory": memory_cycles,
                            "overlapped": overlapped_cycles,
                            "other": other_cycles,
                            "computing": computing_cycles,
                            "windows": window_cycles,
                            "ilp": parallelism(computing_cycles, window_cycles),
                        })
                    }
                    Counts::Unit { word_of_memory_cycles, .. } => {
                        serde_json::json!({ "all": took.cycles, "word_of_memory": word_of_memory_cycles })
                    }
                    Counts::System { control_block_cycles, word_of_memory_cycles, window_cycles, .. } => {
                        serde_json::json!({
                            "all": took.cycles,
                            "control_blocks": control_block_cycles,
                            "word_of_memory": word_of_memory_cycles,
                            "windows": window_cycles,
                        })
                    }
                }),
                "cache": took.and_then(|took| match took.counts {
                    Counts::Block { .. } => None,
                    Counts::Unit { requests, .. } | Counts::System { requests, .. } => Some(requests),
                }),
            });
            serde_json::to_string_pretty(&value).expect("numbers and strings always serialise") + "\n"
        }
        ReportFormat::Text => {
            let hardware = took.map_or(String::new(), |took| match took.counts {
                Counts::Block {
                    compute_cycles,
                    memory_cycles,
                    overlapped_cycles,
                    other_cycles,
                    computing_cycles,
                    window_cycles,
                    ..
                } => format!(
                    "{} cycles: {compute_cycles} compute, {memory_cycles} memory, {overlapped_cycles} both, \
                     {other_cycles} neither\ninstruction-level parallelism {:.2}: {window_cycles} cycles of windows \
                     in {computing_cycles}\n",
                    took.cycles,
                    parallelism(computing_cycles, window_cycles)
                ),
                Counts::Unit { word_of_memory_cycles, requests } => format!(
                    "{} cycles, in {word_of_memory_cycles} a word of memory at work\n{}",
                    took.cycles,
                    asked(requests)
                ),
                Counts::System { control_block_cycles, word_of_memory_cycles, requests, .. } => format!(
                    "{} cycles by the model of the system; summed over control blocks {control_block_cycles} with a \
                     wave, {word_of_memory_cycles} with a word of memory at work\n{}",
                    took.cycles,
                    asked(requests)
                ),
            });
            let kinds: Vec<String> = kinds().map(|(kind, count)| format!("{kind} {count}")).collect();
            format!(
                "{}: {} words, {} rows, {} scalar registers, {} spill rows, {} {} a thread\n\
                 {} threads in {} waves, {executed} words \
                 executed, {} accesses\n{}\n{hardware}",
                args.kernel,
                compiled.program.words.len(),
                compiled.rows,
                compiled.scalars,
                compiled.spilled,
                compiled.program.arrays,
                if compiled.program.arrays == 1 { "array" } else { "arrays" },
                outcome.threads,
                outcome.waves,
                outcome.accesses,
                kinds.join(", ")
            )
        }
    }
}

/// What ran, and how often each kind of instruction did.
pub fn report(args: &CudaArgs, module: &Module, outcome: &Outcome) -> String {
    let counts = &outcome.counts;
    let mut kinds = std::collections::BTreeMap::<&str, u64>::new();
    let body = module.kernel(&args.kernel).map_or(&[][..], |kernel| &kernel.body);
    for (instruction, count) in body.iter().zip(&counts.executed) {
        *kinds.entry(instruction.opcode.name()).or_default() += count;
    }
    match args.format {
        ReportFormat::Json => {
            let value = serde_json::json!({
                "kernel": args.kernel,
                "grid": args.grid,
                "block": args.block,
                "engine": "interpreter",
                "threads": counts.threads,
                "instructions": counts.instructions(),
                "barriers": counts.barriers,
                "executed": kinds,
            });
            serde_json::to_string_pretty(&value).expect("numbers and strings always serialise") + "\n"
        }
        ReportFormat::Text => {
            let mut order: Vec<(&str, u64)> = kinds.into_iter().filter(|(_, count)| *count > 0).collect();
            order.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
            let kinds: Vec<String> = order.iter().map(|(name, count)| format!("{name} {count}")).collect();
            format!(
                "{}: {} threads, {} instructions, {} barriers\n{}\n",
                args.kernel,
                counts.threads,
                counts.instructions(),
                counts.barriers,
                kinds.join(", ")
            )
        }
    }
}
