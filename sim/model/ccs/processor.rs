//! Model of the processor's side: one access, from its request to its reply.

use super::word_stage::Word;
use bitline_units::ccs::CcsGeometry;
use bitline_units::ccs::registers::{BASE, REG_A, REG_LAUNCH, REG_QUEUE, REG_START, REG_WAIT, SPAN};

/// An access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuAccess {
    /// Byte address.
    pub address: u32,
    /// Data and strobes; they do not count for reads.
    pub data: (u32, u8),
    /// It writes.
    pub write: bool,
}

/// What is being done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// Nothing.
    #[default]
    Idle,
    /// The access.
    Act,
    /// A word is chosen.
    Select,
    /// Steps come to their end.
    Drain,
    /// A line is asked for.
    Request,
    /// It is to arrive.
    Fill,
    /// The store is read again.
    Again,
}

/// Inputs of a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessorInputs {
    /// An access asked for.
    pub asks: Option<CpuAccess>,
    /// The store's first port is the unit's.
    pub port_busy: bool,
    /// The access, if it is taken.
    pub takes: Option<CpuAccess>,
    /// Its line is there.
    pub lookup_hit: bool,
    /// No command runs any more.
    pub command_ready: bool,
    /// One waits behind the one that runs.
    pub queued: bool,
    /// What the register holds.
    pub register_value: u32,
    /// The word of the store.
    pub word_read: u32,
    /// The word goes to the word stage.
    pub word_granted: bool,
    /// Nothing is under way between generator and store, and no step is taken.
    pub quiet: bool,
    /// The request is taken.
    pub read_ready: bool,
    /// The line has arrived, perhaps with an error.
    pub arrive: Option<bool>,
    /// The same on the port of a, if there are two.
    pub more_ready: bool,
    /// The line has arrived there.
    pub more_arrive: Option<bool>,
}

/// The block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Processor {
    line_bytes: u32,
    /// State.
    pub state: State,
    /// The access.
    pub access: CpuAccess,
    /// Its line is there.
    pub hit: bool,
    /// A read waited for the store's port, a cycle ago.
    pub kept_waiting: bool,
    /// With two read ports: the store's first copy has the line.
    pub round: Option<bool>,
    /// While steps are held, none was under way or taken, a cycle ago.
    pub calm: bool,
    /// A reply is offered.
    pub reply: bool,
    /// The word.
    pub reply_data: u32,
    /// It came with an error.
    pub reply_error: bool,
}

impl Processor {
    /// After reset.
    pub fn new(geometry: &CcsGeometry) -> Processor {
        Processor {
            line_bytes: geometry.line_bytes() as u32,
            state: State::Idle,
            access: CpuAccess::default(),
            hit: false,
            kept_waiting: false,
            round: (geometry.read_ports == 2).then_some(false),
            calm: false,
            reply: false,
            reply_data: 0,
            reply_error: false,
        }
    }

    /// Line of the access.
    pub fn line(&self) -> u32 {
        self.access.address / self.line_bytes
    }

    /// Place of its word in the line.
    pub fn place(&self) -> usize {
        (self.access.address % self.line_bytes / 4) as usize
    }

    /// Whether an access is taken: not while a word waits to be written, and a read of memory only while the unit
    /// leaves the port; in a soft reset only a read of a register, while memory settles only registers.
    pub fn ready(
        &self,
        access: Option<CpuAccess>,
        blocked: bool,
        waits: [bool; 2],
        port_busy: bool,
        queued: bool,
    ) -> bool {
        let (write, memory) = access.map_or((false, true), |a| (a.write, u64::from(a.address) < BASE));
        let [resetting, settling] = waits;
        let barred = resetting && (memory || write) || settling && memory || !write && memory && port_busy;
        // A register that is staged gives way to the next.
        let staged = self.register_write(queued).is_some_and(|(offset, ..)| offset >= REG_A);
        let follows = write && !memory && staged;
        let free = self.state == State::Idle || follows;
        free && !blocked && !barred
    }

    fn on_register(&self) -> bool {
        self.state == State::Act && u64::from(self.access.address) >= BASE
    }

    fn offset(&self) -> u64 {
        u64::from(self.access.address & !3) % SPAN
    }

    /// The access writes all of a register that starts a command.
    fn launching(&self) -> bool {
        let starts = [REG_START, REG_QUEUE, REG_LAUNCH].contains(&self.offset());
        self.access.write && u64::from(self.access.address) >= BASE && self.access.data.1 == 0xf && starts
    }

    /// A register is written; what is staged not while a queued command needs it.
    pub fn register_write(&self, queued: bool) -> Option<(u64, u32, u8)> {
        let (data, strobes) = self.access.data;
        let stalls = queued && self.offset() >= REG_A;
        (self.on_register() && self.access.write && !stalls).then_some((self.offset(), data, strobes))
    }

    /// A register is read; `wait` only while no command runs.
    pub fn register_read(&self, command_ready: bool) -> Option<u64> {
        let answers = self.offset() != REG_WAIT || command_ready;
        (self.on_register() && !self.access.write && answers).then_some(self.offset())
    }

    /// The register that is looked at.
    pub fn register(&self) -> u64 {
        self.offset()
    }

    /// A word to write.
    pub fn word(&self) -> Option<Word> {
        let writes = self.state == State::Act && !self.on_register() && self.access.write;
        let (data, strobes) = self.access.data;
        writes.then_some(Word { line: self.line(), place: self.place(), data, strobes, hit: self.hit })
    }

    /// Line whose row the store reads for the processor.
    pub fn port(&self, takes: Option<CpuAccess>, port_busy: bool) -> Option<u32> {
        match self.state {
            State::Again => (!port_busy).then_some(self.line()),
            _ => takes.filter(|a| !a.write && u64::from(a.address) < BASE).map(|a| a.address / self.line_bytes),
        }
    }

    /// No step may be taken from the next cycle on.
    pub fn holds(&self) -> bool {
        matches!(self.state, State::Drain | State::Request) || self.state == State::Fill && self.begins()
    }

    /// With two read ports: the line goes to the first copy first.
    fn begins(&self) -> bool {
        self.round == Some(false)
    }

    /// Its line is asked for, on each port.
    pub fn asks(&self) -> [bool; 2] {
        let asks = self.state == State::Request;
        [asks && !self.begins(), asks && self.begins()]
    }

    /// The next line that arrives is the processor's, on each port.
    pub fn owns(&self) -> [bool; 2] {
        let fills = self.state == State::Fill;
        [fills && !self.begins(), fills && self.begins()]
    }

    /// The first copy gets another line.
    pub fn spoils(&self) -> bool {
        self.round.is_some() && self.state == State::Request
    }

    /// The access's line is fetched.
    pub fn fills(&self) -> bool {
        matches!(self.state, State::Request | State::Fill | State::Again)
    }

    /// A clock cycle.
    pub fn step(&mut self, inputs: &ProcessorInputs) {
        self.reply = false;
        let calm = self.calm;
        let begins = self.begins();
        let arrive = if begins { inputs.more_arrive } else { inputs.arrive };
        let read_ready = if begins { inputs.more_ready } else { inputs.read_ready };
        let writes = self.register_write(inputs.queued).is_some();
        self.calm = self.holds() && inputs.quiet;
        let reads = inputs.asks.is_some_and(|a| !a.write && u64::from(a.address) < BASE);
        self.kept_waiting = inputs.port_busy && (reads || self.state == State::Again);
        let mut answer = |data: Option<u32>, error: bool| {
            self.reply = true;
            self.reply_data = data.unwrap_or(self.reply_data);
            self.reply_error = error;
        };
        self.state = match self.state {
            State::Idle => State::Idle,
            State::Act if u64::from(self.access.address) >= BASE => {
                let waits = self.access.address & 0xfc == REG_WAIT as u32 && !inputs.command_ready;
                // What a write leaves in the reply's data is offered to nobody.
                self.reply_data = inputs.register_value;
                self.reply_error = false;
                self.reply = !self.access.write && !waits;
                if writes || !self.access.write && !waits { State::Idle } else { State::Act }
            }
            State::Act if self.access.write => {
                if inputs.word_granted {
                    State::Idle
                } else {
                    State::Act
                }
            }
            State::Act => {
                if self.hit {
                    State::Select
                } else {
                    State::Drain
                }
            }
            State::Select => {
                answer(Some(inputs.word_read), false);
                State::Idle
            }
            State::Drain => {
                if calm {
                    State::Request
                } else {
                    State::Drain
                }
            }
            State::Request => {
                if read_ready {
                    State::Fill
                } else {
                    State::Request
                }
            }
            State::Fill => match arrive {
                None => State::Fill,
                Some(error) => {
                    self.hit = true;
                    self.round = self.round.map(|round| !round && !error);
                    if error {
                        answer(None, true);
                        State::Idle
                    } else if begins {
                        State::Request
                    } else {
                        State::Again
                    }
                }
            },
            State::Again if inputs.port_busy => State::Again,
            State::Again => State::Act,
        };
        if let Some(access) = inputs.takes {
            (self.access, self.hit, self.state) = (access, inputs.lookup_hit, State::Act);
        }
    }

    /// Reset.
    pub fn reset(&mut self) {
        (self.state, self.reply, self.kept_waiting, self.calm) = (State::Idle, false, false, false);
        self.round = self.round.map(|_| false);
    }
}

state! {
    Processor(self) {
        self => kept_waiting, calm, hit, reply, reply_data, reply_error;
        round[] = self.round;
        state = self.state as u64;
        launching = self.launching();
        self.access => write, address;
        // Of a read they mean nothing.
        when (self.access.write) {
            value = self.access.data.0;
            bytes = self.access.data.1;
        }
    }
}

/// An access on the wires, if there is one.
#[derive(Clone, Copy, Debug)]
pub struct CpuWires(pub Option<CpuAccess>);

state! {
    CpuWires(self) {
        valid = self.0.is_some();
        when (let Some(access) = self.0) {
            access => write, address;
            when (access.write) {
                data = access.data.0;
                strobes = access.data.1;
            }
        }
    }
}
