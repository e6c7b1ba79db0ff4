//! Figure 10's other side: the same programs on the CPU of this machine, by an ordinary compiler, on all cores.
//!
//! Kernels without barriers are those of the `.cu` file, as functions of a thread within loops over blocks and threads
//! (`cpu.h`); kernels with barriers are loops written for a CPU, in a file that the table names. Buffers, launches and
//! their order are what the interpreter of words has run, and results are held against its results.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use bitline_compile::launch::Buffer;
use serde::Serialize;

use super::program::{Ran, Slot, Step};
use super::table::{Program, Table};
use crate::data::source;
use crate::error::{Error, Result};
use crate::external::tool;

const HEAD: &str = include_str!("cpu.h");
const MAIN: &str = include_str!("cpu_main.h");

/// Options of the compiler. Products and sums are not fused, so that results can be compared bit by bit.
const OPTIONS: [&str; 6] = ["-O3", "-march=native", "-fopenmp", "-std=c++17", "-ffp-contract=off", "-w"];
/// Compilers that are looked for, unless `CXX` names one.
const COMPILERS: [&str; 4] = ["g++", "clang++", "clang++-19", "c++"];

/// What runs the programs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cpu {
    /// Its name.
    pub model: String,
    /// Threads that run at once.
    pub cores: usize,
    /// Processes that wanted a core when the report began, in the mean over a minute.
    pub load: Option<f64>,
    /// The compiler's first line on its version, and options.
    pub compiler: String,
    #[serde(skip)]
    program: String,
}

impl Cpu {
    /// This machine, if it has a compiler with OpenMP.
    pub fn here() -> Option<Cpu> {
        let named = std::env::var("CXX").ok();
        let candidates: Vec<String> = match named {
            Some(name) => vec![name],
            None => COMPILERS.map(String::from).to_vec(),
        };
        let version = |name: &String| tool::run(name, &["--version"], Path::new(".")).ok();
        let mut works = candidates.into_iter().filter(|name| works(name));
        let (program, version) = works.find_map(|name| Some((name.clone(), version(&name)?)))?;
        let [info, load] = ["cpuinfo", "loadavg"]
            .map(|name| std::fs::read_to_string(Path::new("/proc").join(name)).unwrap_or_default());
        let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
        Some(Cpu {
            model: model.map_or("a CPU without a name", |model| model.1.trim()).to_string(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            load: load.split(' ').next().and_then(|load| load.parse().ok()),
            compiler: format!("{} {}", version.lines().next().unwrap_or_default().trim(), OPTIONS[..5].join(" ")),
            program,
        })
    }

    /// Seconds that a program takes which the interpreter has run: those of the fastest of some runs, on all cores
    /// and on one.
    ///
    /// # Errors
    /// [`Error::Tool`] if it cannot be compiled or run, or if its results are not the interpreter's.
    pub fn seconds(&self, table: &Table, program: &Program, ran: &Ran) -> Result<f64> {
        let fail = |reason: String| Error::Tool { tool: format!("{} on the CPU", program.name), reason };
        let folder = tempfile::tempdir().map_err(|e| fail(e.to_string()))?;
        let write = |name: &str, content: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, content).map_err(|e| Error::file(&path, e))
        };
        let kernels = kernels(ran);
        write("program.cc", text(table, program, &kernels)?.as_bytes())?;
        write("run", launches(ran, &kernels).as_bytes())?;
        for (number, buffer) in ran.before.iter().enumerate() {
            write(&format!("before.{number}"), &buffer.bytes)?;
        }
        let mut arguments = OPTIONS.to_vec();
        arguments.extend(["program.cc", "-o", "program"]);
        tool::run(&self.program, &arguments, folder.path())?;
        let own = folder.path().join("program").display().to_string();
        // Small programs are slower on several cores than on one, which is the one to be compared with.
        let mut best = f64::INFINITY;
        for threads in [self.cores, 1] {
            let mut command = Command::new(&own);
            command.current_dir(folder.path()).stdin(Stdio::null()).env("OMP_NUM_THREADS", threads.to_string());
            // Threads that wait for each other give their cores away after a while, if others want them.
            let output = command.env("GOMP_SPINCOUNT", "100000").output();
            let output = output.map_err(|e| fail(format!("cannot be started: {e}")))?;
            if !output.status.success() {
                return Err(fail(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr))));
            }
            let printed = String::from_utf8_lossy(&output.stdout).into_owned();
            best = best.min(printed.trim().parse::<f64>().map_err(|e| fail(format!("{printed}: {e}")))?);
            self.compare(folder.path(), program, ran)?;
        }
        Ok(best)
    }

    /// Holds what a run has left against the interpreter's results.
    fn compare(&self, folder: &Path, program: &Program, ran: &Ran) -> Result<()> {
        let fail = |reason: String| Error::Tool { tool: format!("{} on the CPU", program.name), reason };
        for (number, (name, expected)) in ran.names.iter().zip(&ran.after).enumerate() {
            let path = folder.join(format!("after.{number}"));
            let bytes = std::fs::read(&path).map_err(|e| Error::file(&path, e))?;
            let found = Buffer { element: expected.element, bytes };
            if let Some(element) = difference(&found, expected, program.near) {
                return Err(fail(format!("{name}, element {element} is not what the interpreter of words has")));
            }
        }
        Ok(())
    }
}

/// Whether a compiler takes the options: not every one has OpenMP, and that is known before minutes have gone by.
fn works(program: &str) -> bool {
    let Ok(folder) = tempfile::tempdir() else { return false };
    let text = "#include <vector>\nint main() { return 0; }\n";
    let mut arguments = OPTIONS.to_vec();
    arguments.extend(["probe.cc", "-o", "probe"]);
    std::fs::write(folder.path().join("probe.cc"), text).is_ok()
        && tool::run(program, &arguments, folder.path()).is_ok()
}

/// The first element that differs, by more than a bound if there is one.
fn difference(found: &Buffer, expected: &Buffer, near: Option<f64>) -> Option<usize> {
    if found.bytes.len() != expected.bytes.len() {
        return Some(0);
    }
    let differs = |(one, other): (u64, u64)| match near {
        Some(bound) => {
            let [one, other] = [one, other].map(|bits| f64::from(f32::from_bits(bits as u32)));
            let apart = (one - other).abs();
            apart.is_nan() || apart > bound
        }
        None => one != other,
    };
    found.bits().zip(expected.bits()).position(differs)
}

/// Names of the kernels, each once.
fn kernels(ran: &Ran) -> Vec<&str> {
    let mut names: Vec<&str> = vec![];
    for step in &ran.steps {
        if let Step::Launch { kernel, .. } = step
            && !names.contains(&kernel.as_str())
        {
            names.push(kernel);
        }
    }
    names
}

/// The program in C++.
fn text(table: &Table, program: &Program, kernels: &[&str]) -> Result<String> {
    let own = match &program.cpu {
        Some(file) => source::text(&table.folder.join(file))?,
        None => of_cuda(&source::text(&table.folder.join(program.file.with_extension("cu")))?),
    };
    let calls: Vec<String> = kernels.iter().map(|kernel| format!("Call<{kernel}>::launch")).collect();
    Ok(format!("{HEAD}\n{own}\n#define KERNELS {}\n{MAIN}", calls.join(", ")))
}

/// The kernels of a `.cu` file as functions of a thread: without what follows them, which is the host's.
fn of_cuda(source: &str) -> String {
    let device = source.split("\nint main(").next().unwrap_or_default();
    let head = "extern \"C\" __global__ void ";
    let mut parts = device.split(head);
    let mut text = parts.next().unwrap_or_default().replace("#include \"host.h\"", "");
    for part in parts {
        let (name, rest) = part.split_once('(').unwrap_or((part, ""));
        let _ = write!(text, "static inline __attribute__((always_inline)) void {name}(const Thread &it, {rest}");
    }
    text
}

/// What is launched, as `cpu_main.h` reads it.
fn launches(ran: &Ran, kernels: &[&str]) -> String {
    let mut text = format!("{}\n", ran.before.len());
    for step in &ran.steps {
        match step {
            Step::Clear(buffer) => text += &format!("clear {buffer}\n"),
            Step::Launch { kernel, grid: [gx, gy, gz], block: [bx, by, bz], slots } => {
                let number = kernels.iter().position(|name| name == kernel).unwrap_or(0);
                let _ = write!(text, "launch {number} {gx} {gy} {gz} {bx} {by} {bz} {}", slots.len());
                for slot in slots {
                    match slot {
                        Slot::Buffer(buffer) => text += &format!(" buffer {buffer}"),
                        Slot::Number(bits) => text += &format!(" number {bits}"),
                    }
                }
                text.push('\n');
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_become_functions_of_a_thread() {
        let text = "#include \"host.h\"\nstatic __device__ float f(float x) { return x; }\n\
                    extern \"C\" __global__ void k(float *a, int n)\n{\n}\n\nint main()\n{\n}\n";
        let made = of_cuda(text);
        assert!(made.contains("void k(const Thread &it, float *a, int n)\n{\n}"), "{made}");
        assert!(!made.contains("main") && !made.contains("host.h") && made.contains("float f(float x)"), "{made}");
    }

    #[test]
    fn differences_are_found() {
        let buffer = |text: &str| match text.parse() {
            Ok(bitline_compile::launch::Argument::Buffer(buffer)) => buffer,
            other => panic!("{text}: {other:?}"),
        };
        let zeros = buffer("zero:f32:4");
        let mut other = zeros.clone();
        assert_eq!(difference(&other, &zeros, None), None);
        other.bytes[8..12].copy_from_slice(&0.5_f32.to_le_bytes());
        assert_eq!(difference(&other, &zeros, None), Some(2));
        assert_eq!((difference(&other, &zeros, Some(0.6)), difference(&other, &zeros, Some(0.4))), (None, Some(2)));
        other.bytes[..4].copy_from_slice(&f32::NAN.to_le_bytes());
        assert_eq!(difference(&other, &zeros, Some(9.0)), Some(0));
        assert_eq!(difference(&buffer("zero:f32:3"), &zeros, None), Some(0));
    }
}
