//! Front: the register block with the launch unit behind it, which is all of the Duality Cache that the host sees.
//!
//! ```text
//!  s_axil ◀─▶ register block ─▶ launch unit ─▶ control block: scalars, words, start, stop
//!     irq ◀──┘      │                └─▶ memory unit: restart, fill;  cache ways: the program's words
//!                   └─▶ memory unit: what waves are made of, DC-pages;  cache ways: which are in use, flushes
//! ```
//!
//! Timing is that of the two blocks.

use crate::duality::blocks::bundles::{CacheSource, WavesSource};
use crate::duality::blocks::host::{DualityHost, WAYS_BITS};
use crate::duality::blocks::launch::DualityLaunch;
use crate::duality::blocks::scalar_unit::ScalarNumber;
use crate::duality::blocks::types::ProgramWord;
use crate::duality::params::{DualityParams, PC_BITS};
use crate::duality::registers::ADDRESS_BITS;
use crate::kernel::prelude::*;
use crate::parts::bundles::AxilSlavePort;

hdl_block! {
    /// The front.
    pub DualityFront {
        In clock: Domain; /// Clock and reset.
        Bus s_axil: AxilSlavePort<Bits<ADDRESS_BITS>>; /// Registers, as seen by their master.
        Out irq: Bit; /// Interrupt line, active high while an enabled cause lasts.
        Out busy: Bit; /// A launch is under way.
        Bus waves: WavesSource; /// What waves are made of.
        Out restart, fill: Bit; /// The next wave is the first. The rows of a wave are to be written.
        In filled, left: Bit; /// They are. There are CTAs that no wave has had.
        Out lockstep: Bit; /// Words leave in bundles.
        Out put: Bit; /// A scalar register is written.
        Out put_number: ScalarNumber; /// Which one.
        Out put_value: Bits<32>; /// What it holds then.
        Out start, stop: Bit; /// A program begins. It is to stop.
        Out write_valid: Bit; /// A word for the ring is offered.
        In write_ready: Bit; /// It is taken if offered.
        Out write_data: ProgramWord; /// The word.
        In running, trapped: Bit; /// A program runs; it was stopped.
        In block_code: Bits<8>; /// What it ended with, or why.
        In pc, frontier, tail, trap_pc: Bits<PC_BITS>; /// The ring, and the word that the program was stopped before.
        In trap_slot: Bits<2>; /// The array of the word.
        In doorbell: Bit; /// At most half of the ring is in use.
        Bus cache: CacheSource; /// The program's words.
        Out enabled: Bits<WAYS_BITS>; /// Cache ways in use.
        Out drain_valid: Bit; /// All ways are to be emptied.
        In drain_ready, drained: Bit; /// This is taken if asked. It is done.
        Out clear_failed: Bit; /// `write_failed` becomes 0.
        In write_failed: Bit; /// Memory has not taken a line.
        In memory_busy, asked: Bit; /// A word of memory is at work. Something is asked of the ways.
        In hit, miss, merged, written_back: Bit; /// What the ways do.
    } inside {
        Child host: DualityHost; // Registers.
        Child launch: DualityLaunch; // Waves.
    }
}

impl DualityFront {
    /// The front of a design.
    pub fn new(params: &DualityParams) -> Self {
        DualityFront { host: DualityHost::new(params), launch: DualityLaunch::new(), ..Self::default() }
    }
}

impl Logic for DualityFront {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, host, launch);
        AxilSlavePort::<Bits<ADDRESS_BITS>>::link(&mut self.s_axil, &mut self.host.s_axil);
        WavesSource::link(&mut self.waves, &mut self.host.waves);
        CacheSource::link(&mut self.cache, &mut self.launch.cache);
        self.irq.next = self.host.irq.val();
        self.busy.next = self.launch.busy.val();
        // Between the two.
        self.launch.begin.next = self.host.begin.val();
        self.launch.abort.next = self.host.abort.val();
        self.launch.host_fed.next = self.host.host_fed.val();
        self.launch.code_at.next = self.host.code_at.val();
        self.launch.words.next = self.host.words.val();
        self.launch.parameters.next = self.host.parameters.val();
        self.host.parameter_number.next = self.launch.parameter_number.val();
        self.launch.parameter.next = self.host.parameter.val();
        self.launch.push.next = self.host.push.val();
        self.launch.push_word.next = self.host.push_word.val();
        self.host.push_ready.next = self.launch.push_ready.val();
        self.host.busy.next = self.launch.busy.val();
        self.host.runs.next = self.launch.runs.val();
        self.host.ended.next = self.launch.ended.val();
        self.host.outcome.next = self.launch.outcome.val();
        self.host.code.next = self.launch.code.val();
        self.host.wave.next = self.launch.start.val();
        // Waves.
        self.restart.next = self.launch.restart.val();
        self.fill.next = self.launch.fill.val();
        self.launch.filled.next = self.filled.val();
        self.launch.left.next = self.left.val();
        self.lockstep.next = self.host.lockstep.val();
        self.put.next = self.launch.put.val();
        self.put_number.next = self.launch.put_number.val();
        self.put_value.next = self.launch.put_value.val();
        self.start.next = self.launch.start.val();
        self.stop.next = self.launch.stop.val();
        self.write_valid.next = self.launch.write_valid.val();
        self.launch.write_ready.next = self.write_ready.val();
        self.write_data.next = self.launch.write_data.val();
        self.launch.running.next = self.running.val();
        self.launch.trapped.next = self.trapped.val();
        self.launch.block_code.next = self.block_code.val();
        self.launch.trap_pc.next = self.trap_pc.val();
        self.host.pc.next = self.pc.val();
        self.host.frontier.next = self.frontier.val();
        self.host.tail.next = self.tail.val();
        self.host.trap_pc.next = self.trap_pc.val();
        self.host.trap_slot.next = self.trap_slot.val();
        self.host.doorbell.next = self.doorbell.val();
        // Cache ways.
        self.enabled.next = self.host.enabled.val();
        self.drain_valid.next = self.host.drain_valid.val();
        self.host.drain_ready.next = self.drain_ready.val();
        self.host.drained.next = self.drained.val();
        self.clear_failed.next = self.host.clear_failed.val();
        self.host.write_failed.next = self.write_failed.val();
        self.host.memory_busy.next = self.memory_busy.val();
        self.host.asked.next = self.asked.val();
        self.host.hit.next = self.hit.val();
        self.host.miss.next = self.miss.val();
        self.host.merged.next = self.merged.val();
        self.host.written_back.next = self.written_back.val();
    }

    described!("duality_front", "Register block and launch unit.");
}
