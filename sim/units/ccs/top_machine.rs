//! A cache compute system behind AXI4-Lite, with a simulated master and memory: lines, AXI4, or none, if the memory is
//! part of the design.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::line_port::{LinePort, LineRequest, LineWrite};
use crate::ccs::{CcsGeometry, CcsMemory};
use crate::engine::{Engine, Lookup};
use crate::error::{Error, Result};
use crate::kernel::netlist::NetId;
use crate::lockstep::Divergence;
use crate::lockstep::ccs::CcsTopLockstep;
use crate::model::axil_slave::Offer;
use crate::model::ccs::line_port::{LineAnswers, LineReply, LineRequests, LineWrite as Write};
use crate::model::ccs::top::{TopInputs, TopOutputs};
use crate::model::memory::core::{MemoryInputs, MemoryOutputs};
use crate::model::memory::writer::Bytes;
use crate::units::array::memory::AxiMemory;

/// Cycles without a response after which something is wrong with the hardware.
const PATIENCE: u64 = 100_000;
/// Response of a read whose memory failed.
const SLAVE_ERROR: u64 = 2;

/// What is behind the system.
pub enum Behind {
    /// A port as wide as a line.
    Lines(Box<LinePort>),
    /// AXI4.
    Bus(Box<AxiMemory>),
    /// Nothing: the memory is inside.
    Inside,
}

/// Nets of what is behind.
enum Nets {
    Lines {
        inputs: [NetId; 5],
        reply_data: Vec<NetId>,
        outputs: [NetId; 6],
        lanes: Vec<NetId>,
        data: Vec<NetId>,
        /// The second read port: request's valid and line; ready, reply's valid and error; its data.
        more: Option<([NetId; 2], [NetId; 3], Vec<NetId>)>,
    },
    Bus {
        inputs: [NetId; 9],
        outputs: [NetId; 11],
    },
    Inside,
}

const LINE_INPUTS: [&str; 5] = ["read_ready", "reply_valid", "reply_error", "ack_valid", "ack_error"];
const LINE_OUTPUTS: [&str; 6] = ["read_valid", "read_line", "reply_ready", "write_valid", "write_line", "write_bytes"];
const MORE_INPUTS: [&str; 3] = ["more_read_0_ready", "more_reply_0_valid", "more_reply_0_error"];
const MORE_OUTPUTS: [&str; 2] = ["more_read_0_valid", "more_read_0_line"];
const BUS_INPUTS: [&str; 9] = ["arready", "rvalid", "rresp", "awready", "wready", "bvalid", "bresp", "rlast", "rdata"];
const BUS_OUTPUTS: [&str; 11] =
    ["arvalid", "araddr", "arlen", "rready", "awvalid", "awaddr", "awlen", "wvalid", "wlast", "wdata", "wstrb"];

/// Channels of the master: valid and ready of AW, W, AR; valid, ready and response of B and R.
struct Channels {
    payload: [NetId; 4],
    requests: [[NetId; 2]; 3],
    answers: [[NetId; 3]; 2],
    read_data: NetId,
}

/// The machine.
pub struct CcsTopMachine<E: Engine> {
    /// Its geometry.
    pub geometry: CcsGeometry,
    /// The hardware.
    pub engine: E,
    /// What is behind it.
    pub memory: Behind,
    /// The master offers and takes in one cycle of so many, on average; 1: always.
    pub pace: u32,
    /// Cycles since reset.
    pub cycles: u64,
    rng: ChaCha8Rng,
    channels: Channels,
    /// Payloads of AW, W and AR as they are on the bus.
    shown: Offer,
    /// The model, if it runs beside the hardware.
    model: Option<CcsTopLockstep>,
    irq: NetId,
    nets: Nets,
}

impl<E: Engine> CcsTopMachine<E> {
    /// A top on any engine, out of reset, with so many bytes of memory behind it; 0 if its memory is inside.
    ///
    /// # Panics
    /// If the engine runs another design.
    pub fn around(mut engine: E, geometry: &CcsGeometry, size: usize, seed: u64) -> CcsTopMachine<E> {
        let inputs = engine.design().inputs.clone();
        inputs.iter().for_each(|&input| engine.set_input(input, &[0; 8]));
        engine.tick(true);
        let design = engine.design();
        let net = |path: &str| design.find_net(path).unwrap_or_else(|| panic!("the design has no signal {path}"));
        let axil = |name: &str| net(&format!("s_axil_{name}"));
        let bus = |name: &str| net(&format!("m_axi_{name}"));
        let lanes = |name: &str| (0..geometry.lanes).map(|k| net(&format!("{name}_{k}"))).collect::<Vec<_>>();
        let (memory, nets) = match geometry.memory {
            _ if size == 0 => (Behind::Inside, Nets::Inside),
            CcsMemory::Line => {
                let more = || (MORE_OUTPUTS.map(net), MORE_INPUTS.map(net), lanes("more_reply_0_data"));
                let nets = Nets::Lines {
                    more: (geometry.read_ports == 2).then(more),
                    inputs: LINE_INPUTS.map(net),
                    reply_data: lanes("reply_data"),
                    outputs: LINE_OUTPUTS.map(net),
                    lanes: lanes("write_lanes"),
                    data: lanes("write_data"),
                };
                (Behind::Lines(Box::new(LinePort::new(geometry, size, seed))), nets)
            }
            other => {
                let memory = AxiMemory::new(0, size, other.bus_bits() as u64 / 8, seed);
                (
                    Behind::Bus(Box::new(memory)),
                    Nets::Bus { inputs: BUS_INPUTS.map(bus), outputs: BUS_OUTPUTS.map(bus) },
                )
            }
        };
        let channels = Channels {
            payload: ["awaddr", "wdata", "wstrb", "araddr"].map(axil),
            requests: [["awvalid", "awready"], ["wvalid", "wready"], ["arvalid", "arready"]].map(|c| c.map(axil)),
            answers: [["bvalid", "bready", "bresp"], ["rvalid", "rready", "rresp"]].map(|c| c.map(axil)),
            read_data: axil("rdata"),
        };
        let irq = net("irq");
        let rng = ChaCha8Rng::seed_from_u64(seed ^ 0xa41);
        CcsTopMachine {
            geometry: geometry.clone(),
            engine,
            memory,
            pace: 1,
            cycles: 0,
            rng,
            channels,
            shown: Offer::default(),
            model: None,
            irq,
            nets,
        }
    }

    /// Runs the model beside the hardware, everything compared after every cycle; `inside`: lines of memory that are
    /// part of the hardware. Before the first cycle.
    #[must_use]
    pub fn checked(mut self, inside: Option<usize>, seed: u64) -> CcsTopMachine<E> {
        self.model = Some(CcsTopLockstep::new(&mut self.engine, &self.geometry, inside, seed));
        self
    }

    /// Registers and memories that the model does not look at; all if there is none.
    pub fn unseen(&self) -> Vec<&str> {
        self.model.as_ref().map_or(vec!["everything"], |model| model.unseen(&self.engine))
    }

    /// The interrupt line in this cycle.
    pub fn irq(&mut self) -> bool {
        self.engine.low(self.irq) == 1
    }

    /// One clock cycle with the master's inputs as they are.
    ///
    /// # Errors
    /// [`Error::Tool`] when hardware and model differ.
    pub fn cycle(&mut self) -> Result<()> {
        self.cycles += 1;
        match &mut self.memory {
            Behind::Lines(_) => self.cycle_with_lines(),
            Behind::Bus(_) => self.cycle_with_bus(),
            Behind::Inside => self.clock(TopInputs::default(), TopOutputs::default()),
        }
    }

    /// The clock edge; the model, if there is one, is told what goes in and what comes out.
    fn clock(&mut self, mut inputs: TopInputs, mut outputs: TopOutputs) -> Result<()> {
        let Some(mut model) = self.model.take() else {
            self.engine.tick(false);
            return Ok(());
        };
        inputs.master = self.shown;
        outputs.irq = self.irq();
        let shown = model.outputs(&mut self.engine, &inputs, &outputs);
        self.engine.tick(false);
        let same = shown.and_then(|()| model.state(&mut self.engine));
        self.model = Some(model);
        same.map_err(|divergence: Box<Divergence>| Error::Tool {
            tool: "lock step".into(),
            reason: divergence.to_string(),
        })
    }

    fn cycle_with_lines(&mut self) -> Result<()> {
        let (Behind::Lines(memory), Nets::Lines { inputs, reply_data, outputs, lanes, data, more }) =
            (&mut self.memory, &self.nets)
        else {
            return Ok(());
        };
        let offer = memory.offer();
        let values = [
            offer.read_ready,
            offer.reply.is_some(),
            offer.reply.as_ref().is_some_and(|r| r.1),
            offer.ack.is_some(),
            offer.ack == Some(true),
        ];
        inputs.iter().zip(values).for_each(|(&net, value)| self.engine.set_input(net, &[value.into()]));
        if let Some((line, _)) = &offer.reply {
            reply_data.iter().zip(line).for_each(|(&net, &v)| self.engine.set_input(net, &[v.into()]));
        }
        let mut more_read = None;
        if let Some((asked, answers, line)) = more {
            let reply = offer.more_reply.as_ref();
            let values = [offer.more_ready, reply.is_some(), reply.is_some_and(|r| r.1)];
            answers.iter().zip(values).for_each(|(&net, value)| self.engine.set_input(net, &[value.into()]));
            let data = reply.map_or(&[][..], |reply| &reply.0);
            line.iter().zip(data).for_each(|(&net, &v)| self.engine.set_input(net, &[v.into()]));
            let [valid, line] = asked.map(|net| self.engine.low(net));
            more_read = (valid == 1).then_some(line as u32);
        }
        let [read, line, reply_ready, write, write_line, bytes] = outputs.map(|net| self.engine.low(net));
        let write = (write == 1).then(|| Write {
            line: write_line as u32,
            lanes: lanes.iter().map(|&net| self.engine.low(net) == 1).collect(),
            bytes: bytes as u8,
            word: None,
            data: data.iter().map(|&net| self.engine.low(net) as u32).collect(),
        });
        let read = (read == 1).then_some(line as u32);
        let lines = LineRequests { read, take: reply_ready == 1, write, more_read, more_waits: false };
        memory.tick(&LineRequest {
            read: lines.read,
            more_read,
            reply_ready: lines.take,
            write: lines.write.clone().map(|write| LineWrite {
                line: write.line,
                lanes: write.lanes,
                bytes: write.bytes,
                word: None,
                data: write.data,
            }),
        });
        let [reply, more_reply] =
            [offer.reply, offer.more_reply].map(|reply| reply.map(|(data, error)| LineReply { data, error }));
        let answers =
            LineAnswers { ready: offer.read_ready, reply, ack: offer.ack, more_ready: offer.more_ready, more_reply };
        let inputs = TopInputs { lines: answers, ..TopInputs::default() };
        self.clock(inputs, TopOutputs { lines, ..TopOutputs::default() })
    }

    fn cycle_with_bus(&mut self) -> Result<()> {
        let (Behind::Bus(memory), Nets::Bus { inputs, outputs }) = (&mut self.memory, &self.nets) else {
            return Ok(());
        };
        let mut bus = MemoryInputs::default();
        memory.drive(&mut bus);
        let read = bus.read_data.as_ref();
        let values = [
            bus.read_address_ready.into(),
            read.is_some().into(),
            read.map_or(0, |(_, response)| (*response).into()),
            bus.write_address_ready.into(),
            bus.write_data_ready.into(),
            bus.response.is_some().into(),
            bus.response.unwrap_or(0).into(),
            memory.last_beat().into(),
        ];
        inputs.iter().zip(values).for_each(|(&net, value)| self.engine.set_input(net, &[value]));
        if let Some((data, _)) = read {
            self.engine.set_input(inputs[8], data);
        }
        let shown = shown(&mut self.engine, outputs);
        memory.after(&bus, &shown);
        let inputs = TopInputs { bus, ..TopInputs::default() };
        self.clock(inputs, TopOutputs { bus: shown, ..TopOutputs::default() })
    }

    /// What the master shows on a request channel: AW, W, AR.
    fn offer(&mut self, channel: usize, offered: bool) {
        self.engine.set_input(self.channels.requests[channel][0], &[offered.into()]);
        let [address, data, strobes, read] = self.channels.payload.map(|net| self.engine.low(net));
        match channel {
            0 => self.shown.write_address = offered.then_some(address as u32),
            1 => self.shown.write_data = offered.then_some((data as u32, strobes as u8)),
            _ => self.shown.read_address = offered.then_some(read as u32),
        }
    }

    /// Whether the master takes an answer: B, R.
    fn take(&mut self, answer: usize, takes: bool) {
        self.engine.set_input(self.channels.answers[answer][1], &[takes.into()]);
        let shown = if answer == 0 { &mut self.shown.take_response } else { &mut self.shown.take_data };
        *shown = takes;
    }

    fn goes(&mut self) -> bool {
        self.pace <= 1 || self.rng.random_range(0..self.pace) == 0
    }

    /// Offers on request channels until all are taken, and waits for an answer; gives its response.
    fn transfer(&mut self, requests: &[usize], answer: usize) -> Result<u64> {
        let [valid, _, response] = self.channels.answers[answer];
        let mut left: Vec<(usize, bool)> = requests.iter().map(|&channel| (channel, false)).collect();
        for _ in 0..PATIENCE {
            for (channel, offered) in &mut left {
                *offered |= self.goes();
                self.offer(*channel, *offered);
            }
            let take = self.goes();
            self.take(answer, take);
            let there = self.engine.low(valid) == 1;
            let seen = [self.engine.low(response), self.engine.low(self.channels.read_data)];
            let ends: Vec<usize> = left.iter().filter(|c| c.1).map(|c| c.0).collect();
            let taken: Vec<usize> =
                ends.into_iter().filter(|&c| self.engine.low(self.channels.requests[c][1]) == 1).collect();
            self.cycle()?;
            taken.iter().for_each(|&channel| self.offer(channel, false));
            left.retain(|(channel, _)| !taken.contains(channel));
            if there && take {
                self.take(answer, false);
                let early = !left.is_empty();
                return if early {
                    Err(self.complaint("an answer before its request"))
                } else {
                    Ok(seen[0] | seen[1] << 2)
                };
            }
            // What is offered stays until it is taken.
            if there {
                let now = [self.engine.low(response), self.engine.low(self.channels.read_data)];
                if self.engine.low(valid) != 1 || now != seen {
                    return Err(self.complaint("an answer has changed before it was taken"));
                }
            }
        }
        Err(self.complaint("no answer"))
    }

    fn complaint(&self, what: &str) -> Error {
        Error::Tool { tool: "cache compute system".into(), reason: format!("{what}, cycle {}", self.cycles) }
    }

    /// Writes a word, or bytes of it.
    ///
    /// # Errors
    /// [`Error::Tool`] if the hardware does not answer, or breaks a rule of AXI4-Lite.
    pub fn write(&mut self, address: u32, data: u32, strobes: u8) -> Result<()> {
        let values = [address.into(), data.into(), strobes.into()];
        for (net, value) in self.channels.payload.into_iter().zip(values) {
            self.engine.set_input(net, &[value]);
        }
        match self.transfer(&[0, 1], 0)? & 3 {
            0 => Ok(()),
            other => Err(self.complaint(&format!("a write is answered with {other}"))),
        }
    }

    /// Reads a word; with whether the answer was SLVERR.
    ///
    /// # Errors
    /// As [`CcsTopMachine::write`].
    pub fn read(&mut self, address: u32) -> Result<(u32, bool)> {
        self.engine.set_input(self.channels.payload[3], &[address.into()]);
        let answer = self.transfer(&[2], 1)?;
        match answer & 3 {
            0 => Ok(((answer >> 2) as u32, false)),
            SLAVE_ERROR => Ok(((answer >> 2) as u32, true)),
            other => Err(self.complaint(&format!("a read is answered with {other}"))),
        }
    }
}

/// What the master of the bus shows.
fn shown<E: Engine>(engine: &mut E, outputs: &[NetId; 11]) -> MemoryOutputs {
    let [ar, araddr, arlen, rready, aw, awaddr, awlen, w, last, data, strobes] = *outputs;
    let mut low = |net| engine.low(net);
    let read = (low(ar) == 1).then(|| (low(araddr), low(arlen) as u16 + 1));
    let write = (low(aw) == 1).then(|| (low(awaddr), low(awlen) as u16 + 1));
    let (ready, offered, last) = (low(rready) == 1, low(w) == 1, low(last) == 1);
    let write_data = offered.then(|| {
        let strobes = engine.value(strobes)[0];
        let words = engine.value(data).into_iter().enumerate();
        (words.map(|(i, data)| Bytes { data, strobes: (strobes >> (8 * i)) as u8 }).collect(), last)
    });
    MemoryOutputs {
        read_address: read,
        read_data_ready: ready,
        write_address: write,
        write_data,
        ..MemoryOutputs::default()
    }
}
