//! Cycles of the Compute Cache's operations on 4 KiB operands, measured on the hardware's netlist, beside loops on a
//! processor with 32-byte vectors.
//!
//! Compare, search and carry-less products are cut into instructions of their largest size, as the paper's operand
//! rules want: 512 bytes (carry-less products of 128 and 256 bits: 1 and 2 KiB).

use serde::Serialize;

use crate::compute_cache::{CacheGeometry, CacheInstruction, CacheOp, control};
use crate::error::{Error, Result};
use crate::units::compute_cache::machine::CacheMachine;

/// Bytes of an operand.
pub const OPERAND: u32 = 4096;
/// Bytes of the processor's vectors.
pub const VECTOR: u32 = 32;
/// Throughput over a 32-byte SIMD loop that the paper reports, on the average.
pub const PAPER: f64 = 54.0;

/// One operation's figures.
#[derive(Clone, Debug, Serialize)]
pub struct CacheFigure {
    /// The operation.
    pub op: &'static str,
    /// Granularity of a carry-less product, in bits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grain: Option<u32>,
    /// Instructions for an operand.
    pub instructions: u64,
    /// In place: from the first instruction taken to the last result, one operation alone.
    pub latency: u64,
    /// In place: cycles of an operation in a long stream.
    pub cycles: f64,
    /// Near place, one operation alone; nothing for operations that have no such path.
    pub near_latency: Option<u64>,
    /// Near place: cycles of an operation in a long stream.
    pub near_cycles: Option<f64>,
    /// The simple processor's loop.
    pub simple: f64,
    /// The strict processor's loop.
    pub strict: f64,
    /// `simple` over `cycles`.
    pub ratio: f64,
    /// `simple` over `latency`.
    pub ratio_alone: f64,
    /// `strict` over `cycles`.
    pub ratio_strict: f64,
}

/// A loop's body for 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Body {
    /// What it does.
    pub text: &'static str,
    /// Loads, whether instructions of their own or operands of others.
    pub loads: u32,
    /// Stores.
    pub stores: u32,
    /// Instructions without the loop's own two; a load that is another's operand counts with it.
    pub instructions: u32,
    /// Population counts.
    pub counts: u32,
}

/// The loop's own instructions: add to the index, branch.
const LOOP: u32 = 2;

/// The loop body of an operation.
pub fn body(op: CacheOp, grain: u8) -> Body {
    let (text, loads, stores, instructions, counts) = match (op, grain) {
        (CacheOp::Copy, _) => ("load, store", 1, 1, 2, 0),
        (CacheOp::Zero, _) => ("store", 0, 1, 1, 0),
        (CacheOp::Not, _) => ("load, xor with ones, store", 1, 1, 3, 0),
        (CacheOp::And | CacheOp::Or | CacheOp::Xor, _) => ("load, logic with memory, store", 2, 1, 3, 0),
        (CacheOp::Compare, _) => ("load, compare with memory, move mask, shift, or", 2, 0, 5, 0),
        (CacheOp::Search, _) => ("compare key register with memory, move mask, shift, or", 1, 0, 4, 0),
        (CacheOp::Clmul, 0) => ("4 × (load, and with memory, popcount, shift out, shift in)", 8, 0, 20, 4),
        (CacheOp::Clmul, 1) => (
            "load, and with memory, shuffle, xor, move, extract, move, 2 × (popcount, shift out, shift in)",
            2,
            0,
            13,
            2,
        ),
        (CacheOp::Clmul, _) => {
            ("load, and with memory, extract, xor, shuffle, xor, move, popcount, shift out, shift in", 2, 0, 10, 1)
        }
    };
    Body { text, loads, stores, instructions, counts }
}

impl Body {
    /// One instruction a cycle, all accesses hit, branches predicted.
    pub fn simple(&self) -> f64 {
        f64::from(self.instructions + LOOP)
    }

    /// Four instructions a cycle, of these two loads, one store and one population count; unrolled without end; all
    /// accesses hit.
    pub fn strict(&self) -> f64 {
        let widths = [(self.instructions, 4.0), (self.loads, 2.0), (self.stores, 1.0), (self.counts, 1.0)];
        widths.into_iter().map(|(count, width)| f64::from(count) / width).fold(0.0, f64::max)
    }
}

/// The operations measured: with granularity.
fn operations() -> impl Iterator<Item = (CacheOp, u8)> {
    CacheOp::ALL.into_iter().flat_map(|op| {
        let grains = if op.has(control::GRAIN) { 0..3 } else { 0..1 };
        grains.map(move |grain| (op, grain))
    })
}

/// The instructions of one operation on operands number `n`.
fn operation(geometry: &CacheGeometry, op: CacheOp, grain: u8, n: u32, near: bool) -> Vec<CacheInstruction> {
    // Operands of 4 KiB in turn, two pages apart, all in the same place of a page; near place: one of them a block
    // further.
    let page = |which: u32| (3 * n + which) % (geometry.bytes() as u32 / OPERAND / 2) * 2 * OPERAND;
    let aside = if near { geometry.block_bytes as u32 } else { 0 };
    let (a, b, d) = (page(0), page(1) + if op.has(control::B) { aside } else { 0 }, page(2) + aside);
    let each = op.largest(grain).min(OPERAND);
    let part = |i: u32| {
        // One key for all parts of a search.
        let b = if op.has(control::KEY) { b } else { b + i * each };
        let d = if op.has(control::B) { page(2) } else { d };
        CacheInstruction { grain, ..CacheInstruction::new(op, a + i * each, b, d + i * each, each) }
    };
    (0..OPERAND / each).map(part).collect()
}

/// Cycles of one operation alone, and of one in a stream of them.
fn measure(geometry: &CacheGeometry, op: CacheOp, grain: u8, near: bool, seed: u64) -> Result<(u64, f64)> {
    let mut machine = CacheMachine::native(geometry, seed)?;
    let alone = machine.run_legal(&operation(geometry, op, grain, 0, near))?.cycles();
    const STREAM: u32 = 24;
    let stream: Vec<_> = (1..=STREAM).flat_map(|n| operation(geometry, op, grain, n, near)).collect();
    let run = machine.run_legal(&stream)?;
    // Without the first ones, which fill the pipeline.
    let each = stream.len() / STREAM as usize;
    let (from, to) = (run.at[8 * each - 1], run.at[STREAM as usize * each - 1]);
    Ok((alone, (to - from) as f64 / f64::from(STREAM - 8)))
}

/// Measures every operation.
///
/// # Errors
/// [`Error::Parameter`] if the geometry breaks a rule or is too small for the operands.
pub fn figures(geometry: &CacheGeometry, seed: u64) -> Result<Vec<CacheFigure>> {
    geometry.check()?;
    if geometry.bytes() < 8 * OPERAND as usize || geometry.block_bytes < VECTOR as usize {
        let rule = format!("must have blocks of 64 bytes, and hold eight operands of {OPERAND} bytes");
        return Err(Error::parameter("geometry", &geometry.name, rule));
    }
    operations().map(|(op, grain)| figure(geometry, op, grain, seed)).collect()
}

fn figure(geometry: &CacheGeometry, op: CacheOp, grain: u8, seed: u64) -> Result<CacheFigure> {
    let (latency, cycles) = measure(geometry, op, grain, false, seed)?;
    let has_near = op.has(control::B) || op.has(control::A) && op.has(control::D);
    let near = if has_near { Some(measure(geometry, op, grain, true, seed)?) } else { None };
    let body = body(op, grain);
    let vectors = f64::from(OPERAND / VECTOR);
    let (simple, strict) = (vectors * body.simple(), vectors * body.strict());
    Ok(CacheFigure {
        op: op.name(),
        grain: op.has(control::GRAIN).then(|| 64 << grain),
        instructions: (OPERAND / op.largest(grain).min(OPERAND)).into(),
        latency,
        cycles,
        near_latency: near.map(|n| n.0),
        near_cycles: near.map(|n| n.1),
        simple,
        strict,
        ratio: simple / cycles,
        ratio_alone: simple / latency as f64,
        ratio_strict: strict / cycles,
    })
}

/// Averages over the operations: arithmetic means of the ratios.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Means {
    /// In a stream, against the simple loop.
    pub stream: f64,
    /// Alone, against the simple loop.
    pub alone: f64,
    /// In a stream, against the strict loop.
    pub strict: f64,
    /// Near place, in a stream, against the simple loop.
    pub near: f64,
    /// In a stream, against the simple loop: copy, compare, search and or, which are the paper's kinds of operation
    /// without the carry-less products.
    pub paper_kinds: f64,
}

/// The averages.
pub fn means(figures: &[CacheFigure]) -> Means {
    let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let kinds = [CacheOp::Copy, CacheOp::Compare, CacheOp::Search, CacheOp::Or].map(CacheOp::name);
    Means {
        stream: mean(figures.iter().map(|f| f.ratio).collect()),
        alone: mean(figures.iter().map(|f| f.ratio_alone).collect()),
        strict: mean(figures.iter().map(|f| f.ratio_strict).collect()),
        near: mean(figures.iter().filter_map(|f| Some(f.simple / f.near_cycles?)).collect()),
        paper_kinds: mean(figures.iter().filter(|f| kinds.contains(&f.op)).map(|f| f.ratio).collect()),
    }
}

/// All of it as JSON.
pub fn json(geometry: &CacheGeometry, figures: &[CacheFigure]) -> String {
    let bodies: Vec<_> = operations().map(|(op, grain)| (op.name(), 64 << grain, body(op, grain))).collect();
    let value = serde_json::json!({
        "geometry": geometry,
        "operand_bytes": OPERAND,
        "vector_bytes": VECTOR,
        "paper_average_throughput": PAPER,
        "figures": figures,
        "means": means(figures),
        "loops": bodies,
    });
    serde_json::to_string_pretty(&value).expect("numbers and strings always serialise") + "\n"
}

/// All of it as Markdown.
pub fn markdown(geometry: &CacheGeometry, figures: &[CacheFigure]) -> String {
    let CacheGeometry { name, banks, sub_arrays, partitions, rows, issue, block_bytes, .. } = geometry;
    let mut text = format!(
        "Compute cache `{name}`: {banks} banks × {sub_arrays} sub-arrays × {partitions} partitions × {rows} rows of \
         {block_bytes}-byte \
         blocks, {issue} block operations a cycle.\nCycles for operands of {OPERAND} bytes.\n\n\
         | operation | instructions | alone | in a stream | near, alone | near, in a stream | simple loop | ratio | \
         ratio, alone | \
         strict loop | ratio |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"
    );
    for f in figures {
        let op = f.grain.map_or(f.op.to_string(), |grain| format!("{}, {grain} bits", f.op));
        let near = f.near_latency.map_or("–".into(), |n| n.to_string());
        let near_stream = f.near_cycles.map_or("–".into(), |n| format!("{n:.1}"));
        text += &format!(
            "| {op} | {} | {} | {:.1} | {near} | {near_stream} | {:.0} | {:.0} | {:.0} | {:.0} | {:.0} |\n",
            f.instructions, f.latency, f.cycles, f.simple, f.ratio, f.ratio_alone, f.strict, f.ratio_strict
        );
    }
    let m = means(figures);
    text += &format!(
        "\nMean ratios: {:.0} in a stream, {:.0} alone; {:.0} in a stream over copy, compare, search and or. The \
         paper's average: \
         {PAPER:.0}.\nAgainst the strict loop: {:.0} in a stream. Near place, in a stream, against the simple loop: \
         {:.1}.\n\n\
         Alone: from the cycle in which the first instruction is taken to that of the last result. In a stream: cycles \
         from one \
         operation's end to the next one's. Every search operation has a key of its own.\n\
         Simple loop: one instruction a cycle, all accesses hit, branches predicted; the body below, add and branch, \
         for each \
         {VECTOR} bytes.\nStrict loop: four instructions a cycle, of these two loads, one store and one population \
         count; unrolled \
         without end.\n\n| operation | body for {VECTOR} bytes | simple | strict |\n|---|---|--:|--:|\n",
        m.stream, m.alone, m.paper_kinds, m.strict, m.near
    );
    for (op, grain) in operations() {
        let body = body(op, grain);
        let name =
            if op.has(control::GRAIN) { format!("{}, {} bits", op.name(), 64 << grain) } else { op.name().into() };
        text += &format!("| {name} | {} | {:.0} | {:.2} |\n", body.text, body.simple(), body.strict());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cycles follow from the geometry: blocks over banks in place, accesses of the interconnect near place.
    #[test]
    fn figures_follow_from_the_geometry() {
        let geometry = CacheGeometry::preset("l2").expect("named");
        let blocks = u64::from(OPERAND) / geometry.block_bytes as u64;
        let all = figures(&geometry, 1).expect("large enough");
        for f in &all {
            let op = CacheOp::ALL.into_iter().find(|op| op.name() == f.op).expect("named");
            // A new key: read, on its way twice, written.
            let key = if op.has(control::KEY) { 4 } else { 0 };
            assert_eq!(f.cycles, (blocks / geometry.issue as u64 + key) as f64, "{f:?}");
            assert_eq!(f.latency, blocks / geometry.issue as u64 + key + 6, "{f:?}");
            if let Some(near) = f.near_cycles {
                let accesses = 1 + u64::from(op.has(control::B)) + u64::from(op.has(control::D));
                let least = (blocks * accesses) as f64;
                assert!(near >= least && near < 1.2 * least + 30.0, "{f:?}");
            }
        }
        let json: serde_json::Value = serde_json::from_str(&json(&geometry, &all)).expect("it is JSON");
        assert_eq!(json["figures"].as_array().map(Vec::len), Some(all.len()));
        assert!(figures(&CacheGeometry::preset("tiny").expect("named"), 1).is_err());
    }

    #[test]
    fn loops_cost_what_their_bodies_say() {
        let costs = |op, grain| (body(op, grain).simple(), body(op, grain).strict());
        assert_eq!(costs(CacheOp::Copy, 0), (4.0, 1.0));
        assert_eq!(costs(CacheOp::Xor, 0), (5.0, 1.0));
        assert_eq!(costs(CacheOp::Compare, 0), (7.0, 1.25));
        assert_eq!(costs(CacheOp::Clmul, 0), (22.0, 5.0));
    }
}
