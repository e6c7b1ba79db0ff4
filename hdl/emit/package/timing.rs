//! Timing diagrams as SVG, drawn from a trace. Cycles in which nothing drawn changes are folded into one column that
//! says how many.

use std::fmt::Write as _;

use super::run::Trace;

const CELL: usize = 42;
const ROW: usize = 30;
const HIGH: usize = 18;
const NAMES: usize = 130;
const TOP: usize = 56;
/// A character of the title.
const TITLE: usize = 9;
/// Equal cycles that are drawn before the rest of them is folded.
const STILL: usize = 2;

/// A column: one cycle, or several that are all the same.
struct Column {
    cycle: usize,
    cycles: usize,
}

/// The diagram; `origin` goes into a comment.
pub(super) fn svg(trace: &Trace, title: &str, origin: &str) -> String {
    let columns = columns(trace);
    let width = (NAMES + CELL * columns.len() + 20).max(TITLE * title.len());
    let height = TOP + ROW * (trace.signals.len() + 1) + 20;
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- {origin} -->\n<svg xmlns=\"http://www.w3.org/2000/svg\" \
         width=\"{width}\" \
         height=\"{height}\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <title>{title}</title>\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n\
         <text x=\"10\" y=\"20\" font-size=\"14\" font-weight=\"bold\">{title}</text>\n"
    );
    for (i, column) in columns.iter().enumerate() {
        let x = NAMES + i * CELL;
        let label = if column.cycles == 1 { format!("{}", column.cycle) } else { format!("{} ×", column.cycles) };
        let bottom = height - 14;
        let _ = writeln!(text, "<path d=\"M{x} {} V{bottom}\" stroke=\"#ddd\"/>", TOP - 8);
        let colour = if column.cycles == 1 { "#888" } else { "#c60" };
        let middle = x + CELL / 2;
        let _ = writeln!(
            text,
            "<text x=\"{middle}\" y=\"{}\" fill=\"{colour}\" font-size=\"9\" text-anchor=\"middle\">{label}</text>",
            TOP - 12
        );
    }
    clock(&mut text, &columns);
    for (i, (name, bits)) in trace.signals.iter().enumerate() {
        let values: Vec<u64> = columns.iter().map(|column| trace.cycles[column.cycle][i]).collect();
        let y = TOP + ROW * (i + 1);
        label(&mut text, y, name);
        if *bits == 1 { wire(&mut text, y, &values) } else { bus(&mut text, y, &values) }
    }
    text + "</svg>\n"
}

/// Cycles by number, runs of equal ones folded.
fn columns(trace: &Trace) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::new();
    let mut still = 0;
    for (cycle, values) in trace.cycles.iter().enumerate() {
        let same = cycle > 0 && trace.cycles[cycle - 1] == *values;
        still = if same { still + 1 } else { 0 };
        match columns.last_mut() {
            Some(last) if still > STILL => last.cycles += 1,
            _ => columns.push(Column { cycle, cycles: 1 }),
        }
    }
    columns
}

fn label(text: &mut String, y: usize, name: &str) {
    let _ = writeln!(text, "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{name}</text>", NAMES - 8, y + HIGH - 5);
}

fn clock(text: &mut String, columns: &[Column]) {
    label(text, TOP, "aclk");
    let (low, high) = (TOP + HIGH, TOP);
    let mut path = format!("M{NAMES} {low}");
    for (i, column) in columns.iter().enumerate() {
        let x = NAMES + i * CELL;
        if column.cycles == 1 {
            let _ = write!(path, " L{x} {high} L{} {high} L{} {low} L{} {low}", x + CELL / 2, x + CELL / 2, x + CELL);
        } else {
            let middle = (low + high) / 2;
            let _ = write!(path, " M{x} {middle} L{} {middle} M{} {low}", x + CELL, x + CELL);
        }
    }
    let _ = writeln!(text, "<path d=\"{path}\" fill=\"none\" stroke=\"#246\"/>");
}

fn wire(text: &mut String, y: usize, values: &[u64]) {
    let level = |value: u64| if value == 0 { y + HIGH } else { y };
    let mut path = String::new();
    for (i, &value) in values.iter().enumerate() {
        let (x, at) = (NAMES + i * CELL, level(value));
        let _ = if i == 0 { write!(path, "M{x} {at}") } else { write!(path, " L{} {at}", x + 4) };
        let _ = write!(path, " L{} {at}", x + CELL);
    }
    let _ = writeln!(text, "<path d=\"{path}\" fill=\"none\" stroke=\"#246\"/>");
}

fn bus(text: &mut String, y: usize, values: &[u64]) {
    let mut start = 0;
    while start < values.len() {
        let same = values[start..].iter().take_while(|&&v| v == values[start]).count();
        let (x, end) = (NAMES + start * CELL, NAMES + (start + same) * CELL);
        let (low, middle) = (y + HIGH, y + HIGH / 2);
        let _ = writeln!(
            text,
            "<path d=\"M{x} {middle} L{} {y} L{} {y} L{end} {middle} L{} {low} L{} {low} Z\" fill=\"#f4f7fb\" \
             stroke=\"#246\"/>",
            x + 4,
            end - 4,
            end - 4,
            x + 4
        );
        let value = format!("{:x}", values[start]);
        // As many digits as there is room for.
        let room = (same * CELL - 8) / 6;
        let value = if value.len() > room { format!("…{}", &value[value.len() - (room - 1)..]) } else { value };
        let _ = writeln!(
            text,
            "<text x=\"{}\" y=\"{}\" font-size=\"10\" text-anchor=\"middle\">{value}</text>",
            (x + end) / 2,
            y + HIGH - 5
        );
        start += same;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_without_change_are_folded() {
        let values = [0, 1, 1, 1, 1, 1, 1, 0, 0];
        let trace = Trace {
            signals: vec![("busy".into(), 1), ("word".into(), 32)],
            cycles: values.iter().map(|&v| vec![v, 0x1234_5678 + v]).collect(),
        };
        let found: Vec<(usize, usize)> = columns(&trace).iter().map(|c| (c.cycle, c.cycles)).collect();
        assert_eq!(found, [(0, 1), (1, 1), (2, 1), (3, 4), (7, 1), (8, 1)]);
        let svg = svg(&trace, "title", "origin");
        for part in ["<!-- origin -->", ">busy<", ">4 ×<", ">12345679<", "…5678"] {
            assert!(svg.contains(part), "{part} in {svg}");
        }
    }
}
