//! A whole board under Verilator, from the files that `gen` has written: board top, clock manager and buffers, system.
//!
//! Nothing of the library's own netlist is in it: what is built are the very files that go to the FPGA's tools, with
//! the models of primitives beside them.

use std::ffi::c_void;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use libloading::{Library, Symbol};

use super::library::{compile_cpp, runtime};
use super::{Build, library::LIBRARY};
use crate::emit::FILE_LIST;
use crate::error::{Error, Result};
use crate::external::tool::{build_once, content_folder, find, run, write_files};
use crate::host_link::simulated::Pins;
use crate::system::SystemParams;

/// Cycles of the reset button.
const RESET_CYCLES: u64 = 32;
/// Cycles until the clock manager has locked and the reset has ended.
const LOCK_CYCLES: u64 = 256;

/// An output folder of `gen` with a board in it.
#[derive(Clone, Debug)]
pub struct BoardFolder {
    /// What it was written for.
    pub params: SystemParams,
    /// Its top module.
    pub top: String,
    /// Verilog files, models of primitives included: names and texts.
    files: Vec<(String, String)>,
    inputs: Inputs,
}

/// Inputs of the top, by what they are for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Inputs {
    /// The clock, and the other half of a pair.
    clock: Vec<String>,
    reset: String,
    /// Driven low.
    others: Vec<String>,
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|e| Error::file(path, e))
}

impl BoardFolder {
    /// Reads an output folder.
    ///
    /// # Errors
    /// [`Error::File`] if files are missing, [`Error::Syntax`] if the manifest is not one of a board,
    /// [`Error::Netlist`] if no top has a UART.
    pub fn read(folder: &Path) -> Result<BoardFolder> {
        let params = BoardFolder::params(folder)?;
        let list = read(&folder.join(FILE_LIST))?;
        let mut paths: Vec<PathBuf> =
            list.lines().filter(|line| !line.is_empty()).map(|line| folder.join(line)).collect();
        // Models of primitives; a bench is no part of the board.
        if let Ok(models) = fs::read_dir(folder.join("sim")) {
            let mut models: Vec<PathBuf> = models.filter_map(|entry| Some(entry.ok()?.path())).collect();
            models.retain(|path| {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                name.ends_with(".v") && !name.contains("bench")
            });
            models.sort();
            paths.extend(models);
        }
        let mut files = Vec::new();
        for path in &paths {
            files.push((path.file_name().unwrap_or_default().to_string_lossy().into_owned(), read(path)?));
        }
        let wrapper = files.iter().find(|(name, _)| name.starts_with("bl_") && name.ends_with("_board.v"));
        let system = files.iter().find(|(name, _)| name == "bl_system.v");
        let Some((name, text)) = wrapper.or(system) else {
            return Err(Error::file(folder.join(FILE_LIST), "lists neither a board's top nor bl_system.v"));
        };
        let top = name.trim_end_matches(".v").to_string();
        let inputs = Inputs::of(&top, text)?;
        Ok(BoardFolder { params, top, files, inputs })
    }

    /// The parameters in the folder's manifest.
    ///
    /// # Errors
    /// As [`BoardFolder::read`].
    pub fn params(folder: &Path) -> Result<SystemParams> {
        let path = folder.join(crate::emit::manifest::MANIFEST);
        let text = read(&path)?;
        let wrong = |reason: String| Error::Syntax { origin: path.display().to_string(), line: 1, reason };
        let manifest: serde_json::Value = serde_json::from_str(&text).map_err(|e| wrong(e.to_string()))?;
        let params: SystemParams = serde_json::from_value(manifest["geometry"].clone())
            .map_err(|e| wrong(format!("is not the manifest of a board: geometry: {e}")))?;
        params.check()?;
        Ok(params)
    }

    /// Builds it below `cache`, or finds what was built, and takes it out of reset.
    ///
    /// # Errors
    /// [`Error::Tool`] if Verilator or the C++ compiler is missing or has anything to say.
    pub fn build(&self, cache: &Path) -> Result<VerilatedBoard> {
        let tool = |reason: String| Error::Tool { tool: "verilator".into(), reason };
        let version = find("verilator").ok_or_else(|| tool("is not installed".into()))?.version;
        let cache = &std::path::absolute(cache).map_err(|e| Error::file(cache, e))?;
        let mut files = self.files.clone();
        files.push(("shim.cpp".into(), shim(&self.inputs)));
        let compiler = Build::Fast.compiler()?;
        let target = content_folder(cache, &self.top, &files, &format!("{version} {}", compiler.key()));
        build_once(&target, |work| {
            write_files(work, &files)?;
            let root = run("verilator", &["--getenv", "VERILATOR_ROOT"], work)?;
            let include = Path::new(root.trim()).join("include");
            let mut arguments = vec!["--cc", "-Wall", "--language", "1364-2005", "--prefix", "Vdut", "--Mdir", "cpp"];
            arguments.extend(compiler.verilator_flags());
            arguments.extend(["--top-module", &self.top]);
            arguments.extend(self.files.iter().map(|(name, _)| name.as_str()));
            let said = run("verilator", &arguments, work)?;
            if !said.trim().is_empty() {
                return Err(tool(said));
            }
            let runtime = runtime(cache, &include, &version, Build::Fast, &compiler)?;
            compile_cpp(work, &include, &runtime, Build::Fast, &compiler)
        })?;
        VerilatedBoard::load(&target.join(LIBRARY), &self.top)
    }
}

impl Inputs {
    /// The inputs in a module's header: `input wire [range] name`, a line each, as `gen` writes them.
    fn of(top: &str, text: &str) -> Result<Inputs> {
        let lines = text.lines().skip_while(|line| !line.starts_with(&format!("module {top}")));
        let header = lines.take_while(|line| !line.starts_with(");"));
        let mut inputs = Inputs::default();
        let mut pins = Vec::new();
        for line in header {
            let mut words = line.trim().trim_end_matches(',').split_whitespace();
            let direction = words.next();
            let Some(name) = words.last().filter(|_| matches!(direction, Some("input" | "output"))) else { continue };
            pins.push(name.to_string());
            let name = name.to_string();
            if direction == Some("output") || name == "uart_rxd" {
                continue;
            }
            if name.contains("clk") {
                inputs.clock.push(name);
            } else if inputs.reset.is_empty() && (name.contains("reset") || name.contains("rst")) {
                inputs.reset = name;
            } else {
                inputs.others.push(name);
            }
        }
        for pin in ["uart_rxd", "uart_txd"] {
            if !pins.iter().any(|name| name == pin) {
                return Err(Error::netlist(top, pin, "a board must have this pin"));
            }
        }
        if !(1..=2).contains(&inputs.clock.len()) || inputs.reset.is_empty() {
            return Err(Error::netlist(top, "clk", "a board must have a clock (one pin, or two) and a reset"));
        }
        Ok(inputs)
    }

    /// Whether the reset is active low.
    fn low(&self) -> bool {
        self.reset.ends_with("_n") || self.reset.ends_with("resetn")
    }
}

/// The C interface.
fn shim(inputs: &Inputs) -> String {
    let clock = |level: u8| {
        let pins = inputs.clock.iter().enumerate();
        pins.map(|(i, name)| format!("dut.{name} = {}; ", u8::from((level == 1) == (i == 0)))).collect::<String>()
    };
    let mut ties = String::new();
    inputs.others.iter().for_each(|name| _ = write!(ties, "dut.{name} = 0; "));
    let (reset, active) = (&inputs.reset, u8::from(!inputs.low()));
    format!(
        r#"#include "Vdut.h"
#include "verilated.h"
#define BITLINE extern "C" __attribute__((visibility("default")))
double sc_time_stamp() {{ return 0; }}
struct Board {{
    VerilatedContext context;
    Vdut dut;
    Board() : dut{{&context, "TOP"}} {{ }}
    // The runtime asks the thread for its context: it must be this board's, and never one that is gone.
    ~Board() {{ Verilated::threadContextp(&context); }}
    void run(unsigned long long cycles) {{
        Verilated::threadContextp(&context);
        for (unsigned long long i = 0; i < cycles; ++i) {{
            {high}dut.eval();
            {low}dut.eval();
        }}
    }}
}};
BITLINE void* board_new(unsigned long long pressed, unsigned long long settled) {{
    Board* b = new Board;
    Vdut& dut = b->dut;
    {ties}
    dut.uart_rxd = 1;
    dut.{reset} = {active};
    {low}dut.eval();
    b->run(pressed);
    dut.{reset} = !{active};
    b->run(settled);
    return b;
}}
BITLINE void board_delete(void* p) {{ delete (Board*)p; Verilated::threadContextp(nullptr); }}
BITLINE void board_rxd(void* p, int level) {{ ((Board*)p)->dut.uart_rxd = level; }}
BITLINE int board_txd(void* p) {{ return ((Board*)p)->dut.uart_txd; }}
BITLINE void board_run(void* p, unsigned long long cycles) {{ ((Board*)p)->run(cycles); }}
"#,
        high = clock(1),
        low = clock(0),
    )
}

/// A board under Verilator.
pub struct VerilatedBoard {
    top: String,
    board: *mut c_void,
    delete: unsafe extern "C" fn(*mut c_void),
    rxd: unsafe extern "C" fn(*mut c_void, i32),
    txd: unsafe extern "C" fn(*mut c_void) -> i32,
    run: unsafe extern "C" fn(*mut c_void, u64),
    // Dropped last: the functions above lie in it.
    _library: Library,
}

impl VerilatedBoard {
    fn load(library: &Path, top: &str) -> Result<VerilatedBoard> {
        let broken = |e: libloading::Error| {
            let reason = format!("{}: {e}", library.display());
            Error::Tool { tool: "verilator".into(), reason }
        };
        // SAFETY: the library was generated above; it runs no code when loaded, and its functions have these
        // signatures.
        unsafe {
            let loaded = Library::new(library).map_err(broken)?;
            let new: Symbol<unsafe extern "C" fn(u64, u64) -> *mut c_void> =
                loaded.get(b"board_new").map_err(broken)?;
            Ok(VerilatedBoard {
                top: top.into(),
                board: new(RESET_CYCLES, LOCK_CYCLES),
                delete: *loaded.get(b"board_delete").map_err(broken)?,
                rxd: *loaded.get(b"board_rxd").map_err(broken)?,
                txd: *loaded.get(b"board_txd").map_err(broken)?,
                run: *loaded.get(b"board_run").map_err(broken)?,
                _library: loaded,
            })
        }
    }
}

impl Drop for VerilatedBoard {
    fn drop(&mut self) {
        // SAFETY: made by `board_new`, not used after this.
        unsafe { (self.delete)(self.board) };
    }
}

impl Pins for VerilatedBoard {
    fn name(&self) -> String {
        format!("simulated board {} under Verilator", self.top)
    }

    fn set_rxd(&mut self, level: bool) {
        // SAFETY: the board lives as long as `self`; so in the other functions.
        unsafe { (self.rxd)(self.board, level.into()) };
    }

    fn txd(&mut self) -> bool {
        unsafe { (self.txd)(self.board) == 1 }
    }

    fn run(&mut self, cycles: u32) {
        unsafe { (self.run)(self.board, cycles.into()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pins_of_a_header() {
        let text = "module bl_x_board (\n  input  wire sys_clk_p,\n  input  wire sys_clk_n,\n  input  wire \
                    cpu_reset,\n  input  wire uart_rxd,\n  output \
                    wire uart_txd,\n  input  wire [4:0] button,\n  output wire [7:0] led\n);\n  input wire no;\n";
        let inputs = Inputs::of("bl_x_board", text).expect("a board");
        assert_eq!(inputs.clock, ["sys_clk_p", "sys_clk_n"]);
        assert_eq!((inputs.reset.as_str(), inputs.low()), ("cpu_reset", false));
        assert_eq!(inputs.others, ["button"]);
        let message = Inputs::of("bl_x_board", &text.replace("uart_txd", "tx")).expect_err("no pin").to_string();
        assert!(message.contains("bl_x_board: uart_txd"), "{message}");
    }
}
