//! Model of the compute unit: command queue, sequencer, array and row ports.

use super::command_queue::{CommandQueue, Waiting};
use super::command_setup::Refusal;
use super::compute_array::ComputeArray;
use super::row_loader::RowLoader;
use super::row_storer::RowStorer;
use super::sequencer::{Activity, Sequencer};
use bitline_units::array::isa::Command;
use bitline_units::array::isa::microcode::Microcode;
use bitline_units::array::params::Params;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// State of the unit.
#[derive(Clone, Debug)]
pub struct ComputeUnit {
    /// Bits of a beat on the row ports.
    pub beat: usize,
    /// ROM contents.
    pub code: Microcode,
    /// Commands that wait.
    pub queue: CommandQueue,
    /// Sequencer.
    pub sequencer: Sequencer,
    /// Array.
    pub array: ComputeArray,
    /// Load port.
    pub loader: RowLoader,
    /// Store port.
    pub storer: RowStorer,
}

/// What enters the unit in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// A command is offered.
    pub command: Option<Command>,
    /// Opcode and set sent in place of the command's: encodings that name no operation.
    pub codes: Option<(u8, u8)>,
    /// A beat is offered to the load port.
    pub beat: Option<u64>,
    /// The store port's beat is taken.
    pub take: bool,
}

/// What the unit shows in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outputs {
    /// A command is taken if offered.
    pub command_ready: bool,
    /// A beat is taken if offered.
    pub beat_ready: bool,
    /// Beat of the store port, and whether it is its command's last.
    pub beat: Option<(u64, bool)>,
    /// Something waits or runs.
    pub busy: bool,
    /// Commands that wait.
    pub level: u8,
    /// Wired-OR of the tags, a cycle late.
    pub tag_any: bool,
    /// Exception flags raised in this cycle; `None` if the design has none.
    pub raised: Option<u8>,
    /// What the sequencer does.
    pub activity: Activity,
}

/// Issue timing of a command, in cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// From the first to the last issue, stalls and waits included.
    pub issue: u64,
    /// From the first issue to the last write.
    pub latency: u64,
}

/// Derives a command's timing from what happens in each cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stopwatch {
    cycle: u64,
    first: Option<u64>,
    last: u64,
    write: u64,
}

impl Stopwatch {
    /// One cycle: whether a row was issued, and whether it writes.
    pub fn cycle(&mut self, issued: bool, writes: bool) {
        if issued {
            self.first.get_or_insert(self.cycle);
            self.last = self.cycle;
            if writes {
                self.write = self.cycle;
            }
        }
        self.cycle += 1;
    }

    /// Cycles so far.
    pub fn cycles(&self) -> u64 {
        self.cycle
    }

    /// The timing, when a write takes effect `delay` cycles after its issue.
    pub fn timing(&self, delay: u64) -> Timing {
        let first = self.first.unwrap_or(0);
        Timing { issue: self.last + 1 - first, latency: (self.write + delay + 1).max(self.last + 1) - first }
    }
}

impl ComputeUnit {
    /// Idle, rows zero.
    pub fn new(params: &Params) -> ComputeUnit {
        ComputeUnit::with_beats(params, params.beat_bits())
    }

    /// The same with beats of `beat` bits: up to a whole row.
    pub fn with_beats(params: &Params, beat: usize) -> ComputeUnit {
        ComputeUnit {
            beat,
            code: Microcode::assemble(params),
            queue: CommandQueue::new(params.command_fifo),
            sequencer: Sequencer::new(params),
            array: ComputeArray::new(params),
            loader: RowLoader::new(params.columns, beat),
            storer: RowStorer::new(params.columns, beat),
        }
    }

    /// Random words in the memories.
    pub fn fill(&mut self, seed: u64) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (columns, setup) = (self.array.sram.columns(), &mut self.sequencer.setup);
        let top = u64::MAX >> (columns.next_multiple_of(64) - columns);
        let mut words = vec![0; columns.div_ceil(64)];
        for row in 0..self.array.sram.rows() {
            words.fill_with(|| rng.random());
            *words.last_mut().expect("a row has words") &= top;
            self.array.sram.write(row, &words, None);
        }
        setup.bases.as_flattened_mut().fill_with(|| rng.random::<u16>() & 0x3ff);
        setup.counts.as_flattened_mut().fill_with(|| rng.random::<u8>() & 0x7f);
    }

    /// One clock edge.
    pub fn step(&mut self, inputs: &Inputs) -> Outputs {
        self.step_row(inputs, inputs.beat.as_ref().map(std::slice::from_ref))
    }

    /// One clock edge with a beat of any width in place of the inputs'.
    pub fn step_row(&mut self, inputs: &Inputs, beat: Option<&[u64]>) -> Outputs {
        let mut outputs = Outputs {
            command_ready: self.queue.ready(),
            beat_ready: !self.loader.full,
            beat: self.storer.beat().map(|(beat, last)| (beat[0], last)),
            busy: self.queue.count > 0 || !self.sequencer.idle() || self.storer.busy,
            level: self.queue.count,
            tag_any: self.array.tag_any,
            raised: None,
            activity: Activity::default(),
        };
        let (tag_any, load_ready, store_ready) = (self.array.tag_any, self.loader.full, !self.storer.busy);
        let activity = self.sequencer.step(&self.code, self.queue.head(), tag_any, [load_ready, store_ready], false);
        let offered = inputs.command.as_ref().map(|command| Waiting::new(command, inputs.codes));
        self.queue.step(offered, activity.accepted);
        let effects = self.array.step(&activity.issue, &self.loader.data);
        self.loader.step(beat, effects.loaded);
        let row = effects.stored.then_some(&self.array.stored[..]);
        self.storer.step(inputs.take, activity.issue.store.then_some(activity.last), row);
        outputs.raised = (!self.code.reports.is_empty()).then_some(activity.raised);
        outputs.activity = activity;
        outputs
    }

    /// A clock edge with the reset on has passed: registers are clear, memories keep their words. `params` are the
    /// design's.
    pub fn reset(&mut self, params: &Params) {
        self.queue.reset();
        let mut sequencer = Sequencer::new(params);
        sequencer.setup.bases = self.sequencer.setup.bases;
        sequencer.setup.counts = self.sequencer.setup.counts;
        self.sequencer = sequencer;
        let mut array = ComputeArray::new(params);
        std::mem::swap(&mut array.sram, &mut self.array.sram);
        array.latch.clone_from(&self.array.latch);
        self.array = array;
        self.loader = RowLoader::new(params.columns, self.beat);
        self.storer = RowStorer::new(params.columns, self.beat);
    }

    /// Runs one command to its end.
    ///
    /// # Errors
    /// The hardware's refusal.
    pub fn run(&mut self, command: Command) -> Result<Timing, Refusal> {
        let mut inputs = Inputs { command: Some(command), ..Inputs::default() };
        let mut watch = Stopwatch::default();
        let mut cycle = 0;
        loop {
            let outputs = self.step(&inputs);
            if outputs.command_ready {
                inputs.command = None;
            }
            let activity = outputs.activity;
            if let Some(refusal) = activity.refusal {
                return Err(refusal);
            }
            watch.cycle(activity.issued, activity.issue.write.is_some());
            cycle += 1;
            if cycle > 1 && !outputs.busy {
                return Ok(watch.timing(Sequencer::tag_latency(self.array.memory()) as u64 - 2));
            }
            assert!(cycle < 100_000, "{command} does not end");
        }
    }
}

state! {
    Inputs(self) {
        cmd_valid = self.command.is_some();
        bus cmd {
            when (let Some(c) = self.command) {
                op = self.codes.map_or(c.opcode as u8, |codes| codes.0);
                set = self.codes.map_or(c.set as u8, |codes| codes.1);
                width = c.width & 0x7f;
                second = c.second & 0x7f;
                a = c.a & 0x3ff;
                b = c.b & 0x3ff;
                d = c.d & 0x3ff;
                e = c.e & 0x3ff;
                s = c.s & 0x3ff;
                c => key;
            }
        }
        s_axis_tvalid = self.beat.is_some();
        s_axis_tdata = self.beat;
        m_axis_tready = self.take;
    }

    Outputs(self) {
        let activity = &self.activity;
        cmd_ready = self.command_ready;
        s_axis_tready = self.beat_ready;
        m_axis_tvalid = self.beat.is_some();
        m_axis_tdata = self.beat.map(|beat| beat.0);
        m_axis_tlast = self.beat.map(|beat| beat.1);
        self => busy, tag_any;
        queue_level = self.level;
        if (self.raised.is_some()) {
            raised_0 = self.raised.unwrap_or(0);
        }
        activity => accepted, issued;
        finished = activity.last;
        started = activity.first;
        refused = activity.refusal.is_some();
        refused_code = activity.refusal.map(|refusal| refusal.code);
        refused_operand = activity.refusal.map(|refusal| refusal.operand);
    }

    ComputeUnit(self, params: &Params) {
        still (self.queue) {
            in commands = self.queue, (Waiting::pack);
        }
        in loader = self.loader;
        in storer = self.storer;
        in sequencer = self.sequencer, (params, &self.code);
        in array = self.array, (params);
    }
}
