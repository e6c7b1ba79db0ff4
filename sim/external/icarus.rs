//! The emitted Verilog under Icarus Verilog, as an [`Engine`].
//!
//! Icarus compiles the design with a generated harness, which takes one-line commands from its standard input and
//! prints values. Commands are collected and sent when a value is asked for; values are kept until the next change.
//! Power-up contents are zeros until set. A value with unknown bits is a bug of the bench or of the Verilog, and panics
//! with the signal's name.

use std::cell::{OnceCell, RefCell};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::names::{Names, Spot, limb_count, limbs};
use super::tool::{build_once, content_folder, find, run, write_files};
use crate::engine::{Engine, Limbs};
use crate::error::{Error, Result};
use crate::kernel::flat::{Flat, FlatDriver};
use crate::kernel::netlist::{NetId, Netlist};
use crate::kernel::verilog::{Header, emit};

/// An Icarus process that runs a netlist's Verilog.
pub struct Icarus {
    flat: Flat,
    names: Names,
    process: RefCell<Process>,
    /// Limbs of all registers, one after the other; where each begins.
    registers: OnceCell<Vec<u64>>,
    starts: Vec<usize>,
    words: Vec<OnceCell<Vec<u64>>>,
    nets: Vec<OnceCell<Vec<u64>>>,
}

impl Icarus {
    /// Compiles a netlist's Verilog, or finds it below `folder`, and starts it.
    ///
    /// # Errors
    /// [`Error::Tool`] if Icarus is missing or has anything to say, [`Error::File`] if `folder` cannot be written.
    pub fn build(netlist: &Netlist, folder: &Path) -> Result<Icarus> {
        let flat = Flat::new(netlist);
        let names = Names::new(netlist, &flat);
        let program = compile(netlist, &flat, &names, folder)?;
        let mut starts = vec![0];
        for register in &flat.registers {
            starts.push(starts[starts.len() - 1] + limb_count(flat.net(register.net).width));
        }
        Ok(Icarus {
            process: RefCell::new(Process::start(&program)?),
            registers: OnceCell::new(),
            starts,
            words: vec![OnceCell::new(); flat.memories.len()],
            nets: vec![OnceCell::new(); flat.nets.len()],
            flat,
            names,
        })
    }

    /// Forgets what was read, since something changes.
    fn changed(&mut self) {
        self.nets.iter_mut().for_each(|cell| drop(cell.take()));
    }

    /// A value as it was printed.
    fn parse(&self, net: NetId, text: &str) -> Vec<u64> {
        let net = self.flat.net(net);
        parse(text, net.width).unwrap_or_else(|| panic!("{} is {text} in Icarus", net.path))
    }
}

impl Engine for Icarus {
    fn design(&self) -> &Flat {
        &self.flat
    }

    fn set_input(&mut self, input: NetId, value: &[u64]) {
        let at = self.flat.inputs.iter().position(|&net| net == input);
        let at = at.unwrap_or_else(|| panic!("{} is not an input", self.flat.net(input).path));
        let value = hexadecimal(&limbs(value, self.flat.net(input).width));
        self.process.get_mut().send(format_args!("2 {at} {value}"));
        self.changed();
    }

    fn value(&mut self, net: NetId) -> Vec<u64> {
        let (net, spot) = self.names.spot(net);
        if let Spot::Constant(value) = spot {
            return value.clone();
        }
        if let Some(value) = self.nets[net.0 as usize].get() {
            return value.clone();
        }
        let process = self.process.get_mut();
        if self.flat.outputs.contains(&net) {
            // Whoever reads one output reads them all.
            process.send(format_args!("7"));
            let line = process.line();
            for (&output, text) in self.flat.outputs.iter().zip(line.split_whitespace()) {
                let value = self.parse(output, text);
                self.nets[output.0 as usize].get_or_init(|| value);
            }
        } else {
            process.send(format_args!("8 {}", net.0));
            let line = process.line();
            let value = self.parse(net, line.trim());
            self.nets[net.0 as usize].get_or_init(|| value);
        }
        self.nets[net.0 as usize].get().expect("just read").clone()
    }

    fn tick(&mut self, reset: bool) {
        self.process.get_mut().send(format_args!("1 {}", u8::from(reset)));
        self.changed();
        self.registers.take();
        self.words.iter_mut().for_each(|cell| drop(cell.take()));
    }

    fn register(&self, register: usize) -> Limbs<'_> {
        let all = self.registers.get_or_init(|| {
            let mut process = self.process.borrow_mut();
            process.send(format_args!("5"));
            let mut all = Vec::with_capacity(self.starts[self.flat.registers.len()]);
            for register in &self.flat.registers {
                all.extend(self.parse(register.net, process.line().trim()));
            }
            all
        });
        Limbs::Kept(&all[self.starts[register]..self.starts[register + 1]])
    }

    fn set_register(&mut self, register: usize, value: &[u64]) {
        let value = hexadecimal(&limbs(value, self.flat.net(self.flat.registers[register].net).width));
        self.process.get_mut().send(format_args!("3 {register} {value}"));
        self.changed();
        self.registers.take();
    }

    fn memory(&self, memory: usize) -> &[u64] {
        self.words[memory].get_or_init(|| {
            let m = &self.flat.memories[memory];
            let mut process = self.process.borrow_mut();
            process.send(format_args!("6 {memory}"));
            let mut words = Vec::with_capacity(m.depth * limb_count(m.width));
            for at in 0..m.depth {
                let line = process.line();
                let word = parse(line.trim(), m.width);
                words.extend(word.unwrap_or_else(|| panic!("{}[{at}] is {} in Icarus", m.path, line.trim())));
            }
            words
        })
    }

    fn set_word(&mut self, memory: usize, word: usize, value: &[u64]) {
        let m = &self.flat.memories[memory];
        assert!(word < m.depth && m.contents.is_none(), "{} has no word {word} to write", m.path);
        let value = hexadecimal(&limbs(value, m.width));
        self.process.get_mut().send(format_args!("4 {memory} {word} {value}"));
        self.changed();
        self.words[memory].take();
    }
}

/// The co-process.
struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// Commands not yet sent.
    pending: String,
}

impl Process {
    fn start(program: &Path) -> Result<Process> {
        let fail = |reason: String| Error::Tool { tool: "vvp".into(), reason };
        let mut child = Command::new("vvp")
            .arg("-n")
            .arg(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| fail(format!("cannot be started: {e}")))?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("was asked for"));
        Ok(Process { child, input, output, pending: String::new() })
    }

    fn send(&mut self, command: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.pending, "{command}");
        if self.pending.len() > 1 << 16 {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let input = self.input.as_mut().expect("open until dropped");
        let sent = input.write_all(self.pending.as_bytes()).and_then(|()| input.flush());
        sent.unwrap_or_else(|e| panic!("vvp has gone: {e}"));
        self.pending.clear();
    }

    fn line(&mut self) -> String {
        self.flush_if_needed();
        let mut line = String::new();
        match self.output.read_line(&mut line) {
            Ok(length) if length > 0 => line,
            Ok(_) => panic!("vvp ended without an answer"),
            Err(e) => panic!("vvp has gone: {e}"),
        }
    }

    fn flush_if_needed(&mut self) {
        if !self.pending.is_empty() {
            self.flush();
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The harness finishes at the end of its input.
        drop(self.input.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn hexadecimal(limbs: &[u64]) -> String {
    limbs.iter().rev().map(|limb| format!("{limb:016x}")).collect()
}

fn parse(text: &str, width: u32) -> Option<Vec<u64>> {
    let digits = text.as_bytes();
    let chunks = digits.rchunks(16).map(|chunk| u64::from_str_radix(std::str::from_utf8(chunk).ok()?, 16).ok());
    let value: Vec<u64> = chunks.collect::<Option<_>>()?;
    (!value.is_empty()).then(|| limbs(&value, width))
}

fn compile(netlist: &Netlist, flat: &Flat, names: &Names, folder: &Path) -> Result<PathBuf> {
    let tool = |reason: &str| Error::Tool { tool: "iverilog".into(), reason: reason.into() };
    let version = find("iverilog").ok_or_else(|| tool("is not installed"))?.version;
    let folder = &std::path::absolute(folder).map_err(|e| Error::file(folder, e))?;
    let mut files = emit(netlist, &Header::default());
    files.push(("harness.v".into(), harness(netlist, flat, names)));
    let target = content_folder(folder, &format!("{}-icarus", netlist.top().name), &files, &version);
    build_once(&target, |work| {
        write_files(work, &files)?;
        let mut arguments = vec!["-g2005", "-Wall", "-o", PROGRAM, "-s", "harness"];
        arguments.extend(files.iter().map(|(name, _)| name.as_str()));
        let said = run("iverilog", &arguments, work)?;
        if said.trim().is_empty() { Ok(()) } else { Err(tool(&said)) }
    })?;
    Ok(target.join(PROGRAM))
}

const PROGRAM: &str = "dut.vvp";

/// The harness. Commands: `1 reset` edge, `2 input value`, `3 register value`, `4 memory word value`, `5` registers, `6
/// memory`, `7` outputs, `8 net`.
fn harness(netlist: &Netlist, flat: &Flat, names: &Names) -> String {
    let top = netlist.top();
    let path = |instance: usize, name: &str| {
        let parts = ["dut"].into_iter().chain(names.instances[instance].0.iter().map(String::as_str)).chain([name]);
        parts.collect::<Vec<_>>().join(".")
    };
    let variable = |net: NetId| match &names.nets[net.0 as usize] {
        Spot::Variable(instance, name) => Some(path(*instance, name)),
        _ => None,
    };
    let register = |index: usize| variable(flat.registers[index].net).expect("registers are declared");
    let widest = flat.nets.iter().map(|n| n.width).chain(flat.memories.iter().map(|m| m.width)).max().unwrap_or(1);
    let (mut inputs, mut pins, mut power_up) = (String::new(), Vec::new(), String::new());
    let (mut set_input, mut set_register, mut set_word) = (String::new(), String::new(), String::new());
    let (mut show_registers, mut show_memory, mut show_net) = (String::new(), String::new(), String::new());
    if top.clocked {
        pins.push(".clk(clk)".to_string());
    }
    if top.resettable {
        pins.push(".rst(rst)".to_string());
    }
    for (index, &net) in flat.inputs.iter().enumerate() {
        let n = flat.net(net);
        let _ = writeln!(inputs, "  reg [{}:0] in_{index};", n.width - 1);
        let _ = writeln!(power_up, "    in_{index} = 0;");
        let _ = writeln!(set_input, "            {index}: in_{index} = value[{}:0];", n.width - 1);
        pins.push(format!(".{}(in_{index})", n.path));
    }
    for (index, &net) in flat.outputs.iter().enumerate() {
        let n = flat.net(net);
        let _ = writeln!(inputs, "  wire [{}:0] out_{index};", n.width - 1);
        pins.push(format!(".{}(out_{index})", n.path));
    }
    for (index, r) in flat.registers.iter().enumerate() {
        let (name, width) = (register(index), flat.net(r.net).width);
        let _ = writeln!(power_up, "    {name} = 0;");
        let _ = writeln!(set_register, "            {index}: {name} = value[{}:0];", width - 1);
        let _ = writeln!(show_registers, "          $display(\"%h\", {name});");
    }
    for (index, (m, (instance, name))) in flat.memories.iter().zip(&names.memories).enumerate() {
        let name = path(*instance, name);
        for (net, read) in &m.reads {
            if matches!(read, crate::kernel::netlist::Read::Clocked { .. }) {
                let _ = writeln!(power_up, "    {} = 0;", variable(*net).expect("read ports are declared"));
            }
        }
        let last = m.depth - 1;
        if m.contents.is_none() {
            let _ = writeln!(power_up, "    for (word = 0; word <= {last}; word = word + 1) {name}[word] = 0;");
            let _ = writeln!(set_word, "            {index}: {name}[word] = value[{}:0];", m.width - 1);
        }
        let show = format!("for (word = 0; word <= {last}; word = word + 1) $display(\"%h\", {name}[word]);");
        let _ = writeln!(show_memory, "            {index}: {show}");
    }
    for (index, net) in flat.nets.iter().enumerate() {
        if let (Some(name), true) = (variable(NetId(index as u32)), net.driver != FlatDriver::Input) {
            let _ = writeln!(show_net, "            {index}: $display(\"%h\", {name});");
        }
    }
    for (index, &net) in flat.inputs.iter().enumerate() {
        let _ = writeln!(show_net, "            {}: $display(\"%h\", in_{index});", net.0);
    }
    let formats = vec!["%h"; flat.outputs.len()].join(" ");
    let outputs: String = (0..flat.outputs.len()).map(|index| format!(", out_{index}")).collect();
    let clock = if top.clocked { "clk = 1; #1 clk = 0; " } else { "" };
    let name = &top.name;
    let pins = pins.join(", ");
    let wide = widest - 1;
    // Icarus takes no `case` without items.
    let or_nothing = "            default: ;\n";
    format!(
        "module harness;
  reg clk, rst;
  reg [{wide}:0] value;
  reg [31:0] command, index, word, got;
{inputs}  {name} dut ({pins});
  initial begin
    // Only then do all `always @*` wait for what changes here.
    #1 clk = 0; rst = 0; value = 0; index = 0; word = 0;
{power_up}    got = $fscanf(32'h8000_0000, \" %d\", command);
    while (got == 1) begin
      case (command)
        1: begin
          got = $fscanf(32'h8000_0000, \" %d\", index);
          rst = index[0];
          #1 {clock}#1 rst = 0;
        end
        2: begin
          got = $fscanf(32'h8000_0000, \" %d %h\", index, value);
          case (index)
{set_input}{or_nothing}          endcase
        end
        3: begin
          got = $fscanf(32'h8000_0000, \" %d %h\", index, value);
          case (index)
{set_register}{or_nothing}          endcase
        end
        4: begin
          got = $fscanf(32'h8000_0000, \" %d %d %h\", index, word, value);
          case (index)
{set_word}{or_nothing}          endcase
        end
        5: begin
          #1;
{show_registers}          $fflush;
        end
        6: begin
          got = $fscanf(32'h8000_0000, \" %d\", index);
          #1;
          case (index)
{show_memory}{or_nothing}          endcase
          $fflush;
        end
        7: begin
          #1 $display(\"{formats}\"{outputs});
          $fflush;
        end
        8: begin
          got = $fscanf(32'h8000_0000, \" %d\", index);
          #1;
          case (index)
{show_net}{or_nothing}          endcase
          $fflush;
        end
        default: $finish;
      endcase
      got = $fscanf(32'h8000_0000, \" %d\", command);
    end
    $finish;
  end
endmodule
"
    )
}
