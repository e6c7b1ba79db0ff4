//! What a new unit takes, on a small one: an adder behind a register block goes through `generate` to files, Verilog
//! that Icarus simulates, and the native engine. `docs/how-to-add.md` refers to it. A unit of the library also has a
//! line in `UNITS`, which is all that the rest asks for.

use std::process::Command;

use bitline_emit::Target;
use bitline_emit::generate::{Request, alone};
use bitline_emit::manifest;
use bitline_emit::output::Files;
use bitline_emit::unit::{Cost, Costed, Kind, Output, Proof, Region, Scenario, Unit, boxed};
use bitline_engine::{Engine, Lookup, engine};
use bitline_kernel::elaborate::elaborate;
use bitline_kernel::error::{Error, Result};
use bitline_kernel::netlist::Netlist;
use bitline_kernel::prelude::*;
use bitline_units::config_file;
use bitline_units::parts::axil_slave::AxilSlaveOf;
use bitline_units::parts::bundles::AxilSlavePort;
use bitline_units::regmap::{self as table};
use bitline_units::regmap::{Access, Field, Reset, fnv1a};

// The registers, once for hardware, software and documents.

const MAGIC: u64 = u32::from_le_bytes(*b"BTAD") as u64;
const ID: usize = 0;
const A: usize = 1;
const B: usize = 2;
const SUM: usize = 3;

const fn register(name: &'static str, number: usize, doc: &'static str, fields: &'static [Field]) -> table::Register {
    table::Register { name, offset: 4 * number as u64, doc, fields }
}

const fn word(name: &'static str, access: Access, reset: Reset, doc: &'static str) -> Field {
    Field { name, lsb: 0, bits: 32, access, reset, doc }
}

const REGISTERS: &[table::Register] = &[
    register("id", ID, "Identification.", {
        &[word("magic", Access::ReadOnly, Reset::Value(MAGIC as u32), "`BTAD` in ASCII.")]
    }),
    register("a", A, "First operand.", &[word("value", Access::ReadWrite, Reset::Value(0), "A number.")]),
    register("b", B, "Second operand; a write raises the interrupt.", {
        &[word("value", Access::ReadWrite, Reset::Value(0), "A number.")]
    }),
    register("sum", SUM, "a + b + the design's offset.", {
        &[word("value", Access::ReadOnly, Reset::Design, "Their sum, modulo 2^32.")]
    }),
];

// The hardware.

/// Adds two registers and a constant.
#[derive(LogicBlock, Default)]
struct Adder {
    pub clock: Signal<In, Domain>,
    pub s_axil: AxilSlavePort<Bits<5>>,
    pub irq: Signal<Out, Bit>,
    pub slave: AxilSlaveOf<5, 3>,
    pub a: Register<Bits<32>>,
    pub b: Register<Bits<32>>,
    pub done: Register<Bit>,
    unused_strobes: Signal<Local, Bits<4>>,
    _offset: u64,
}

impl Logic for Adder {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, slave);
        dff_setup!(self, clock, a, b, done);
        AxilSlavePort::<Bits<5>>::link(&mut self.s_axil, &mut self.slave.s_axil);
        self.unused_strobes.next = self.slave.write_strobes.val();
        self.slave.write_ready.next = true;
        self.slave.read_ready.next = self.slave.read.val();
        self.irq.next = self.done.q.val();
        if self.slave.write.val() {
            if self.slave.write_number.val().index() == A {
                self.a.d.next = self.slave.write_data.val();
            }
            if self.slave.write_number.val().index() == B {
                self.b.d.next = self.slave.write_data.val();
                self.done.d.next = true;
            }
        }
        self.slave.read_value.next = self.a.q.val() + self.b.q.val() + self._offset;
        if self.slave.read_number.val().index() == ID {
            self.slave.read_value.next = MAGIC.into();
        }
        if self.slave.read_number.val().index() == A {
            self.slave.read_value.next = self.a.q.val();
        }
        if self.slave.read_number.val().index() == B {
            self.slave.read_value.next = self.b.q.val();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("adder", "An adder behind AXI4-Lite.", constants![ID, A, B, MAGIC; self._offset])
    }
}

// The unit.

/// Parameters of an adder.
#[derive(serde::Serialize)]
struct Parameters {
    name: String,
    offset: u32,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    offset: u32,
}

impl Parameters {
    fn preset(name: &str) -> Result<Parameters> {
        let offset = ["plain", "five"].iter().position(|preset| *preset == name);
        let offset = offset.ok_or_else(|| Error::parameter("preset", name, "must be plain or five"))?;
        Ok(Parameters { name: name.into(), offset: 5 * offset as u32 })
    }

    fn parse(text: &str, origin: &str, stem: &str) -> Result<Parameters> {
        let File { offset } = config_file::keys(text, origin)?;
        if offset > 100 {
            let error = Error::parameter("offset", offset, "must be from 0 to 100");
            return Err(config_file::Keys::of(text, origin).placed(error));
        }
        Ok(Parameters { name: stem.into(), offset })
    }
}

const KIND: Kind = Kind {
    name: "adder",
    summary: "an adder",
    ip: "bitline_adder",
    title: "bitline adder",
    axi_module: "bl_adder_axi",
    prefix: "BITLINE_ADDER",
    presets: || vec![("plain", "a + b"), ("five", "a + b + 5")],
    default_preset: "plain",
    preset: |name| boxed(Parameters::preset(name)),
    load: |path| boxed(config_file::load(path, Parameters::parse)),
    registers: REGISTERS,
    regions: &[Region { name: "registers", base: 0, bytes: 32 }],
    limitations: &["Sums are modulo 2^32."],
    templates: &[("software/adder.h", "{% for r in registers %}#define {{ r.constant }} {{ r.offset }}\n{% endfor %}")],
    targets: &[Target::Generic, Target::GenericAsic],
    samples: &[("seven", "offset = 7\n")],
    cost: Cost {
        modules: &["bl_adder"],
        options: &[],
        beside: "",
        table: &[Costed { name: "plain", config: "", target: Target::Generic }],
    },
    proof: Proof { config: "offset = 7\n", modules: &["bl_adder"], keep: false },
};

impl Unit for Parameters {
    fn kind(&self) -> &'static Kind {
        &KIND
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn hash(&self) -> u64 {
        fnv1a(&serde_json::to_vec(self).expect("numbers and strings always serialise"))
    }

    fn netlist(&self) -> Result<Netlist> {
        let mut top = Adder { _offset: self.offset.into(), ..Adder::default() };
        top.connect_all();
        elaborate(&top)
    }

    fn reset_value(&self, register: &table::Register) -> u32 {
        match register.name {
            "id" => MAGIC as u32,
            "sum" => self.offset,
            _ => 0,
        }
    }

    fn describe(&self, _context: &mut tera::Context) {}

    fn scenario(&self) -> Scenario {
        Scenario {
            title: "an addition".into(),
            writes: vec![(4 * A as u64, 2), (4 * B as u64, 3)],
            drawn: 2,
            until: "irq",
            show: vec!["s_axil_awvalid", "s_axil_awaddr", "s_axil_wdata", "irq"],
        }
    }

    fn manifest(&self, output: Output<'_>, files: &Files) -> String {
        manifest::text(KIND.name, self.hash(), self, output.netlist, files)
    }
}

// What comes of it.

#[test]
fn files_are_those_of_any_unit() {
    let request = Request { preset: Some("five".into()), ..Request::default() };
    let made = alone(&request, &KIND, Target::Generic).unwrap();
    assert_eq!((made.what.as_str(), made.folder.to_str(), made.modules), ("five for generic", Some("build/adder"), 2));
    for (path, part) in [
        ("rtl/bl_adder.v", "module bl_adder"),
        ("rtl/bl_adder_axi.v", ".rst(~aresetn)"),
        ("bitline.f", "rtl/bl_axil_slave_5.v\nrtl/bl_adder.v\nrtl/bl_adder_axi.v\n"),
        ("software/adder.h", "#define BITLINE_ADDER_SUM 0x0c\n"),
        ("component.xml", "<spirit:name>sum</spirit:name>"),
        ("litex/bitline_adder.py", "class BitlineAdder"),
        ("doc/registers.html", "modulo 2^32"),
        ("doc/limitations.md", "Sums are modulo 2^32."),
        ("doc/timing.svg", "an addition"),
        ("manifest.json", "\"offset\": 5"),
    ] {
        assert!(made.files.get(path).is_some_and(|text| text.contains(part)), "{part} in {path}");
    }
    let refused = |request: Request, target| alone(&request, &KIND, target).unwrap_err().to_string();
    let message = refused(Request { preset: Some("six".into()), ..Request::default() }, Target::Generic);
    assert_eq!(message, "preset = six: must be plain or five");
    let message = refused(Request::default(), Target::Verilator);
    assert_eq!(message, "target = verilator: must be generic or generic-asic for this unit (adder)");
}

#[test]
fn the_native_engine_adds() {
    let unit = Parameters::parse("offset = 7\n", "f.toml", "seven").unwrap();
    let netlist = unit.netlist().unwrap();
    let mut engine = engine(&netlist);
    let net = |engine: &dyn Engine, name: &str| engine.design().find_net(name).unwrap_or_else(|| panic!("{name}"));
    let ports = ["awaddr", "wdata", "awvalid", "wvalid", "bready", "rready", "arvalid", "araddr", "wstrb"];
    let [awaddr, wdata, awvalid, wvalid, bready, rready, arvalid, araddr, wstrb] =
        ports.map(|name| net(&engine, &format!("s_axil_{name}")));
    let (rvalid, rdata, irq) = (net(&engine, "s_axil_rvalid"), net(&engine, "s_axil_rdata"), net(&engine, "irq"));
    engine.set_inputs(&[awaddr, wdata, awvalid, wvalid, arvalid, araddr], &[0; 6]);
    engine.set_inputs(&[bready, rready, wstrb], &[1, 0, 15]);
    engine.tick(true);
    for (number, value) in [(A, 2), (B, 3)] {
        engine.set_inputs(&[awaddr, wdata, awvalid, wvalid], &[4 * number as u64, value, 1, 1]);
        engine.tick(false);
        engine.set_inputs(&[awvalid, wvalid], &[0, 0]);
        engine.run(4);
    }
    assert_eq!(engine.low(irq), 1);
    for (number, value) in [(ID, MAGIC), (A, 2), (B, 3), (SUM, 12)] {
        engine.set_inputs(&[araddr, arvalid, rready], &[4 * number as u64, 1, 0]);
        engine.tick(false);
        engine.set_inputs(&[arvalid], &[0]);
        engine.run(2);
        assert_eq!((engine.low(rvalid), engine.low(rdata)), (1, value), "register {number}");
        engine.set_inputs(&[rready], &[1]);
        engine.tick(false);
    }
}

/// The bench of every package reads each register after reset.
#[test]
fn its_bench_passes_in_icarus() {
    if Command::new("iverilog").arg("-V").output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "iverilog is not installed");
        return eprintln!("SKIPPED: iverilog is not installed");
    }
    let made = alone(&Request::default(), &KIND, Target::Generic).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in made.files.iter() {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let said = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(folder.path()).output().unwrap();
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).trim().to_string()
    };
    let build = ["-g2005", "-Wall", "-s", "bl_axi_bench", "-o", "bench.vvp", "-c", "bitline.f", "sim/bl_axi_bench.v"];
    assert_eq!(said("iverilog", &build), "");
    assert_eq!(said("vvp", &["-N", "bench.vvp"]), "PASS");
}
