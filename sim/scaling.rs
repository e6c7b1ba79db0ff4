//! How cost grows with columns and arrays, from what `scripts/scaling.sh` measured, and how many arrays an FPGA holds
//! by that.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::plot::{COLOURS, HEIGHT, LEFT, Plot, TOP};
use crate::error::{Error, Result};
use crate::kernel::input;

/// One measurement: arrays under one sequencer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Point {
    /// Columns of an array.
    pub columns: u32,
    /// Arrays.
    pub arrays: u32,
    /// LUT.
    pub lut: u32,
    /// Flip-flops.
    pub ff: u32,
    /// Block RAM of 36 Kibit.
    pub ramb36: u32,
    /// Block RAM of 18 Kibit, half of one of 36.
    pub ramb18: u32,
}

/// The names of a table's cells.
const CELLS: [&str; 6] = ["columns", "arrays", "lut", "ff", "ramb36", "ramb18"];

/// What an FPGA has.
#[derive(Clone, Copy, Debug)]
pub struct Device {
    /// Its name.
    pub name: &'static str,
    /// LUT.
    pub lut: u64,
    /// Flip-flops.
    pub ff: u64,
    /// Halves of block RAM of 36 Kibit.
    pub ramb18: u64,
}

/// The VC709's (7 Series FPGAs Overview, DS180).
pub const XC7VX690T: Device = Device { name: "XC7VX690T", lut: 433_200, ff: 866_400, ramb18: 2 * 1470 };

/// Reads a table with the columns of [`Point`]; gives it in order.
///
/// # Errors
/// [`Error::File`] if it cannot be read or has too little for a line through it; [`Error::Syntax`] with the line and
/// the cell that is wrong.
pub fn read(path: &Path) -> Result<Vec<Point>> {
    let text = input::text(path)?;
    let origin = path.display().to_string();
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let wrong = |line: usize, reason: String| Error::Syntax { origin: origin.clone(), line: line + 1, reason };
    let (at, head) = lines.next().ok_or_else(|| Error::file(path, "has no measurements"))?;
    if head.split(',').map(str::trim).ne(CELLS) {
        return Err(wrong(at, format!("`{head}`: must be {}", CELLS.join(","))));
    }
    let mut points: Vec<Point> = Vec::new();
    for (at, line) in lines {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        if cells.len() != CELLS.len() {
            return Err(wrong(at, format!("`{line}`: must have {} cells", CELLS.len())));
        }
        let mut values = [0u32; CELLS.len()];
        for ((value, cell), name) in values.iter_mut().zip(cells).zip(CELLS) {
            let least = u32::from(["columns", "arrays"].contains(&name));
            *value = cell.parse().ok().filter(|&value| value >= least).ok_or_else(|| {
                let rule = format!("must be a whole number from {least} to {}", u32::MAX);
                wrong(at, Error::parameter(name, cell, rule).to_string())
            })?;
        }
        let [columns, arrays, lut, ff, ramb36, ramb18] = values;
        if points.iter().any(|p| (p.columns, p.arrays) == (columns, arrays)) {
            return Err(wrong(at, format!("columns = {columns}, arrays = {arrays}: must be there only once")));
        }
        points.push(Point { columns, arrays, lut, ff, ramb36, ramb18 });
    }
    points.sort_by_key(|p| (p.columns, p.arrays));
    if points.is_empty() || points.iter().any(|p| points.iter().filter(|q| q.columns == p.columns).count() < 2) {
        return Err(Error::file(path, "must have at least two numbers of arrays for each number of columns"));
    }
    Ok(points)
}

/// How many arrays of so many columns fit, by each resource; the least of them counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fit {
    /// Columns of an array.
    pub columns: u32,
    /// What stays the same: LUT, flip-flops, halves of block RAM.
    pub fixed: [i64; 3],
    /// What each array takes of them.
    pub each: [i64; 3],
    /// Arrays by each of them; none where arrays take nothing of it.
    pub arrays: [Option<i64>; 3],
}

impl Fit {
    /// Arrays that fit.
    pub fn most(&self) -> i64 {
        self.arrays.into_iter().flatten().min().unwrap_or(0)
    }
}

/// From the measurements with the fewest and the most arrays of each number of columns: a straight line through them.
pub fn fits(points: &[Point], device: &Device) -> Vec<Fit> {
    let mut columns: Vec<u32> = points.iter().map(|p| p.columns).collect();
    columns.sort_unstable();
    columns.dedup();
    let cost = |p: &Point| [p.lut.into(), p.ff.into(), 2 * i64::from(p.ramb36) + i64::from(p.ramb18)];
    let whole = [device.lut, device.ff, device.ramb18].map(|n| n as i64);
    let fit = |columns: u32| {
        let same: Vec<&Point> = points.iter().filter(|p| p.columns == columns).collect();
        let (few, many) = (same.iter().min_by_key(|p| p.arrays)?, same.iter().max_by_key(|p| p.arrays)?);
        let more = i64::from(many.arrays) - i64::from(few.arrays);
        if more == 0 {
            return None;
        }
        // Rounded up: never more arrays than there is room for.
        let each = [0, 1, 2].map(|i| (cost(many)[i] - cost(few)[i] + more - 1).div_euclid(more));
        let fixed = [0, 1, 2].map(|i| (cost(few)[i] - each[i] * i64::from(few.arrays)).max(0));
        let arrays = [0, 1, 2].map(|i| (each[i] > 0).then(|| (whole[i] - fixed[i]).max(0) / each[i]));
        Some(Fit { columns, fixed, each, arrays })
    };
    columns.into_iter().filter_map(fit).collect()
}

/// Measurements and extrapolation as Markdown, with the arithmetic.
pub fn markdown(points: &[Point], device: &Device) -> String {
    let mut text = String::from("| columns | arrays | LUT | FF | RAMB36 | RAMB18 |\n|--:|--:|--:|--:|--:|--:|\n");
    for p in points {
        text += &format!("| {} | {} | {} | {} | {} | {} |\n", p.columns, p.arrays, p.lut, p.ff, p.ramb36, p.ramb18);
    }
    text += &format!(
        "\nArrays that the {} holds, with one sequencer for all and nothing else in it (LUT {}, FF {}, RAMB36 {}):\n\n",
        device.name,
        device.lut,
        device.ff,
        device.ramb18 / 2
    );
    let whole = [("LUT", device.lut), ("FF", device.ff), ("RAMB18", device.ramb18)];
    for fit in fits(points, device) {
        let bound = |(i, (name, has)): (usize, (&str, u64))| match fit.arrays[i] {
            Some(arrays) => format!("{name} ({has} - {}) / {} = {arrays}", fit.fixed[i], fit.each[i]),
            None => format!("{name} no limit"),
        };
        let bounds: Vec<String> = whole.into_iter().enumerate().map(bound).collect();
        let (most, columns) = (fit.most(), fit.columns);
        let all = most * i64::from(columns);
        text += &format!("- {columns} columns: {}: {most} arrays, {all} columns in all\n", bounds.join(", "));
    }
    text
}

/// LUT over arrays, a line for each number of columns.
pub fn plot(points: &[Point]) -> String {
    let distinct = |key: fn(&Point) -> u32| {
        let mut all: Vec<u32> = points.iter().map(key).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let (columns, arrays) = (distinct(|p| p.columns), distinct(|p| p.arrays));
    let least = points.iter().map(|p| p.lut).min().unwrap_or(1) as f64;
    let most = points.iter().map(|p| p.lut).max().unwrap_or(1) as f64;
    let width = 460.0;
    let mut plot = Plot::new("LUT of arrays under one sequencer", "LUT", width, 60.0, (least, most));
    let names: Vec<String> = columns.iter().map(|c| format!("{c} columns")).collect();
    let entries: Vec<(&str, &str)> = names.iter().map(String::as_str).zip(COLOURS.into_iter().cycle()).collect();
    plot.legend(&entries);
    let x = |number: usize| LEFT + width * (number as f64 + 0.5) / arrays.len() as f64;
    for (number, count) in arrays.iter().enumerate() {
        plot.label(x(number), TOP + HEIGHT + 18.0, "middle", 0.0, &count.to_string());
    }
    plot.label(LEFT + width / 2.0, TOP + HEIGHT + 40.0, "middle", 0.0, "arrays");
    for (columns, (_, colour)) in columns.into_iter().zip(entries.clone()) {
        let place =
            |p: &Point| arrays.iter().position(|&count| count == p.arrays).map(|at| (x(at), plot.y(p.lut as f64)));
        let line: Vec<(f64, f64)> = points.iter().filter(|p| p.columns == columns).filter_map(place).collect();
        plot.line(&line, colour, false);
    }
    plot.end()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points() -> Vec<Point> {
        let point = |columns, arrays| Point {
            columns,
            arrays,
            lut: 1000 + 5 * columns * arrays,
            ff: 400 + 7 * columns * arrays,
            ramb36: arrays,
            ramb18: 1,
        };
        vec![point(32, 1), point(32, 4), point(32, 16), point(64, 1), point(64, 16)]
    }

    #[test]
    fn what_fits_is_bounded_by_the_scarcest() {
        let device = Device { name: "x", lut: 1000 + 160 * 100 + 159, ff: 1_000_000, ramb18: 1001 };
        let fits = fits(&points(), &device);
        assert_eq!(
            fits[0],
            Fit { columns: 32, fixed: [1000, 400, 1], each: [160, 224, 2], arrays: [Some(100), Some(4462), Some(500)] }
        );
        assert_eq!((fits[0].most(), fits[1].most()), (100, 50));
        let text = markdown(&points(), &device);
        assert!(text.contains("LUT (17159 - 1000) / 160 = 100"), "{text}");
        assert!(text.contains("100 arrays, 3200 columns in all"), "{text}");
        // What does not grow is no limit; what is full holds none.
        let flat: Vec<Point> = points().into_iter().map(|p| Point { ramb36: 0, ..p }).collect();
        assert!(markdown(&flat, &device).contains("RAMB18 no limit: 100 arrays"));
        assert_eq!(super::fits(&flat, &Device { lut: 10, ..device })[0].most(), 0);
    }

    #[test]
    fn tables_are_read_and_wrong_lines_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.csv");
        let head = "columns,arrays,lut,ff,ramb36,ramb18\n";
        std::fs::write(&path, format!("{head}32,1,1160,624,1,1\n32,4,1640,1296,4,1\n")).unwrap();
        assert_eq!(read(&path).unwrap(), points()[..2]);
        for (text, part) in [
            (format!("{head}32,1,1160,624,1,1\n32,four,1640,1296,4,1\n"), "line 3: arrays = four: must be a whole"),
            (format!("{head}32,1,-1,624,1,1\n"), "line 2: lut = -1: must be a whole"),
            (format!("{head}0,1,1,624,1,1\n"), "line 2: columns = 0: must be a whole number from 1"),
            (format!("{head}32,1\n"), "line 2: `32,1`: must have 6 cells"),
            (
                format!("{head}32,1,1,1,1,1\n32,1,1,1,1,1\n"),
                "line 3: columns = 32, arrays = 1: must be there only once",
            ),
            (format!("{head}32,1,1,1,1,1\n"), "at least two numbers of arrays"),
            (head.to_string(), "at least two numbers of arrays"),
            (String::new(), "no measurements"),
            ("a,b\n".to_string(), "line 1: `a,b`: must be columns,arrays"),
        ] {
            std::fs::write(&path, text).unwrap();
            let message = read(&path).unwrap_err().to_string();
            assert!(message.contains(part) && message.contains("s.csv"), "{message}");
        }
    }

    #[test]
    fn the_plot_is_svg_with_a_line_for_each_number_of_columns() {
        let text = plot(&points());
        let document = roxmltree::Document::parse(&text).unwrap();
        let lines: Vec<_> = document.descendants().filter(|n| n.has_tag_name("polyline")).collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0].attribute("points").unwrap().split(' ').count(), 3);
        assert!(text.contains("64 columns") && text.contains(">16<"));
    }
}
