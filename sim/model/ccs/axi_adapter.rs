//! Model of the AXI4 adapter.

use super::axi_reader::AxiReader;
use super::axi_writer::AxiWriter;
use super::line_port::{LineAnswers, LineRequests};
use crate::memory::core::{MemoryInputs, MemoryOutputs};
use bitline_units::ccs::CcsGeometry;

/// Groups of lines that wait for each other.
const GROUPS: u32 = 64;

/// Which reads wait for writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AxiOrder {
    /// Number of the next write.
    pub next: u8,
    /// Number of the oldest write on the way.
    pub oldest: u8,
    /// Number of each group's last write.
    pub last: Vec<Option<u8>>,
}

impl AxiOrder {
    fn waits(&self, line: u32) -> bool {
        let age = |last: u8| last.wrapping_sub(self.oldest) < self.next.wrapping_sub(self.oldest);
        self.last[(line % GROUPS) as usize].is_some_and(age)
    }
}

/// The adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AxiAdapter {
    /// Its reader.
    pub reader: AxiReader,
    /// Its writer.
    pub writer: AxiWriter,
    /// What reads wait for.
    pub order: AxiOrder,
}

impl AxiAdapter {
    /// After reset.
    pub fn new(geometry: &CcsGeometry) -> AxiAdapter {
        let order = AxiOrder { next: 0, oldest: 0, last: vec![None; GROUPS as usize] };
        AxiAdapter { reader: AxiReader::new(geometry), writer: AxiWriter::new(geometry), order }
    }

    /// A clock edge with the reset on has passed.
    pub fn reset(&mut self) {
        self.reader.reset();
        self.writer.reset();
        self.order = AxiOrder { next: 0, oldest: 0, last: vec![None; GROUPS as usize] };
    }

    /// What it shows on the line port while this line is asked for.
    pub fn answers(&self, read: Option<u32>, bus: &MemoryInputs) -> LineAnswers {
        // Without a read the answer means nothing.
        let ready = read.is_some_and(|line| self.reader.ready(bus, self.order.waits(line)));
        LineAnswers { ready, reply: self.reader.reply(), ack: self.writer.ack }
    }

    /// One clock edge: the line port and the bus.
    pub fn step(&mut self, inputs: &LineRequests, bus: &MemoryInputs) -> (LineAnswers, MemoryOutputs) {
        let answers = self.answers(inputs.read, bus);
        let ready = answers.ready;
        let outputs = MemoryOutputs {
            read_address: self.reader.address.map(|address| (address.into(), self.beats())),
            read_data_ready: self.reader.takes(inputs.take),
            write_address: self.writer.address.map(|(address, length)| (address.into(), u16::from(length) + 1)),
            write_data: self.writer.out.clone(),
            ..MemoryOutputs::default()
        };
        self.reader.step(bus, inputs.read.filter(|_| ready), inputs.take);
        self.writer.step(bus, inputs.write.as_ref());
        if let Some(write) = &inputs.write {
            self.order.last[(write.line % GROUPS) as usize] = Some(self.order.next);
            self.order.next = self.order.next.wrapping_add(1);
        }
        self.order.oldest = self.order.oldest.wrapping_add(bus.response.is_some().into());
        (answers, outputs)
    }

    /// Beats of a line.
    pub fn beats(&self) -> u16 {
        self.reader.beats()
    }
}

state! {
    AxiAdapter(self) {
        in reader = self.reader;
        in writer = self.writer;
        in order {
            self.order => next, oldest;
            known = self.order.last.iter().rev().fold(0, |all, last| all << 1 | u64::from(last.is_some()));
        }
    }
}
