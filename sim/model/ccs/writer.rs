//! Model of the writer: who writes the store and memory in a cycle, and what memory still has to acknowledge.

use super::fetch::CONSTANT_ROW;
use super::scoreboard::ResultLine;
use super::word_stage::WordStage;
use bitline_units::ccs::CcsGeometry;

/// Writes that memory may still have to acknowledge before steps stop.
const UNACKNOWLEDGED: u32 = 20;

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Data {
    /// A step's results.
    Results,
    /// A word, in the lanes of its place.
    Word(u32),
    /// The line that arrives.
    Reply,
}

/// A write to the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreWrite {
    /// Row.
    pub row: u8,
    /// Lanes.
    pub lanes: Vec<bool>,
    /// What.
    pub data: Data,
}

/// A write to memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryWrite {
    /// Line.
    pub line: u32,
    /// Lanes.
    pub lanes: Vec<bool>,
    /// Bytes of each word.
    pub bytes: u8,
    /// What: results or a word.
    pub data: Data,
}

/// Inputs of a cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WriterInputs {
    /// A map's results: the lanes that count.
    pub results: Option<Vec<bool>>,
    /// A reduction's result goes to the word stage.
    pub element: bool,
    /// First result line on its way.
    pub head: ResultLine,
    /// The constant row's words, if it is written.
    pub constant: Option<u32>,
    /// A line arrives, for this row.
    pub reply: Option<u8>,
    /// Memory has acknowledged a write.
    pub ack: bool,
}

/// Outputs of a cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WriterOutputs {
    /// A result line is written.
    pub result_written: bool,
    /// The word held is written.
    pub word_go: bool,
    /// The word's line leaves the cache.
    pub drops: bool,
    /// A line that arrives is written.
    pub reply_ready: bool,
    /// With two read ports: the row whose line leaves the cache for a line that arrives.
    pub evicted: Option<u8>,
    /// To the store.
    pub store: Option<StoreWrite>,
    /// To memory.
    pub memory: Option<MemoryWrite>,
}

/// The writer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Writer {
    geometry: CcsGeometry,
    /// Writes up to the cycle before that memory has not acknowledged.
    pub unacknowledged: u32,
    /// Memory was written, a cycle ago.
    pub sent: bool,
    /// Memory lags behind.
    pub many: bool,
}

impl Writer {
    /// After reset.
    pub fn new(geometry: &CcsGeometry) -> Writer {
        Writer { geometry: geometry.clone(), unacknowledged: 0, sent: false, many: false }
    }

    /// Memory has written everything, the write that it acknowledges in this cycle among it.
    pub fn settled(&self, stage: &WordStage, ack: bool) -> bool {
        !stage.valid
            && self.unacknowledged + u32::from(self.sent) == u32::from(ack && (self.sent || self.unacknowledged > 0))
    }

    fn row(&self, line: u32) -> u8 {
        (line as usize % self.geometry.lines) as u8
    }

    /// What happens in this cycle.
    pub fn outputs(&self, inputs: &WriterInputs, stage: &WordStage) -> WriterOutputs {
        let mut outputs = WriterOutputs { reply_ready: true, ..WriterOutputs::default() };
        let head = inputs.head;
        let mut hit = false;
        outputs.result_written = inputs.results.is_some() || inputs.element;
        if let Some(lanes) = &inputs.results {
            outputs.memory =
                Some(MemoryWrite { line: head.line, lanes: lanes.clone(), bytes: 15, data: Data::Results });
            // With two read ports a line that arrives goes before it.
            let evicts = self.geometry.read_ports == 2 && head.hit && inputs.reply.is_some();
            outputs.evicted = evicts.then(|| self.row(head.line));
            hit = head.hit && !evicts;
        } else if stage.valid && inputs.constant.is_none() {
            outputs.word_go = true;
            outputs.drops = stage.to_drop;
            let (lanes, data) = (stage.lanes.clone(), Data::Word(stage.value));
            outputs.memory = Some(MemoryWrite { line: stage.line, lanes, bytes: stage.strobes, data });
            hit = stage.to_store;
        }
        let every = vec![true; self.geometry.lanes];
        let write = outputs.memory.as_ref().filter(|_| hit);
        outputs.store = if let Some(constant) = inputs.constant {
            Some(StoreWrite { row: CONSTANT_ROW, lanes: every, data: Data::Word(constant) })
        } else if let Some(write) = write {
            Some(StoreWrite { row: self.row(write.line), lanes: write.lanes.clone(), data: write.data })
        } else {
            inputs.reply.map(|row| StoreWrite { row, lanes: every, data: Data::Reply })
        };
        outputs.reply_ready = inputs.constant.is_none() && !hit;
        outputs
    }

    /// A clock cycle.
    pub fn step(&mut self, wrote: bool, ack: bool) {
        self.many = self.unacknowledged >= UNACKNOWLEDGED;
        self.unacknowledged = (self.unacknowledged + u32::from(self.sent)).wrapping_sub(ack.into()) % 64;
        self.sent = wrote;
    }

    /// Reset.
    pub fn reset(&mut self) {
        *self = Writer::new(&self.geometry);
    }
}
