//! Reader and writer under Verilator with assertions bound to their buses (`tb/axi4`), which know AXI4 and nothing of
//! the design: many random transfers, with stalls and errors. What they deliver and write is compared with plain bytes.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use bitline::array::blocks::memory::reader::MemoryReader;
use bitline::array::blocks::memory::writer::MemoryWriter;
use bitline::kernel::elaborate::elaborate;
use bitline::kernel::netlist::{NetId, Netlist};
use bitline::kernel::prelude::*;
use bitline::sim::engine::{Engine, Lookup};
use bitline::sim::external::tool::{cache_folder, deep, require};
use bitline::sim::external::verilator::{Build, Verilated};
use bitline::sim::model::memory::Elements;
use bitline::sim::model::memory::core::{MemoryInputs, MemoryOutputs};
use bitline::sim::model::memory::writer::Bytes;
use bitline::sim::units::array::memory::{AxiMemory, DECODE_ERROR, OKAY, SLAVE_ERROR};

const BASE: u64 = 0x1_0000_0000;
const SIZE: usize = 32 * 1024;
const READ_CHECKER: &str = include_str!("../axi4/axi4_read_checker.sv");
const WRITE_CHECKER: &str = include_str!("../axi4/axi4_write_checker.sv");

/// Transfers of each master; a hundred thousand with `BITLINE_DEEP`.
fn transfers() -> u32 {
    if deep() { 100_000 } else { 4000 }
}

fn bind(module: &str, checker: &str, bytes: usize, signals: &[&str]) -> String {
    let ports: Vec<String> = signals.iter().map(|s| format!(".{s}(m_axi_{s})")).collect();
    format!("bind {module} {checker} #(.BYTES({bytes})) judge (.clk(clk), .rst(rst), {});\n", ports.join(", "))
}

fn reader<D: RowWord>() -> Netlist {
    let mut block = MemoryReader::<D>::new();
    block.connect_all();
    elaborate(&block).expect("the reader is a legal block")
}

fn writer<D: RowWord, S: RowWord>() -> Netlist {
    let mut block = MemoryWriter::<D, S>::new();
    block.connect_all();
    elaborate(&block).expect("the writer is a legal block")
}

/// A master on a simulated memory.
struct Master {
    model: Verilated,
    memory: AxiMemory,
    rng: ChaCha8Rng,
    bytes: u64,
}

impl Master {
    fn new(netlist: &Netlist, bus_bits: usize, checker: (&str, &str), signals: &[&str], seed: u64) -> Master {
        let bytes = bus_bits / 8;
        let name = format!("{}.sv", checker.0);
        let bound = bind(&netlist.top().name, checker.0, bytes, signals);
        let watchers = [(name.as_str(), checker.1), ("bind.sv", bound.as_str())];
        let model = Verilated::watched(netlist, &cache_folder(), Build::State, &watchers);
        let model = model.unwrap_or_else(|e| panic!("{e}"));
        println!("{}, {bus_bits} bits, seed {seed}", netlist.top().name);
        let mut memory = AxiMemory::new(BASE, SIZE, bytes as u64, seed);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.fill(&mut memory.bytes[..]);
        let mut master = Master { model, memory, rng, bytes: bytes as u64 };
        master.model.tick(true);
        master
    }

    fn net(&self, path: &str) -> NetId {
        self.model.design().find_net(path).unwrap_or_else(|| panic!("no signal {path}"))
    }

    fn set(&mut self, path: &str, value: u64) {
        let net = self.net(path);
        self.model.set_input(net, &[value]);
    }

    fn get(&mut self, path: &str) -> u64 {
        let net = self.net(path);
        self.model.low(net)
    }

    /// Elements somewhere in memory, seldom many, with other stalls and errors now and then.
    fn some(&mut self) -> Elements {
        let rng = &mut self.rng;
        if rng.random_ratio(1, 20) {
            self.memory.pace = rng.random_range(1..5);
            self.memory.latency = rng.random_range(0..20);
            self.memory.faults.clear();
            if rng.random() {
                let from = BASE + rng.random_range(0..SIZE as u64);
                let response = if rng.random() { SLAVE_ERROR } else { DECODE_ERROR };
                self.memory.faults.push((from..from + rng.random_range(1..6000), response));
            }
        }
        let bytes = 1u8 << rng.random_range(0..4);
        let count = if rng.random_ratio(1, 50) { rng.random_range(1..=512) } else { rng.random_range(1..24) };
        let apart = if rng.random() { i32::from(bytes) } else { rng.random_range(i32::from(bytes)..50) };
        let stride = if rng.random_ratio(1, 4) { -apart } else { apart };
        let span = i64::from(stride) * i64::from(count - 1);
        let room = SIZE as u64 - span.unsigned_abs() - 2 * u64::from(bytes);
        let place =
            if rng.random() { rng.random_range(0..room) } else { (4096 * rng.random_range(0..8) + 4070).min(room) };
        Elements { address: BASE + place + (-span).max(0) as u64, count, bytes, stride }
    }

    fn start(&mut self, elements: &Elements) {
        self.set("start_address", elements.address);
        self.set("start_count", elements.count.into());
        self.set("start_size", elements.bytes.ilog2().into());
        self.set("start_stride", u64::from(elements.stride as u32 & 0xf_ffff));
        self.set("start_dense", elements.dense().into());
    }

    fn verdict(&self) -> (u32, u32, u32) {
        let variable = |name| self.model.variable("judge", name).unwrap_or_else(|e| panic!("{e}"));
        (variable("violations"), variable("bursts"), variable("errors"))
    }

    /// One cycle on the read channels. Returns the word, its last flag, response and address, if one is taken.
    fn read_cycle(&mut self, take: bool) -> Option<(u64, bool, u64, u64)> {
        let mut inputs = MemoryInputs::default();
        self.memory.drive(&mut inputs);
        self.set("word_ready", take.into());
        self.set("m_axi_arready", inputs.read_address_ready.into());
        self.set("m_axi_rvalid", inputs.read_data.is_some().into());
        if let Some((data, response)) = &inputs.read_data {
            let net = self.net("m_axi_rdata");
            self.model.set_input(net, data);
            self.set("m_axi_rresp", (*response).into());
        }
        let address = (self.get("m_axi_arvalid") == 1).then(|| self.get("m_axi_araddr"));
        let outputs = MemoryOutputs {
            read_address: address.map(|address| (address, self.get("m_axi_arlen") as u16 + 1)),
            read_data_ready: self.get("m_axi_rready") == 1,
            ..MemoryOutputs::default()
        };
        let word = (take && self.get("word_valid") == 1).then(|| {
            let (data, last) = (self.get("word_data"), self.get("word_last") == 1);
            (data, last, self.get("word_response"), self.get("word_address"))
        });
        self.memory.after(&inputs, &outputs);
        self.model.tick(false);
        word
    }

    /// One cycle on the write channels. Returns whether a word on offer is taken.
    fn write_cycle(&mut self, word: Option<u64>) -> bool {
        let mut inputs = MemoryInputs::default();
        self.memory.drive(&mut inputs);
        self.set("word_valid", word.is_some().into());
        self.set("word_data", word.unwrap_or(0));
        self.set("m_axi_awready", inputs.write_address_ready.into());
        self.set("m_axi_wready", inputs.write_data_ready.into());
        self.set("m_axi_bvalid", inputs.response.is_some().into());
        self.set("m_axi_bresp", inputs.response.unwrap_or(OKAY).into());
        let address = (self.get("m_axi_awvalid") == 1).then(|| self.get("m_axi_awaddr"));
        let data = (self.get("m_axi_wvalid") == 1).then(|| {
            let (data, strobes) = (self.net("m_axi_wdata"), self.net("m_axi_wstrb"));
            let (data, strobes) = (self.model.value(data), self.model.low(strobes));
            let chunk = |(i, &data): (usize, &u64)| Bytes { data, strobes: (strobes >> (8 * i)) as u8 };
            (data.iter().enumerate().map(chunk).collect(), self.get("m_axi_wlast") == 1)
        });
        let outputs = MemoryOutputs {
            write_address: address.map(|address| (address, self.get("m_axi_awlen") as u16 + 1)),
            write_data: data,
            ..MemoryOutputs::default()
        };
        let taken = word.is_some() && self.get("word_ready") == 1;
        self.memory.after(&inputs, &outputs);
        self.model.tick(false);
        taken
    }

    /// Reads elements and compares them, or the error, with the memory's bytes.
    fn read(&mut self) {
        let elements = self.some();
        self.start(&elements);
        self.set("start_valid", 1);
        let place = |k: u16| elements.address.wrapping_add_signed(i64::from(elements.stride) * i64::from(k));
        let failed = |memory: &AxiMemory, k| {
            (0..u64::from(elements.bytes)).map(|byte| memory.answers(place(k) + byte)).find(|&answer| answer != OKAY)
        };
        let first = (0..elements.count).find_map(|k| failed(&self.memory, k).map(|answer| (answer, place(k))));
        let mut next = 0;
        for _ in 0..100_000 {
            let starts = self.get("start_ready") == 1;
            let take = self.rng.random_range(0..self.memory.pace) == 0;
            let word = self.read_cycle(take);
            if starts {
                self.set("start_valid", 0);
            }
            let Some((data, last, response, address)) = word else { continue };
            if failed(&self.memory, next).is_none() {
                let mask = u64::MAX >> (64 - 8 * u32::from(elements.bytes));
                assert_eq!(data & mask, self.memory.element(place(next), elements.bytes), "{elements:?}, {next}");
            }
            next += 1;
            assert_eq!(last, next == elements.count, "{elements:?}");
            if last {
                let told = (response != 0).then_some((response as u8, address));
                assert_eq!(told, first, "{elements:?}");
                return;
            }
        }
        panic!("{elements:?} does not end");
    }

    /// Writes elements and compares the memory with plain bytes.
    fn write(&mut self) {
        let elements = self.some();
        let mask = u64::MAX >> (64 - 8 * u32::from(elements.bytes));
        let words: Vec<u64> = (0..elements.count).map(|_| self.rng.random::<u64>() & mask).collect();
        let mut expected = self.memory.bytes.clone();
        let mut failed = None;
        for (k, word) in words.iter().enumerate() {
            let place = elements.address.wrapping_add_signed(i64::from(elements.stride) * k as i64);
            for byte in 0..usize::from(elements.bytes) {
                let at = place + byte as u64;
                let answer = self.memory.answers(at);
                if answer == OKAY {
                    expected[self.memory.at(at)] = word.to_le_bytes()[byte];
                } else {
                    failed = failed.or(Some(answer));
                }
            }
        }
        self.start(&elements);
        self.set("start", 1);
        self.write_cycle(None);
        self.set("start", 0);
        let (mut next, mut offered) = (0, false);
        for _ in 0..100_000 {
            offered |= self.rng.random_range(0..self.memory.pace) == 0;
            let word = words.get(next).copied().filter(|_| offered);
            if self.write_cycle(word) {
                (next, offered) = (next + 1, false);
            }
            if self.get("busy") == 0 {
                assert_eq!(next, words.len(), "{elements:?}");
                assert!(self.memory.bytes == expected, "{elements:?}: memory differs");
                assert_eq!(self.get("failed"), failed.map_or(0, u64::from), "{elements:?}");
                return;
            }
        }
        panic!("{elements:?} does not end");
    }
}

const READ: [&str; 8] = ["araddr", "arlen", "arvalid", "arready", "rdata", "rresp", "rvalid", "rready"];
const WRITE: [&str; 12] = [
    "awaddr", "awlen", "awvalid", "awready", "wdata", "wstrb", "wlast", "wvalid", "wready", "bresp", "bvalid", "bready",
];

fn read_master(netlist: &Netlist, bits: usize, seed: u64) -> Master {
    Master::new(netlist, bits, ("axi4_read_checker", READ_CHECKER), &READ, seed)
}

fn write_master(netlist: &Netlist, bits: usize, seed: u64) -> Master {
    Master::new(netlist, bits, ("axi4_write_checker", WRITE_CHECKER), &WRITE, seed)
}

#[test]
fn reads_keep_the_rules() {
    if require("verilator").is_none() {
        return;
    }
    for (bits, netlist) in [(64, reader::<Word<64, 1>>()), (512, reader::<Word<512, 8>>())] {
        let mut master = read_master(&netlist, bits, 21);
        (0..transfers()).for_each(|_| master.read());
        let (violations, bursts, errors) = master.verdict();
        println!(
            "{} read transfers, {bits} bits: {bursts} bursts, {errors} errors, {violations} violations",
            transfers()
        );
        assert_eq!(violations, 0);
        assert!(bursts >= transfers() && errors > 0);
    }
}

#[test]
fn writes_keep_the_rules() {
    if require("verilator").is_none() {
        return;
    }
    let netlists = [(64, writer::<Word<64, 1>, Word<8, 1>>()), (512, writer::<Word<512, 8>, Word<64, 1>>())];
    for (bits, netlist) in netlists {
        let mut master = write_master(&netlist, bits, 22);
        (0..transfers()).for_each(|_| master.write());
        let (violations, bursts, errors) = master.verdict();
        println!(
            "{} write transfers, {bits} bits: {bursts} bursts, {errors} errors, {violations} violations",
            transfers()
        );
        assert_eq!(violations, 0);
        assert!(bursts >= transfers() && errors > 0);
    }
}

/// The assertions are awake: a bus that breaks rules is noticed.
#[test]
fn broken_rules_are_noticed() {
    if require("verilator").is_none() {
        return;
    }
    let mut master = read_master(&reader::<Word<64, 1>>(), 64, 23);
    // Data that nobody asked for, and that go away again.
    master.set("m_axi_rvalid", 1);
    master.model.tick(false);
    master.set("m_axi_rvalid", 0);
    master.model.tick(false);
    assert_eq!(master.verdict().0, 2);
    let mut master = write_master(&writer::<Word<64, 1>, Word<8, 1>>(), 64, 24);
    assert_eq!(master.bytes, 8);
    master.set("m_axi_bvalid", 1);
    master.model.tick(false);
    assert_eq!(master.verdict().0, 1);
}
