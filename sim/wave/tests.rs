//! Waves are written and read back.

use std::collections::HashMap;
use std::path::Path;

use fst_reader::{FstFilter, FstHierarchyEntry, FstReader, FstSignalHandle, FstSignalValue};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::fst::Fst;
use super::{Format, Wave, WaveRing, WaveSignal, WaveWriter, Window};

/// Binary digits of every signal at the times at which something changes.
type Changes = HashMap<String, Vec<(u64, String)>>;

fn signals() -> Vec<WaveSignal> {
    let all = [("top.a", 1), ("top.unit.word", 64), ("top.b", 7), ("other.row", 200), ("top.unit.inner.x", 65)];
    all.map(|(path, width)| WaveSignal { path: path.into(), width }).into()
}

/// Samples at irregular times in which about half of the signals change.
fn samples(seed: u64, from: u64, count: usize) -> Vec<(u64, Vec<Vec<u64>>)> {
    println!("seed {seed}");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut time = from;
    let mut values: Vec<Vec<u64>> = signals().iter().map(|s| vec![0; s.words()]).collect();
    let mut samples = Vec::new();
    for _ in 0..count {
        for (signal, value) in signals().iter().zip(&mut values) {
            if rng.random() {
                value.iter_mut().for_each(|word| *word = rng.random());
                if signal.width % 64 != 0 {
                    *value.last_mut().expect("a value has words") &= (1 << (signal.width % 64)) - 1;
                }
            }
        }
        samples.push((time, values.clone()));
        time += rng.random_range(1..4);
    }
    samples
}

fn digits(value: &[u64], width: usize) -> String {
    (0..width).rev().map(|i| if value[i / 64] >> (i % 64) & 1 == 1 { '1' } else { '0' }).collect()
}

/// The changes that a wave of these samples must hold.
fn expected(samples: &[(u64, Vec<Vec<u64>>)]) -> Changes {
    let mut changes = Changes::new();
    for (index, signal) in signals().iter().enumerate() {
        let list = changes.entry(signal.path.clone()).or_default();
        for (time, values) in samples {
            let value = digits(&values[index], signal.width);
            if list.last().is_none_or(|(_, last)| *last != value) {
                list.push((*time, value));
            }
        }
    }
    changes
}

fn write(path: &Path, samples: &[(u64, Vec<Vec<u64>>)]) {
    let mut writer = WaveWriter::create(path, &signals()).expect("the folder can be written");
    for (time, values) in samples {
        writer.cycle(*time, &values.iter().map(Vec::as_slice).collect::<Vec<_>>()).expect("there is room");
    }
    writer.finish().expect("there is room");
}

/// A reader of as much VCD as the writer writes. Returns the changes and the last time.
fn read_vcd(path: &Path) -> (Changes, u64) {
    let text = std::fs::read_to_string(path).expect("the file was written");
    let (header, body) = text.split_once("$enddefinitions $end\n").expect("a header");
    let (mut scopes, mut names, mut changes) = (Vec::new(), HashMap::new(), Changes::new());
    for line in header.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["$scope", "module", name, "$end"] => scopes.push(name.to_string()),
            ["$upscope", "$end"] => drop(scopes.pop().expect("scopes are balanced")),
            ["$var", "wire", width, code, name, "$end"] => {
                let path = [&scopes[..], &[name.to_string()]].concat().join(".");
                let width: usize = width.parse().expect("a width");
                assert!(names.insert(code.to_string(), (path, width)).is_none(), "{code} twice");
            }
            _ => {}
        }
    }
    assert!(scopes.is_empty());
    let mut time = 0;
    for line in body.lines() {
        if let Some(next) = line.strip_prefix('#') {
            time = next.parse().expect("a time");
            continue;
        }
        let (value, code) = match line.strip_prefix('b') {
            Some(rest) => rest.split_once(' ').expect("a value and a code"),
            None => line.split_at(1),
        };
        let (path, width) = &names[code];
        changes.entry(path.clone()).or_default().push((time, format!("{value:0>width$}")));
    }
    (changes, time)
}

fn read_fst(path: &Path) -> (Changes, u64) {
    let file = std::fs::File::open(path).expect("the file was written");
    let mut reader = FstReader::open(std::io::BufReader::new(file)).expect("an FST file");
    let (mut scopes, mut names, mut changes) = (Vec::new(), HashMap::new(), Changes::new());
    let walk = |entry| match entry {
        FstHierarchyEntry::Scope { name, .. } => scopes.push(name),
        FstHierarchyEntry::UpScope => drop(scopes.pop().expect("scopes are balanced")),
        FstHierarchyEntry::Var { name, handle, .. } => {
            names.insert(handle.get_index(), [&scopes[..], &[name]].concat().join("."));
        }
        _ => {}
    };
    reader.read_hierarchy(walk).expect("a hierarchy");
    let each = |time, handle: FstSignalHandle, value: FstSignalValue| {
        let FstSignalValue::String(value) = value else { panic!("bits are not real numbers") };
        let value = String::from_utf8(value.to_vec()).expect("digits");
        let list = changes.entry(names[&handle.get_index()].clone()).or_default();
        // The first frame of a block repeats what is known; before the first sample nothing is.
        if !value.contains('x') && list.last().is_none_or(|(_, last)| *last != value) {
            list.push((time, value));
        }
        Ok::<(), ()>(())
    };
    reader.read_signals(&FstFilter::all(), each).expect("signals");
    (changes, reader.get_header().end_time)
}

#[test]
fn both_formats_hold_what_was_written() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (seed, from) in [(1, 0), (2, 1000)] {
        let samples = samples(seed, from, 60);
        let end = samples.last().expect("there are samples").0 + 1;
        let (fst, vcd) = (folder.path().join("w.fst"), folder.path().join("w.vcd"));
        write(&vcd, &samples);
        assert_eq!(read_vcd(&vcd), (expected(&samples), end));
        write(&fst, &samples);
        assert_eq!(read_fst(&fst), (expected(&samples), end));
    }
}

#[test]
fn fst_in_several_blocks() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("blocks.fst");
    let samples = samples(3, 0, 200);
    let mut fst = Box::new(Fst::create(&path, &signals()).expect("the folder can be written"));
    fst.block_bytes = 500;
    for (time, values) in &samples {
        fst.time(*time).expect("there is room");
        for (index, signal) in signals().iter().enumerate() {
            fst.change(index, digits(&values[index], signal.width).as_bytes()).expect("there is room");
        }
    }
    fst.finish(samples[199].0 + 1).expect("there is room");
    assert_eq!(read_fst(&path).0, expected(&samples));
}

#[test]
fn ring_keeps_the_last_samples() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let samples = samples(4, 5, 100);
    let mut ring = WaveRing::new(&signals(), 16);
    assert!(ring.is_empty());
    for (time, values) in &samples {
        ring.cycle(*time, &values.iter().map(Vec::as_slice).collect::<Vec<_>>());
    }
    assert_eq!(ring.len(), 16);
    for name in ["ring.vcd", "ring.fst"] {
        let path = folder.path().join(name);
        ring.dump(&path).expect("the folder can be written");
        let read = if name.ends_with("vcd") { read_vcd(&path) } else { read_fst(&path) };
        assert_eq!(read.0, expected(&samples[84..]), "{name}");
    }
}

#[test]
fn many_signals_have_different_codes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("many.vcd");
    let signals: Vec<_> = (0..9000).map(|i| WaveSignal { path: format!("s{i}"), width: 1 }).collect();
    let mut writer = WaveWriter::create(&path, &signals).expect("the folder can be written");
    let bits: Vec<[u64; 1]> = (0..9000).map(|i| [i % 3 % 2]).collect();
    writer.cycle(0, &bits.iter().map(|b| &b[..]).collect::<Vec<_>>()).expect("there is room");
    drop(writer);
    let (changes, _) = read_vcd(&path);
    for i in 0..9000 {
        assert_eq!(changes[&format!("top.s{i}")], [(0, (i % 3 % 2).to_string())]);
    }
}

#[test]
fn bad_requests_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let create = |name: &str, signal: &WaveSignal| {
        WaveWriter::create(&folder.path().join(name), std::slice::from_ref(signal)).err().map(|e| e.to_string())
    };
    let good = WaveSignal { path: "a.b".into(), width: 3 };
    assert!(create("wave.txt", &good).is_some_and(|e| e.contains(".fst or .vcd")));
    assert!(create("missing/wave.vcd", &good).is_some_and(|e| e.contains("missing/wave.vcd")));
    assert!(create("wave.vcd", &WaveSignal { width: 0, ..good.clone() }).is_some());
    assert!(create("wave.vcd", &WaveSignal { path: "a..b".into(), ..good.clone() }).is_some());
    let mut writer = WaveWriter::create(&folder.path().join("w.vcd"), &[good]).expect("the folder can be written");
    writer.cycle(4, &[&[1]]).expect("there is room");
    assert!(writer.cycle(4, &[&[2]]).is_err(), "time stands still");
}

/// A format whose file is full.
struct Full {
    /// From the first sample on, not only in the end.
    early: bool,
}

impl Full {
    fn write(&self, now: bool) -> std::io::Result<()> {
        if now { Err(std::io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }
}

impl Format for Full {
    fn time(&mut self, _: u64) -> std::io::Result<()> {
        self.write(self.early)
    }

    fn change(&mut self, _: usize, _: &[u8]) -> std::io::Result<()> {
        Ok(())
    }

    fn finish(self: Box<Self>, _: u64) -> std::io::Result<()> {
        self.write(true)
    }
}

#[test]
fn a_wave_that_cannot_be_written_leaves_the_old_one() {
    for early in [false, true] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("x.vcd");
        std::fs::write(&path, "old").expect("the folder can be written");
        let signals = [WaveSignal { path: "a".into(), width: 1 }];
        let mut writer = WaveWriter::create(&path, &signals).expect("the folder can be written");
        writer.format = Some(Box::new(Full { early }));
        assert_eq!(writer.cycle(0, &[&[1]]).is_err(), early);
        // Who has heard of the error need not ask again.
        assert_eq!(writer.finish().is_err(), !early);
        assert_eq!(std::fs::read(&path).expect("there"), b"old");
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1, "no temporary file is left");
    }
}

/// Rows of a machine, whatever writes them, are in its wave when they change: in each cycle only those are looked at that
/// may have changed.
#[test]
fn rows_in_a_wave_are_those_of_the_machine() {
    use crate::isa::{Command, Opcode};
    use crate::machine::{Engine, WaveView};
    use crate::params::{Memory, Params};
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("rows.vcd");
    for memory in Memory::ALL {
        let params = Params { memory, ..crate::presets::preset("tiny").expect("a preset") };
        let mut machine = Engine::Model.machine(&params, 1).expect("a preset");
        let view = WaveView { all_rows: true, ..WaveView::default() };
        let writer = WaveWriter::create(&path, &machine.wave_signals(&view)).expect("the folder can be written");
        machine.record(Wave::new(writer, Window::Cycles(20, u64::MAX)).expect("a window"), &view);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut seen = Vec::new();
        for _ in 0..30 {
            let [a, b, d] = [0, 8, 16].map(|first| first + rng.random_range(0..4));
            let command = Command { a, b, d, ..Command::new(Opcode::Add, rng.random_range(1..5)) };
            machine.set_row(rng.random_range(0..8), &[rng.random_range(0..256)]);
            machine.execute(command).expect("a legal command");
            seen.push((machine.cycle(), (0..params.rows).map(|row| machine.row(row)[0]).collect::<Vec<_>>()));
        }
        assert!(machine.finish_wave(false).expect("there is room"));
        let (changes, end) = read_vcd(&path);
        assert_eq!(end, super::PERIOD * machine.cycle());
        for (cycle, rows) in seen.iter().filter(|(cycle, _)| *cycle > 20) {
            for (row, expected) in rows.iter().enumerate() {
                let list = &changes[&format!("compute_unit.array.rows.row_{row:02}")];
                let shown = list.iter().rev().find(|(time, _)| *time < super::PERIOD * cycle);
                let value = shown.map(|(_, digits)| u64::from_str_radix(digits, 2).expect("digits"));
                assert_eq!(value, Some(*expected), "{memory:?}, row {row} before cycle {cycle}");
            }
        }
        assert!(changes.values().flatten().all(|(time, _)| *time >= 20 * super::PERIOD));
    }
}

#[test]
fn windows_show_what_they_say() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("w.vcd");
    let samples = samples(5, 0, 60);
    let run = |window: Window, failed: bool| {
        let _ = std::fs::remove_file(&path);
        let writer = WaveWriter::create(&path, &signals()).expect("the folder can be written");
        let mut wave = Wave::new(writer, window)?;
        for (time, values) in samples.iter().filter(|(time, _)| wave.wants(*time)).collect::<Vec<_>>() {
            wave.changes(*time, values.iter().map(Vec::as_slice).enumerate())?;
        }
        let written = wave.finish(samples[59].0 + 1, failed)?;
        assert_eq!(written, path.exists());
        Ok::<_, crate::error::Error>(written.then(|| read_vcd(&path).0))
    };
    let (from, to) = (samples[10].0, samples[40].0);
    assert_eq!(run(Window::default(), false).expect("a wave"), Some(expected(&samples)));
    assert_eq!(run(Window::Cycles(from, to), false).expect("a wave"), Some(expected(&samples[10..=40])));
    assert_eq!(run(Window::Last(7), true).expect("a wave"), Some(expected(&samples[53..])));
    assert_eq!(run(Window::Last(700), true).expect("a wave"), Some(expected(&samples)));
    assert_eq!(run(Window::Last(7), false).expect("nothing has failed"), None);
    assert_eq!(run(Window::Cycles(1000, 2000), true).expect("it has failed before"), None);
    let late = run(Window::Cycles(1000, 2000), false).expect_err("there is no such cycle").to_string();
    assert_eq!(late, format!("wave-from = 1000: the run ends after {} cycles", samples[59].0 + 1));
    assert!(!path.exists());
    let none = run(Window::Cycles(5, 4), false).expect_err("no cycle").to_string();
    assert_eq!(none, "wave-to = 4: must be at least wave-from = 5");
    assert!(run(Window::Last(0), false).is_err());
}
