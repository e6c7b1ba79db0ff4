//! The report in Markdown and JSON.

mod choices;

use std::fmt::Write as _;

use super::measure::{Measured, Span};
use super::{Figure, PAPER, Report, Row};

/// Most launches of a program that Figure 11 has one by one.
const MOST_LAUNCHES: usize = 12;

/// The geometric mean, of positive numbers.
pub fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value.ln(), count + 1));
    if count == 0 { 0.0 } else { (sum / f64::from(count)).exp() }
}

/// A ratio of counts, 1 where there are none.
pub fn over(one: u64, other: u64) -> f64 {
    if other == 0 { 1.0 } else { one as f64 / other as f64 }
}

/// A table: names of columns, the first of text and all others of numbers, and rows.
fn table(names: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut text = format!("| {} |\n|---|{}\n", names.join(" | "), "--:|".repeat(names.len() - 1));
    rows.for_each(|row| _ = writeln!(text, "| {} |", row.join(" | ")));
    text
}

/// A number with three significant digits.
fn short(value: f64) -> String {
    match value.abs() {
        v if v >= 100.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        v if v >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

fn per_cent(part: u64, all: u64) -> String {
    format!("{:.1} %", 100.0 * part as f64 / all.max(1) as f64)
}

impl Report {
    /// As JSON.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("numbers and strings always serialise") + "\n"
    }

    /// As Markdown, a table for each figure, with a sentence on what was measured and what the paper has.
    pub fn markdown(&self) -> String {
        let figures: [Figure; 9] = [
            (6, Report::time),
            (7, Report::fast),
            (8, Report::energy),
            (9, Report::utilisation),
            (10, Report::cpu),
            (11, Report::launches),
            (12, Report::latency),
            (13, Report::compiler),
            (14, Report::shares),
        ];
        let wanted = figures.iter().filter(|figure| self.figures.contains(&figure.0));
        let texts: Vec<String> = wanted.map(|figure| figure.1(self)).collect();
        let quick = if self.quick { "Sizes are those of `--quick`: figures say nothing.\n\n" } else { "" };
        format!("{quick}{}", texts.join("\n"))
    }

    fn rows(&self) -> impl Iterator<Item = &Row> {
        self.programs.iter()
    }

    fn measured(&self) -> impl Iterator<Item = &Measured> {
        self.rows().map(|row| &row.measured)
    }

    fn ms(&self, cycles: u64) -> String {
        short(1e3 * cycles as f64 / self.clock)
    }

    /// Cycles, and their parts, of each program.
    fn time(&self) -> String {
        let names = [
            "program",
            "data",
            "launches",
            "threads",
            "arrays a thread",
            "cycles",
            "compute",
            "memory",
            "memory, part",
            "ms",
        ];
        let row = |m: &Measured| {
            let arrays: Vec<String> = m.arrays.iter().map(usize::to_string).collect();
            vec![
                m.program.clone(),
                m.size.clone(),
                m.launches.to_string(),
                m.threads.to_string(),
                arrays.join(" or "),
                m.cost.cycles.to_string(),
                m.cost.compute.to_string(),
                m.cost.memory().to_string(),
                per_cent(m.cost.memory(), m.cost.cycles),
                self.ms(m.cost.cycles),
            ]
        };
        format!(
            "## Figure 6: time\n\nCycles of the model of the system with memory {} and the server's {} ways of 128 KB, \
             each a control block or, where no wave wants it and in any case one of each slice, a part of the cache; \
             milliseconds at {} GHz. As in the paper, *compute* is what the operations on the critical path take, and \
             *memory* all other cycles: words of memory, programs on their way, and rows that are filled when a wave \
             begins, which the paper does not count. Launches begin with empty caches, one behind the other; the \
             host's time between them is not in it. No GPU was measured: the paper's is {:.1} × (Rodinia) and \
             {:.1} × (OpenACC) slower than its Duality Cache, the GPU's copies of memory included.\n\n{}",
            self.memories[0],
            self.control_blocks,
            self.clock / 1e9,
            PAPER.over_gpu[0],
            PAPER.over_gpu[1],
            table(&names, self.measured().map(row))
        )
    }

    fn fast(&self) -> String {
        let (slow, fast) = (&self.memories[0], &self.memories[1]);
        let names = ["program", slow, fast, "compute", "memory", "ms", "one over the other"];
        let row = |m: &Measured| {
            let cost = m.fast?;
            Some(vec![
                m.program.clone(),
                m.cost.cycles.to_string(),
                cost.cycles.to_string(),
                cost.compute.to_string(),
                cost.memory().to_string(),
                self.ms(cost.cycles),
                short(over(m.cost.cycles, cost.cycles)),
            ])
        };
        format!(
            "## Figure 7: with the memory of a GPU\n\nThe same cycles with {fast} in place of {slow}, of the same \
             latency. No GPU was measured: kernels of the paper's, without copies, are {} × (Rodinia) and {} × \
             (OpenACC) slower than its Duality Cache with such memory.\n\n{}",
            PAPER.over_gpu_kernels[0],
            PAPER.over_gpu_kernels[1],
            table(&names, self.measured().filter_map(row))
        )
    }

    fn energy(&self) -> String {
        let names = ["program", "core", "memory", "loads and stores", "compute", "all, mJ", "compute, part"];
        let row = |row: &Row| {
            let e = &row.energy;
            let mut cells = vec![row.measured.program.clone()];
            cells.extend([e.core, e.memory, e.accesses, e.compute, e.all()].map(short));
            cells.push(format!("{:.1} %", 100.0 * e.compute / e.all()));
            cells
        };
        format!(
            "## Figure 8: energy, estimated\n\nAn estimate in mJ, not a measurement: what the model counts for \
             Figure 6, times the constants below. As in the paper, one core is active all the time; neither idle \
             memory nor leakage is in it. The paper's Duality Cache takes {} × less than its server with a GPU, of \
             which there is nothing here.\n\n{}\n{}",
            PAPER.energy,
            table(&names, self.rows().map(row)),
            self.constants.text()
        )
    }

    fn utilisation(&self) -> String {
        let names = ["program", "waves", "most of a launch", "control blocks at work", "part"];
        let row = |m: &Measured| {
            let at_work = m.cost.at_work();
            vec![
                m.program.clone(),
                m.waves.to_string(),
                m.most_waves.to_string(),
                format!("{at_work:.1}"),
                format!("{:.1} %", 100.0 * at_work / self.control_blocks as f64),
            ]
        };
        format!(
            "## Figure 9: control blocks at work\n\nControl blocks that have a wave, in the mean over the cycles of \
             Figure 6, of {}; the model leaves one way of each slice to the cache, the paper none. A wave is what a \
             control block holds: 1,024 threads of four arrays each, and as many more as they have fewer.\n\n{}",
            self.control_blocks,
            table(&names, self.measured().map(row))
        )
    }

    fn cpu(&self) -> String {
        let Some(cpu) = &self.cpu else {
            return "## Figure 10: beside a CPU\n\nNot measured: there is no C++ compiler with OpenMP (`g++` or \
                    `clang++`, or what `CXX` names).\n"
                .into();
        };
        let names = ["program", "CPU, ms", "model, ms", "CPU over model"];
        let ratio = |row: &Row| row.cpu_milliseconds.map(|cpu| cpu / row.milliseconds);
        let line = |row: &Row| {
            let ms = row.cpu_milliseconds?;
            Some(vec![row.measured.program.clone(), short(ms), short(row.milliseconds), short(ratio(row)?)])
        };
        format!(
            "## Figure 10: beside a CPU\n\nThe same launches as C++ on this machine, the fastest of up to fifteen runs \
             on all of its cores and as many on one, caches as the run before has left them; kernels without barriers \
             from the source of the GPU's, in loops over threads, others as loops written for a CPU; results are the \
             same. The CPU was measured: {}, {} cores, {}`{}`. The other column is a model at {} GHz. The paper's \
             averages over two sockets of a Xeon E5-2697 v3 are {} × (Rodinia) and {} × (OpenACC), on its \
             data.\n\n{}\nIn the geometric mean: {} ×.\n",
            cpu.model,
            cpu.cores,
            cpu.load.map_or(String::new(), |load| format!("which {load:.1} processes wanted when it began, ")),
            cpu.compiler,
            self.clock / 1e9,
            PAPER.over_cpu[0],
            PAPER.over_cpu[1],
            table(&names, self.rows().filter_map(line)),
            short(mean(self.rows().filter_map(ratio)))
        )
    }

    fn launches(&self) -> String {
        let names = ["program", "launch", "kernel", "begins at cycle", "cycles", "CTAs", "threads", "waves"];
        let several = self.measured().filter(|m| m.launches > 2);
        let rows = several.flat_map(|m| {
            let line = move |(number, span): (usize, &Span)| {
                vec![
                    m.program.clone(),
                    (number + 1).to_string(),
                    span.kernel.clone(),
                    span.begin.to_string(),
                    span.cycles.to_string(),
                    span.ctas.to_string(),
                    span.threads.to_string(),
                    span.waves.to_string(),
                ]
            };
            chosen(m.launched.len()).into_iter().map(move |number| line((number, &m.launched[number])))
        });
        format!(
            "## Figure 11: launches in time\n\nLaunches of programs that have more than two, with the cycles of Figure \
             6; of long rows of launches some, at equal distances. The paper shows `bfs` and `lud`, whose small \
             kernels it gives to the host; nothing runs on the host here.\n\n{}",
            table(&names, rows)
        )
    }
}

/// Numbers of launches that are shown of so many.
fn chosen(count: usize) -> Vec<usize> {
    let shown = count.min(MOST_LAUNCHES);
    (0..shown).map(|k| if shown < 2 { 0 } else { k * (count - 1) / (shown - 1) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!([1234.5, 12.345, 1.2345, 0.12345].map(short), ["1234", "12.3", "1.23", "0.123"]);
        assert_eq!(per_cent(1, 8), "12.5 %");
        assert!((mean([2.0, 8.0].into_iter()) - 4.0).abs() < 1e-12);
        assert_eq!((over(3, 2), over(3, 0)), (1.5, 1.0));
    }

    #[test]
    fn launches_are_shown_from_first_to_last() {
        assert_eq!(chosen(3), [0, 1, 2]);
        assert_eq!(chosen(1), [0]);
        let some = chosen(1000);
        assert_eq!((some.len(), some[0], some[11]), (12, 0, 999));
        assert!(some.is_sorted());
    }
}
