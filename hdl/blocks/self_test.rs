//! Self-test: plays the script of [`crate::self_test`] on a compute unit's registers and streams.
//!
//! ```text
//!  script ROM ─▶ control ─▶ m_axil ─▶ registers
//!  sequence ──────────────▶ m_axis ─▶ load port
//!  signature ◀───────────── s_axis ◀─ store port
//! ```
//!
//! Runs after `start` = 1 in a cycle without a run; `running` = 1 from the next cycle until `passed` or `failed` is 1, which stay until
//! the next start. Fails at the first register that is not what it must be, at a wrong signature, and when it takes longer than 2^24
//! cycles. After a failure the unit may hold beats of the run: it needs a reset before the next one.

use crate::kernel::prelude::*;
use crate::registers::ADDRESS_BITS;
use crate::self_test::{self as script, DATA_LSB, END, EXPECT, NUMBER_LSB, SEED, STEP_BITS, WAIT, WRITE};

use super::axil_slave::NUMBER;
use super::mixer::Mixer;

/// Bits of a step's address.
const ADDRESS: usize = 11;
/// Bits of the watchdog.
const WATCHDOG: usize = 25;

/// What the control does.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Phase {
    /// Waits for a start.
    Idle,
    /// Reads a step.
    Fetch,
    /// Begins it.
    Begin,
    /// Waits for the response of a write.
    Write,
    /// Waits for the data of a read.
    Read,
    /// Waits for the last beats.
    Drain,
}
packed_enum!(Phase: Idle, Fetch, Begin, Write, Read, Drain);

/// The self-test; `B` is a beat.
#[derive(LogicBlock)]
pub struct SelfTest<B: Packed> {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// Begins a run.
    pub start: Signal<In, Bit>,
    /// A run is under way.
    pub running: Signal<Out, Bit>,
    /// The last run found nothing wrong.
    pub passed: Signal<Out, Bit>,
    /// The last run found something wrong.
    pub failed: Signal<Out, Bit>,
    /// Write address.
    pub m_axil_awaddr: Signal<Out, Bits<ADDRESS_BITS>>,
    /// It is offered.
    pub m_axil_awvalid: Signal<Out, Bit>,
    /// It is taken if offered.
    pub m_axil_awready: Signal<In, Bit>,
    /// Write data.
    pub m_axil_wdata: Signal<Out, Bits<32>>,
    /// They are offered.
    pub m_axil_wvalid: Signal<Out, Bit>,
    /// They are taken if offered.
    pub m_axil_wready: Signal<In, Bit>,
    /// A write response is offered.
    pub m_axil_bvalid: Signal<In, Bit>,
    /// Read address.
    pub m_axil_araddr: Signal<Out, Bits<ADDRESS_BITS>>,
    /// It is offered.
    pub m_axil_arvalid: Signal<Out, Bit>,
    /// It is taken if offered.
    pub m_axil_arready: Signal<In, Bit>,
    /// Read data.
    pub m_axil_rdata: Signal<In, Bits<32>>,
    /// They are offered.
    pub m_axil_rvalid: Signal<In, Bit>,
    /// A beat for the load port is offered.
    pub m_axis_tvalid: Signal<Out, Bit>,
    /// It is taken if offered.
    pub m_axis_tready: Signal<In, Bit>,
    /// The beat.
    pub m_axis_tdata: Signal<Out, B>,
    /// A beat of the store port is offered; it is always taken.
    pub s_axis_tvalid: Signal<In, Bit>,
    /// The beat.
    pub s_axis_tdata: Signal<In, B>,
    /// Script.
    pub rom: Rom<Word<STEP_BITS, 1>, Bits<ADDRESS>>,
    /// Next value of the sequence.
    pub sequence: Mixer,
    /// Next value of the signature.
    pub fold: Mixer,
    /// What the control does.
    pub phase: Register<Phase>,
    /// The step.
    pub address: Register<Bits<ADDRESS>>,
    /// A write address is offered.
    pub aw_valid: Register<Bit>,
    /// Write data are offered.
    pub w_valid: Register<Bit>,
    /// A read address is offered.
    pub ar_valid: Register<Bit>,
    /// Cycles of the run.
    pub watchdog: Register<Bits<WATCHDOG>>,
    /// The sequence.
    pub value: Register<Word<64, 1>>,
    /// The signature.
    pub signature: Register<Word<64, 1>>,
    /// Beats to send.
    pub to_send: Register<Bits<32>>,
    /// Beats to receive.
    pub to_receive: Register<Bits<32>>,
    /// The last run found nothing wrong.
    pub good: Register<Bit>,
    /// The last run found something wrong.
    pub bad: Register<Bit>,
    code: Signal<Local, Bits<2>>,
    data: Signal<Local, Bits<32>>,
    offset: Signal<Local, Bits<ADDRESS_BITS>>,
    sends: Signal<Local, Bit>,
    idle: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    matches: Signal<Local, Bit>,
    _beats_in: u64,
    _beats_out: u64,
    _signature_low: u64,
    _signature_high: u64,
}

impl<B: Packed> Default for SelfTest<B> {
    fn default() -> Self {
        SelfTest::new(&script::SelfTest { steps: vec![], beats_in: 0, beats_out: 0, signature: 0 })
    }
}

impl<B: Packed> SelfTest<B> {
    /// Plays `test`.
    pub fn new(test: &script::SelfTest) -> Self {
        let words = test.steps.iter().chain(&[script::Step::End]).map(|s| Word::from(s.encode()));
        SelfTest {
            clock: Signal::default(),
            start: Signal::default(),
            running: Signal::default(),
            passed: Signal::default(),
            failed: Signal::default(),
            m_axil_awaddr: Signal::default(),
            m_axil_awvalid: Signal::default(),
            m_axil_awready: Signal::default(),
            m_axil_wdata: Signal::default(),
            m_axil_wvalid: Signal::default(),
            m_axil_wready: Signal::default(),
            m_axil_bvalid: Signal::default(),
            m_axil_araddr: Signal::default(),
            m_axil_arvalid: Signal::default(),
            m_axil_arready: Signal::default(),
            m_axil_rdata: Signal::default(),
            m_axil_rvalid: Signal::default(),
            m_axis_tvalid: Signal::default(),
            m_axis_tready: Signal::default(),
            m_axis_tdata: Signal::default(),
            s_axis_tvalid: Signal::default(),
            s_axis_tdata: Signal::default(),
            rom: Rom::new(words.collect()),
            sequence: Mixer::default(),
            fold: Mixer::default(),
            phase: Register::new(Phase::Idle),
            address: Register::default(),
            aw_valid: Register::default(),
            w_valid: Register::default(),
            ar_valid: Register::default(),
            watchdog: Register::default(),
            value: Register::default(),
            signature: Register::default(),
            to_send: Register::default(),
            to_receive: Register::default(),
            good: Register::default(),
            bad: Register::default(),
            code: Signal::default(),
            data: Signal::default(),
            offset: Signal::default(),
            sends: Signal::default(),
            idle: Signal::default(),
            waits: Signal::default(),
            matches: Signal::default(),
            _beats_in: test.beats_in,
            _beats_out: test.beats_out,
            _signature_low: test.signature & 0xffff_ffff,
            _signature_high: test.signature >> 32,
        }
    }
}

impl<B: Packed> Logic for SelfTest<B> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, rom);
        dff_setup!(self, clock, phase, address, aw_valid, w_valid, ar_valid, watchdog);
        dff_setup!(self, clock, value, signature, to_send, to_receive, good, bad);
        // The step.
        self.rom.address.next = self.address.q.val();
        self.rom.enable.next = true;
        self.code.next = self.rom.data.val().get_bits::<2>(0);
        self.data.next = self.rom.data.val().get_bits::<32>(DATA_LSB);
        self.offset.next = bit_cast::<ADDRESS_BITS, NUMBER>(self.rom.data.val().get_bits::<NUMBER>(NUMBER_LSB)) << 2;
        self.m_axil_awaddr.next = self.offset.val();
        self.m_axil_araddr.next = self.offset.val();
        self.m_axil_wdata.next = self.data.val();
        self.m_axil_awvalid.next = self.aw_valid.q.val();
        self.m_axil_wvalid.next = self.w_valid.q.val();
        self.m_axil_arvalid.next = self.ar_valid.q.val();
        if self.m_axil_awready.val() {
            self.aw_valid.d.next = false;
        }
        if self.m_axil_wready.val() {
            self.w_valid.d.next = false;
        }
        if self.m_axil_arready.val() {
            self.ar_valid.d.next = false;
        }
        // Rows.
        self.idle.next = self.phase.q.val() == Phase::Idle;
        self.sends.next = !self.idle.val() & self.to_send.q.val().any();
        self.sequence.x.next = self.value.q.val();
        self.fold.x.next = self.signature.q.val() ^ bits_to::<Word<64, 1>, B>(self.s_axis_tdata.val());
        self.m_axis_tvalid.next = self.sends.val();
        self.m_axis_tdata.next = bits_to::<B, Word<64, 1>>(self.value.q.val());
        if self.sends.val() & self.m_axis_tready.val() {
            self.value.d.next = self.sequence.y.val();
            self.to_send.d.next = self.to_send.q.val() - 1;
        }
        if self.s_axis_tvalid.val() {
            self.signature.d.next = self.fold.y.val();
            self.to_receive.d.next = self.to_receive.q.val() - 1;
        }
        // Control.
        self.waits.next = (self.code.val() == WAIT) & self.m_axil_rdata.val().get_bit(0);
        self.matches.next = (self.signature.q.val().get_bits::<32>(0) == self._signature_low)
            & (self.signature.q.val().get_bits::<32>(32) == self._signature_high);
        self.watchdog.d.next = self.watchdog.q.val() + 1;
        match self.phase.q.val() {
            Phase::Idle => {
                if self.start.val() {
                    self.phase.d.next = Phase::Fetch;
                    self.address.d.next = 0.into();
                    self.watchdog.d.next = 0.into();
                    self.value.d.next = SEED.into();
                    self.signature.d.next = SEED.into();
                    self.to_send.d.next = self._beats_in.into();
                    self.to_receive.d.next = self._beats_out.into();
                    self.good.d.next = false;
                    self.bad.d.next = false;
                }
            }
            Phase::Fetch => self.phase.d.next = Phase::Begin,
            Phase::Begin => {
                if self.code.val() == WRITE {
                    self.aw_valid.d.next = true;
                    self.w_valid.d.next = true;
                    self.phase.d.next = Phase::Write;
                } else if self.code.val() == END {
                    self.phase.d.next = Phase::Drain;
                } else {
                    self.ar_valid.d.next = true;
                    self.phase.d.next = Phase::Read;
                }
            }
            Phase::Write => {
                if self.m_axil_bvalid.val() {
                    self.address.d.next = self.address.q.val() + 1;
                    self.phase.d.next = Phase::Fetch;
                }
            }
            Phase::Read => {
                if self.m_axil_rvalid.val() {
                    self.phase.d.next = Phase::Fetch;
                    if !self.waits.val() {
                        self.address.d.next = self.address.q.val() + 1;
                    }
                    if (self.code.val() == EXPECT) & (self.m_axil_rdata.val() != self.data.val()) {
                        self.phase.d.next = Phase::Idle;
                        self.bad.d.next = true;
                    }
                }
            }
            Phase::Drain => {
                if !self.to_receive.q.val().any() {
                    self.phase.d.next = Phase::Idle;
                    self.good.d.next = self.matches.val();
                    self.bad.d.next = !self.matches.val();
                }
            }
        }
        if !self.idle.val() & self.watchdog.q.val().get_bit(24) {
            self.phase.d.next = Phase::Idle;
            self.bad.d.next = true;
            self.good.d.next = false;
        }
        self.running.next = !self.idle.val();
        self.passed.next = self.good.q.val();
        self.failed.next = self.bad.q.val();
    }

    fn timing(&self) -> Vec<rust_hdl::core::timing::TimingInfo> {
        describe(
            "self_test",
            "Plays a script on a compute unit and compares what comes back.",
            constants![DATA_LSB, END, EXPECT, NUMBER_LSB, SEED, WAIT, WRITE; self._beats_in, self._beats_out, self._signature_low, self._signature_high],
        )
    }
}
