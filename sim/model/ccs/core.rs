//! Cycle model of the cache compute system without its memory: the blocks' models, tied together.
//!
//! What a block shows in a cycle comes from the state before it; then every block takes its step.

pub use super::core_ports::{CoreInputs, CoreOutputs, CoreWrite};
pub use super::events::Events;
use super::fetch::{CONSTANT_ROW, Fetch, FetchInputs, FetchOutputs};
use super::generator::{Generator, GeneratorInputs};
use super::launcher::{Launcher, LauncherInputs};
use super::processor::{Processor, ProcessorInputs, State};
use super::registers::{RegisterInputs, Registers};
use super::scoreboard::{RESULTS, Scoreboard};
use super::silence::Silence;
use super::store::Store;
use super::tags::Tags;
use super::unit::{Step, Unit, UnitInputs};
use super::word_stage::WordStage;
use super::writer::{Data, Writer, WriterInputs};
use bitline_units::ccs::control::{LANE_CONTROL_BITS, TREE};
use bitline_units::ccs::registers::*;
use bitline_units::ccs::{CcsGeometry, CcsMemory};

/// The system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Core {
    /// Its geometry.
    pub geometry: CcsGeometry,
    /// Registers.
    pub registers: Registers,
    /// Launcher.
    pub launcher: Launcher,
    /// Generator.
    pub generator: Generator,
    /// Fetch.
    pub fetch: Fetch,
    /// Tags.
    pub tags: Tags,
    /// Scoreboard.
    pub scoreboard: Scoreboard,
    /// Word stage.
    pub word_stage: WordStage,
    /// Writer.
    pub writer: Writer,
    /// Store.
    pub store: Store,
    /// Unit.
    pub unit: Unit,
    /// The processor's side.
    pub processor: Processor,
    /// What listens to memory.
    pub silence: Silence,
    /// What has happened.
    pub events: Events,
    /// Row of the store that the last cycle has written.
    pub written: Option<u8>,
    /// Row of its first copy, if that has its own lines.
    pub more_written: Option<u8>,
}

impl Core {
    /// After reset, everything else being 0.
    pub fn new(geometry: &CcsGeometry) -> Core {
        Core {
            geometry: geometry.clone(),
            registers: Registers::new(geometry),
            launcher: Launcher::new(geometry),
            generator: Generator::new(geometry),
            fetch: Fetch::new(geometry.lines, geometry.read_ports),
            tags: Tags::new(geometry),
            scoreboard: Scoreboard::default(),
            word_stage: WordStage::new(geometry),
            writer: Writer::new(geometry),
            store: Store::new(geometry),
            unit: Unit::new(geometry),
            processor: Processor::new(geometry),
            silence: Silence::new(geometry.memory == CcsMemory::Line),
            events: Events::default(),
            written: None,
            more_written: None,
        }
    }

    /// Reset.
    pub fn reset(&mut self) {
        self.registers.reset();
        self.launcher.reset();
        self.generator.reset();
        self.fetch.reset();
        self.tags.reset();
        self.scoreboard.reset();
        self.word_stage.reset();
        self.writer.reset();
        self.unit.reset();
        self.processor.reset();
        self.silence.reset();
    }

    /// What has not gone to the unit is dropped.
    fn stops(&self) -> bool {
        self.launcher.stops() || self.generator.strays()
    }

    /// The lines that memory is asked for in this cycle, on each port: the unit asks for none while the processor does.
    pub fn asks(&self) -> [Option<u32>; 2] {
        let [first, second] = self.processor.asks().map(|asks| asks.then(|| self.processor.line()));
        let [own, more] = self.fetch.asks(self.launcher.fresh, self.stops());
        [own.or(first), more.or(second)]
    }

    /// A clock cycle.
    pub fn step(&mut self, inputs: &CoreInputs) -> CoreOutputs {
        let unit = self.unit.outputs();
        let result = unit.result.map(Option::unwrap_or_default);
        let stop = self.stops();
        let (vectors, ready, queued) = (self.launcher.job.vectors(), self.launcher.ready(), self.launcher.pending);
        let job = self.launcher.job.clone();
        let (map, results_empty) = (self.launcher.done.vectors()[2], self.scoreboard.queue.is_empty());
        let (soon, busy) = (unit.y_soon && map, self.fetch.busy() || !results_empty);
        let front = self.generator.busy() || self.fetch.front();
        let (lull, reducing) = (self.fetch.quiet && !self.word_stage.valid, self.fetch.flight.reductions > 0);
        let switches = self.launcher.switches(lull);
        let clear = self.launcher.clears();
        // Processor.
        let port_busy = self.fetch.waiting.issued;
        let (resetting, settling) = (self.launcher.resetting, self.silence.settling);
        let waits = [resetting, settling];
        let ready_for = self.processor.ready(inputs.access, self.word_stage.valid, waits, port_busy, queued);
        let takes = inputs.access.filter(|_| ready_for);
        let (line, place) = (self.processor.line(), self.processor.place());
        let port = self.processor.port(takes, port_busy);
        let [own, more_own] = self.processor.owns();
        // What is written.
        let fill_row = if own { self.tags.row(line) as u8 } else { self.fetch.requests.arrival_row() };
        // While memory settles, what it says changes nothing.
        let reply = inputs.reply.as_ref().filter(|_| !settling);
        let ack = inputs.ack.filter(|_| !settling);
        let more_reply = inputs.more_reply.as_ref().filter(|_| !settling);
        let more_arrives = more_reply.map(|reply| reply.1);
        let usable = reply.filter(|reply| !(own && reply.1));
        let element = result.filter(|_| self.launcher.tree.store).map(|result| (result, self.scoreboard.head()));
        let writer = self.writer.outputs(
            &WriterInputs {
                results: (unit.y_valid && map).then(|| unit.write.clone()),
                element: element.is_some(),
                head: self.scoreboard.head(),
                constant: switches.then_some(job.constant),
                reply: usable.map(|_| fill_row),
                ack: ack.is_some(),
            },
            &self.word_stage,
        );
        let word = self.processor.word();
        let word_granted = self.word_stage.grants(word.as_ref(), element.is_some(), writer.word_go);
        let arrives = reply.filter(|_| writer.reply_ready).map(|reply| reply.1);
        let ([request, more_request], [asked, more_asked]) = (self.fetch.asks(self.launcher.fresh, stop), self.asks());
        // Steps.
        let step = self.generator.offered();
        let fetch_inputs = FetchInputs {
            step,
            valid: self.generator.valid,
            vectors,
            store: job.store,
            second_constant: job.second_constant(),
            fresh: self.launcher.fresh,
            map,
            hits: [self.tags.first_hit(step.lines[0]), self.tags.hit(step.lines[1]), self.tags.hit(step.lines[2])],
            same: [0, 1].map(|i| self.scoreboard.same(step.lines[i])),
            going: self.scoreboard.going(soon || element.is_some()),
            gone: self.scoreboard.gone,
            results_room: !self.scoreboard.tight,
            slow: self.writer.many,
            stop,
            hold: self.processor.holds() || settling,
            pause: self.processor.kept_waiting || self.word_stage.young,
            filling: self.processor.fills(),
            fill_line: line,
            read_ready: inputs.read_ready,
            arrive: arrives.is_some() && !own,
            failed: arrives == Some(true),
            more_ready: inputs.more_ready,
            more_arrive: more_arrives.is_some() && !more_own,
            more_failed: more_arrives == Some(true),
            forget: clear,
            retire: unit.y_valid,
            result: result.is_some(),
        };
        let settled = self.writer.settled(&self.word_stage, ack.is_some());
        let outside = self.generator.outside() && !self.generator.valid && !busy && settled;
        let dropped = stop && !self.fetch.flying();
        let lookup_hit = takes.is_some_and(|access| self.tags.hit(access.address / self.geometry.line_bytes() as u32));
        let idle = !self.generator.busy() && !busy && settled;
        let told = self.fetch.requests.stale == 0;
        let more_failed = more_arrives == Some(true) && !more_own && self.fetch.more_told();
        let failed = ack == Some(true) || arrives == Some(true) && !own && told || more_failed;
        let answers = self.launcher.answers(idle, failed);
        let register_read = self.processor.register_read(answers && !resetting);
        let register_write = self.processor.register_write(queued);
        let queues = register_write.is_some_and(|(offset, ..)| offset == REG_QUEUE);
        let (start, soft_reset) = Registers::asks(register_write);
        let (started, silent) = (self.registers.started(register_write), self.silence.silent);
        let launch = LauncherInputs {
            start,
            queues,
            word: started,
            front,
            lull,
            reducing,
            soft_reset,
            idle,
            outside,
            failed,
            silent,
        };
        let set = self.processor.state == State::Again;
        let outputs = CoreOutputs {
            ready: ready_for,
            reply: self.processor.reply.then_some((self.processor.reply_data, self.processor.reply_error)),
            irq: self.registers.line,
            read: asked,
            more_read: more_asked,
            reply_ready: writer.reply_ready,
            write: writer.memory.map(|write| CoreWrite {
                line: write.line,
                lanes: write.lanes,
                bytes: write.bytes,
                word: if let Data::Word(word) = write.data { Some(word) } else { None },
                data: if write.data == Data::Results { unit.y.clone() } else { vec![] },
            }),
        };
        // Everything moves.
        let loads = self.launcher.takes(&launch, &self.registers);
        let quick = self.launcher.quick(&launch, &self.registers);
        let taken = self.launcher.starts(&launch) && !queues;
        let ended = self.launcher.ends(&launch);
        let (push_hit, shut) = (self.fetch.looked.there[2], self.fetch.closed);
        let more_row = if more_own { self.tags.row(line) as u8 } else { self.fetch.more_row() };
        let spoils = self.processor.spoils();
        let fetched = self.fetch.step(&fetch_inputs);
        self.count(&fetch_inputs, &fetched, writer.drops, reply.is_some() && arrives.is_none(), set && !ready);
        let status = u32::from(ready && !resetting) << STATUS_READY_LSB
            | u32::from(resetting) << STATUS_RESETTING_LSB
            | u32::from(queued) << STATUS_QUEUED_LSB;
        let port_row = port.map(|line| self.tags.row(line) as u8);
        self.processor.step(&ProcessorInputs {
            asks: inputs.access,
            port_busy,
            takes,
            lookup_hit,
            command_ready: answers && !resetting,
            queued,
            register_value: self.registers.value(self.processor.register(), status, self.launcher.error),
            word_read: self.store.word(),
            word_granted,
            quiet: !busy && shut,
            // Hardware does not ask whether the unit does: it never does so while the processor asks.
            read_ready: inputs.read_ready && request.is_none(),
            arrive: arrives.filter(|_| own),
            more_ready: inputs.more_ready && more_request.is_none(),
            more_arrive: more_arrives.filter(|_| more_own),
        });
        let [base_a, base_b, base_r] = [REG_A, REG_B, REG_R].map(|offset| self.registers.get(offset));
        let steps = [REG_STEP_A, REG_STEP_B, REG_STEP_R].map(|offset| self.registers.get(offset));
        let load = loads.map(|_| ([base_a, base_b, base_r], steps, self.registers.get(REG_COUNT)));
        self.generator.step(&GeneratorInputs {
            load,
            quick,
            length: loads.unwrap_or_default().1,
            vectors,
            store: job.store,
            extent: job.extent,
            run: self.launcher.run(),
            stop: self.launcher.refuses(),
            take: fetched.take,
        });
        self.events.steps += u64::from(fetched.issue.is_some());
        if unit.y_valid {
            self.events.elements += unit.write.iter().filter(|&&counts| counts).count() as u64;
            self.events.nodes += if map { 0 } else { self.geometry.lanes as u64 };
        }
        self.events.rows_written += u64::from(writer.store.is_some());
        self.events.lines_read += u64::from(arrives.is_some() && !own) + u64::from(more_arrives.is_some() && !more_own);
        self.events.lines_written += u64::from(writer.result_written);
        let (done, tree) = (self.launcher.done.clone(), self.launcher.tree.clone());
        self.launcher.step(&launch, &self.registers);
        self.registers.step(&RegisterInputs {
            write: register_write,
            read: register_read,
            ready,
            taken,
            ended,
            line_written: writer.result_written,
            result,
            clear,
        });
        self.tags.step(line, set, writer.drops, clear);
        let changed = writer.store.as_ref().filter(|write| write.data != Data::Reply && write.row != CONSTANT_ROW);
        let (changed, evicted) = (changed.map(|write| write.row.into()), writer.evicted.map(usize::from));
        self.tags.step_first(line, set, spoils, changed, evicted);
        self.scoreboard.step(
            (step.lines[2], step.place),
            fetched.push,
            push_hit,
            [unit.y_valid && map, element.is_some(), soon],
        );
        if dropped {
            self.scoreboard.clear();
        }
        self.unit.step(&UnitInputs {
            control: done.control() & ((1 << LANE_CONTROL_BITS) - 1) | tree.control() >> TREE << TREE,
            flip: tree.flip,
            mask: done.mask,
            step: fetched.issue.map(|step| Step { last: step.last && !map, ..step }),
            a: self.store.operands[0].clone(),
            b: self.store.operands[1].clone(),
        });
        // The processor's word is in what the first operand is read from, with two ports the second.
        let mut rows = fetched.rows;
        let from = self.geometry.read_ports - 1;
        rows[from] = port_row.unwrap_or(rows[from]);
        let more = more_reply.filter(|reply| !(more_own && reply.1)).map(|reply| (more_row, &reply.0[..]));
        let reply = inputs.reply.as_ref().map(|reply| &reply.0[..]);
        self.store.step(rows, place, writer.store.as_ref(), &unit.y, reply, more);
        self.more_written = more.map(|(row, _)| row);
        self.word_stage.step(word, element, writer.word_go);
        self.writer.step(outputs.write.is_some(), ack.is_some());
        let answered = inputs.reply.is_some() || inputs.more_reply.is_some() || inputs.ack.is_some();
        self.silence.step(answered, resetting);
        self.written = writer.store.map(|write| write.row);
        outputs
    }

    fn count(&mut self, inputs: &FetchInputs, fetched: &FetchOutputs, drops: bool, late: bool, fill: bool) {
        let (events, waiting) = (&mut self.events, &self.fetch.waiting);
        events.drops += u64::from(drops);
        events.late += u64::from(late);
        events.fills_beside += u64::from(fill);
        events.slow += u64::from(inputs.slow && inputs.valid);
        events.most_results = events.most_results.max(self.scoreboard.queue.len());
        events.most_waiting = events.most_waiting.max(waiting.queue.len() + usize::from(waiting.valid));
        assert!(self.scoreboard.queue.len() < RESULTS, "the ring of results overflows");
        if fetched.take {
            for i in (0..3).filter(|&i| inputs.vectors[i]) {
                let count = if inputs.hits[i] { &mut events.hits } else { &mut events.misses };
                count[i] += 1;
            }
            let suspicious = |i: usize| inputs.vectors[i] && !inputs.same[i].is_empty();
            events.conflicts += u64::from(suspicious(0) || suspicious(1));
            let misses = |i: usize| inputs.vectors[i] && !inputs.hits[i];
            events.two_fetches += u64::from(misses(0) && misses(1));
        }
    }
}

state! {
    Core(self) {
        in registers = self.registers;
        in launcher = self.launcher;
        in generator = self.generator;
        in fetch = self.fetch;
        in scoreboard = self.scoreboard;
        in tags = self.tags;
        in word_stage = self.word_stage;
        in writer {
            self.writer => unacknowledged, sent, many;
        }
        in store = self.store, (self.written.map(usize::from), self.more_written.map(usize::from));
        in processor = self.processor;
        in unit = self.unit;
        in silence = self.silence;
    }
}
