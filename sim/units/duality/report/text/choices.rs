//! Figures 12 to 14: what micro-programs, compiler and shares of the cache make of it.

use super::{mean, over, short, table};
use crate::units::duality::report::measure::Measured;
use crate::units::duality::report::{PAPER, Report};

impl Report {
    pub(super) fn latency(&self) -> String {
        let names = [
            "operation",
            "executed",
            "measured",
            "papers' algorithm",
            "same for all data",
            "skipping",
            "first over last",
        ];
        let rows = self.operations.iter().map(|one| {
            let number = |value: Option<f64>| value.map_or("–".into(), |value| format!("{value:.0}"));
            let gain = one.baseline.zip(one.skip).map_or("–".into(), |(baseline, skip)| short(baseline / skip));
            vec![
                one.operation.into(),
                one.executed.to_string(),
                one.measured.to_string(),
                number(one.baseline),
                number(Some(one.fast)),
                number(one.skip),
                gain,
            ]
        });
        format!(
            "## Figure 12: cycles of operations\n\nMean cycles on operands that words of the programs had, in all \
             threads of a control block, on the array's cycle model, weighted by how often each was executed; \
             columns are sets of micro-programs. The compiler takes those that are the same for all data, and of \
             floating-point products and quotients those that skip; integer products are those of the lower half in \
             the first case, and of all bits in the two other columns. Floating-point operations by the papers' \
             algorithms search for what operands have, sums for each difference of exponents, and round as all others \
             do. The paper has {} × for integer products and {} × for floating-point additions, over its own baseline: \
             of additions, that is such a search over one for all differences, which `baseline` is in its \
             [worst case](array.md#floating-point).\n\n{}",
            PAPER.operations[0],
            PAPER.operations[1],
            table(&names, rows)
        )
    }

    pub(super) fn compiler(&self) -> String {
        let names = [
            "program",
            "compute, plain",
            "compiled",
            "plain over compiled",
            "all, plain",
            "compiled",
            "plain over compiled",
            "requests, plain",
            "compiled",
            "fewer",
        ];
        let with: Vec<_> = self.measured().filter_map(|m| Some((m, m.simple?))).collect();
        let rows = with.iter().map(|(m, plain)| {
            let fewer = 100.0 * (1.0 - over(m.cost.asked(), plain.asked()));
            vec![
                m.program.clone(),
                plain.compute.to_string(),
                m.cost.compute.to_string(),
                short(over(plain.compute, m.cost.compute)),
                plain.cycles.to_string(),
                m.cost.cycles.to_string(),
                short(over(plain.cycles, m.cost.cycles)),
                plain.asked().to_string(),
                m.cost.asked().to_string(),
                format!("{fewer:.1} %"),
            ]
        });
        let table = table(&names, rows);
        let compute = mean(with.iter().map(|(m, plain)| over(plain.compute, m.cost.compute)));
        let all = mean(with.iter().map(|(m, plain)| over(plain.cycles, m.cost.cycles)));
        let fewer = 100.0 * (1.0 - mean(with.iter().map(|(m, plain)| over(m.cost.asked(), plain.asked()))));
        format!(
            "## Figure 13: the compiler\n\n*Plain* is the translation without scheduling, one array a thread \
             (`--simple`); the compiler takes as many arrays as its estimate likes best for this server. Compute is \
             that of Figure 6, requests are those to the cache ways, for threads, spill rows and programs. With one \
             array a control block holds four times as many threads, so that fewer control blocks are at work, which \
             all cycles show and those of compute do not; where ports of slices or the one way that is left as a \
             cache hold everybody up, that is an advantage, of which the compiler knows \
             nothing.\n\n{table}\nIn the geometric mean: compute {} ×, all {} ×, \
             {fewer:.1} % fewer requests. The paper's: {} ×, {} ×, {} % fewer accesses.\n",
            short(compute),
            short(all),
            PAPER.compiler[0],
            PAPER.compiler[1],
            PAPER.compiler[2]
        )
    }

    pub(super) fn shares(&self) -> String {
        let names = [
            "program",
            "ways of a slice",
            "control blocks",
            "compute",
            "cycles",
            "compute, to the first",
            "cycles, to the first",
            "misses",
        ];
        let several: Vec<&Measured> = self.measured().filter(|m| !m.shares.is_empty()).collect();
        let rows = several.iter().flat_map(|m| {
            m.shares.iter().map(|share| {
                vec![
                    m.program.clone(),
                    share.ways.to_string(),
                    share.blocks.to_string(),
                    share.cost.compute.to_string(),
                    share.cost.cycles.to_string(),
                    short(over(share.cost.compute, m.shares[0].cost.compute)),
                    short(over(share.cost.cycles, m.shares[0].cost.cycles)),
                    share.cost.requests.misses.to_string(),
                ]
            })
        });
        let best = several.iter().filter_map(|m| {
            let least = m.shares.iter().map(|share| share.cost.cycles).min()?;
            Some(over(m.shares[0].cost.cycles, least))
        });
        format!(
            "## Figure 14: ways of the cache\n\nCycles when so many ways of each slice are a cache and all others \
             control blocks, of programs that have waves for half of the control blocks. The paper compares with no \
             cache at all, which the hardware here does not have, and gives its kernels more control blocks than \
             programs of this size fill.\n\n{}\nThe best share over the first, in the geometric mean: {} ×. The \
             paper's: {} ×.\n",
            table(&names, rows),
            short(mean(best)),
            PAPER.cache
        )
    }
}
