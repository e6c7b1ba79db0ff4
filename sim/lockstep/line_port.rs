//! What is behind the line port of a cache compute system, in lock step with its models: the line memory and the AXI4
//! adapter; and the AXI4-Lite slave before it.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::driver::{Driver, Unit, unit};
use crate::ccs::CcsGeometry;
use crate::engine::Engine;
use crate::model::axil_slave::{Answer, Offer};
use crate::model::ccs::axi_adapter::AxiAdapter;
use crate::model::ccs::axil_bridge::AxilBridge;
use crate::model::ccs::line_memory::LineMemory;
use crate::model::ccs::line_port::{LineAnswers, LineRequests};
use crate::model::ccs::processor::{CpuAccess, CpuWires};
use crate::model::memory::core::{MemoryInputs, MemoryOutputs};
use crate::model::memory::master::{MasterConstants, MasterInputs};
use crate::model::seen::{Broken, Source};
use crate::model::state::{Path, Value, Walk};

/// A line memory and its model.
pub type LineMemoryLockstep<E> = Driver<E, LineMemory>;
/// The AXI4 adapter and its model.
pub type AxiAdapterLockstep<E> = Driver<E, AxiAdapter>;
/// The slave alone and its model.
pub type BridgeLockstep<E> = Driver<E, AxilBridge>;

unit! {
    LineMemory, LineRequests => LineAnswers, |memory, inputs| LineRequests::default(),
    (memory.lines[0].len(), memory.two),
    (inputs.read.is_some(), inputs.more_read.is_some(), memory.lines[0].len(), memory.two);
}

impl<E: Engine> Driver<E, LineMemory> {
    /// Brings the hardware out of reset, both memories filled from the seed.
    ///
    /// # Panics
    /// If it is no line memory of this geometry.
    pub fn new(engine: E, geometry: &CcsGeometry, lines: usize, seed: u64) -> LineMemoryLockstep<E> {
        let mut model = LineMemory::new(geometry, lines);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        model.lines.iter_mut().for_each(|line| line.fill_with(|| rng.random::<u32>() & geometry.ones()));
        Driver::around(engine, model, (), seed)
    }
}

impl Unit for AxiAdapter {
    type Params = ();
    type Inputs = (LineRequests, MemoryInputs);
    type Outputs = (LineAnswers, MemoryOutputs);

    fn idle(&self) -> Self::Inputs {
        Default::default()
    }

    fn inputs<W: Walk>(&self, (requests, bus): &Self::Inputs, to: W) -> W {
        let to = requests.state(self.lanes, false, &Path::TOP, to);
        MasterInputs(bus).state(&Path::TOP.bus("m_axi"), to)
    }

    fn outputs<W: Walk>(&self, (requests, _): &Self::Inputs, (answers, _): &Self::Outputs, to: W) -> W {
        let to = answers.state(requests.read.is_some(), false, self.lanes, false, &Path::TOP, to);
        MasterConstants.state(&Path::TOP.bus("m_axi"), to)
    }

    fn state<W: Walk>(&self, (): &(), to: W) -> W {
        to
    }

    fn see(&mut self, hardware: &mut dyn Source) {
        self.see(&Path::TOP, hardware);
    }

    fn broken(&mut self) -> Option<Broken> {
        self.rules.broken()
    }

    fn step(&mut self, (requests, bus): &Self::Inputs) -> Self::Outputs {
        self.step(requests, bus)
    }

    fn reset(&mut self, (): &()) {
        self.reset();
    }

    fn judged(_: &str) -> bool {
        true
    }
}

impl<E: Engine> Driver<E, AxiAdapter> {
    /// Brings the hardware out of reset.
    ///
    /// # Panics
    /// If it is no adapter of this geometry.
    pub fn new(engine: E, geometry: &CcsGeometry, seed: u64) -> AxiAdapterLockstep<E> {
        Driver::around(engine, AxiAdapter::new(geometry), (), seed)
    }
}

/// What the slave gets in a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct BridgeInputs {
    /// From the master.
    pub offer: Offer,
    /// An access that is asked for is taken.
    pub ready: bool,
    /// What was read, and whether memory has failed.
    pub reply: Option<(u32, bool)>,
}

impl Unit for AxilBridge {
    type Params = ();
    type Inputs = BridgeInputs;
    type Outputs = (Answer, Option<CpuAccess>);

    fn idle(&self) -> BridgeInputs {
        BridgeInputs::default()
    }

    fn inputs<W: Walk>(&self, inputs: &BridgeInputs, to: W) -> W {
        let (cpu, reply) = (Path::TOP.bus("cpu"), inputs.reply);
        let to = inputs.offer.state(&Path::TOP.bus("s_axil"), to);
        let to = inputs.ready.show(&cpu.at("ready"), to);
        let to = reply.is_some().show(&cpu.at("reply"), to);
        let to = reply.unwrap_or_default().0.show(&cpu.at("reply_data"), to);
        reply.unwrap_or_default().1.show(&cpu.at("reply_error"), to)
    }

    fn outputs<W: Walk>(&self, _: &BridgeInputs, (answer, access): &Self::Outputs, to: W) -> W {
        let to = answer.state(&Path::TOP.bus("s_axil"), to);
        CpuWires(*access).state(&Path::TOP.bus("cpu"), to)
    }

    fn state<W: Walk>(&self, (): &(), to: W) -> W {
        self.state(&Path::TOP, to)
    }

    fn step(&mut self, inputs: &BridgeInputs) -> Self::Outputs {
        let shown = (self.answer(), self.access());
        self.step(&inputs.offer, inputs.ready, inputs.reply);
        shown
    }

    fn reset(&mut self, (): &()) {
        self.reset();
    }
}

impl<E: Engine> Driver<E, AxilBridge> {
    /// Brings the hardware out of reset.
    ///
    /// # Panics
    /// If it is no slave of the cache compute system.
    pub fn new(engine: E, seed: u64) -> BridgeLockstep<E> {
        Driver::around(engine, AxilBridge::default(), (), seed)
    }
}
