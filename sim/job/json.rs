//! What a run leaves behind, as JSON.

use std::path::Path;

use serde_json::{Value, json};

use super::report::{Outcome, Report};
use super::shown::Shown;

impl Report {
    /// Cycles, rows and beats.
    pub fn json(&self) -> Value {
        let p = &self.params;
        let commands = self.commands.iter().map(|c| {
            json!({
                "line": c.line, "text": c.text, "runs": c.runs,
                "rtl_cycles": c.rtl_cycles, "latency_cycles": c.latency_cycles,
            })
        });
        let across = self.across.iter().map(|a| {
            let cycles = self.beats_of(a.rows);
            json!({ "line": a.line, "text": a.text, "runs": a.runs, "rows_out": a.rows, "stream_cycles": cycles })
        });
        json!({
            "design": {
                "name": p.name, "rows": p.rows, "columns": p.columns,
                "sensing": p.sensing.name(), "memory": p.memory.name(),
            },
            "elements": self.elements,
            "chunks": self.chunks,
            "commands": commands.collect::<Vec<Value>>(),
            "across": across.collect::<Vec<Value>>(),
            "rtl_cycles": self.rtl_cycles(),
            "latency_cycles": self.latency_cycles(),
            "clock_cycles": self.clock_cycles,
            "rows_in": self.rows_in,
            "rows_out": self.rows_out,
            "beats": self.beats(),
            "beat_bits": p.beat_bits(),
        })
    }
}

impl Outcome {
    /// Everything: the report, what was printed, files written, expectations that did not hold.
    pub fn json(&self, wrote: &[&Path]) -> String {
        let mut value = self.report.json();
        value["printed"] = self.printed.iter().map(Shown::json).collect();
        value["files"] = wrote.iter().map(|path| Value::from(path.display().to_string())).collect();
        value["failures"] = self.failures.iter().map(|failure| Value::from(failure.as_str())).collect();
        format!("{value:#}\n")
    }

    /// The same for people.
    pub fn text(&self, wrote: &[&Path]) -> String {
        let mut text: String = self.printed.iter().map(|shown| format!("{shown}\n")).collect();
        if !text.is_empty() {
            text.push('\n');
        }
        text += &format!("{}\n", self.report);
        wrote.iter().for_each(|path| text += &format!("wrote {}\n", path.display()));
        text
    }
}
