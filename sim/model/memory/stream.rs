//! Model of the compute unit with element streams, and of the ends that count elements.

use super::core::{CoreOutputs, Ends, MemoryCore, Word};
use crate::axil_slave::Offer;
use crate::seen::Source;
use bitline_units::array::params::Params;

/// The ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamEnds {
    /// Elements that a load still takes.
    pub reading: Option<u16>,
    /// A store is under way.
    pub writing: bool,
}

/// The whole.
#[derive(Clone, Debug)]
pub struct StreamTop {
    /// Register block, memory path and compute unit.
    pub core: MemoryCore,
    /// The ends.
    pub ends: StreamEnds,
}

/// What enters in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamInputs {
    /// AXI4-Lite.
    pub axil: Offer,
    /// An element is offered.
    pub beat: Option<u64>,
    /// An element that is there is taken.
    pub take: bool,
}

/// What is shown in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamOutputs {
    /// What the core shows; `out` is the element that is there.
    pub core: CoreOutputs,
    /// An element is taken if offered.
    pub beat_ready: bool,
}

impl StreamTop {
    /// After reset, rows zero.
    pub fn new(params: &Params) -> StreamTop {
        StreamTop { core: MemoryCore::new(params), ends: StreamEnds::default() }
    }

    /// A clock edge with the reset on has passed. `params` are the design's.
    pub fn reset(&mut self, params: &Params) {
        self.core.reset(params);
        self.ends = StreamEnds::default();
    }

    /// Takes what the hardware shows.
    pub fn see(&mut self, from: &mut dyn Source) {
        self.core.see(from);
    }

    /// One clock edge.
    pub fn step(&mut self, inputs: &StreamInputs) -> StreamOutputs {
        let word = inputs.beat.zip(self.ends.reading);
        let ends = Ends {
            read_ready: self.ends.reading.is_none(),
            word: word.map(|(data, left)| Word { data, last: left == 1, response: 0, address: 0 }),
            write_busy: self.ends.writing,
            write_failed: (0, 0),
            out_ready: inputs.take,
        };
        let word_ready = self.core.path.seen.word_ready;
        let beat_ready = self.ends.reading.is_some() && word_ready;
        let core = self.core.step(&inputs.axil, &ends);
        if let (Some(left), true) = (self.ends.reading, word.is_some() && word_ready) {
            self.ends.reading = (left > 1).then_some(left - 1);
        }
        if let Some(start) = core.read.filter(|_| ends.read_ready) {
            self.ends.reading = Some(start.count);
        }
        if core.out.is_some_and(|(_, last)| last) && inputs.take {
            self.ends.writing = false;
        }
        self.ends.writing |= core.write.is_some();
        StreamOutputs { core, beat_ready }
    }
}

state! {
    StreamInputs(self) {
        bus s_axil = self.axil;
        s_axis_tvalid = self.beat.is_some();
        s_axis_tdata = self.beat;
        m_axis_tready = self.take;
    }

    StreamOutputs(self) {
        with self.core;
        s_axis_tready = self.beat_ready;
        m_axis_tvalid = self.core.out.is_some();
        m_axis_tdata = self.core.out.map(|out| out.0);
        m_axis_tlast = self.core.out.map(|out| out.1);
    }

    StreamEnds(self) {
        reading = self.reading.is_some();
        count = self.reading.map(|count| count - 1);
        writing = self.writing;
    }

    StreamTop(self, params: &Params) {
        in core = self.core, (params);
        in ends = self.ends;
    }
}
