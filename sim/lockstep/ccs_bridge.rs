//! The AXI4-Lite slave of the cache compute system beside its model, and which register is what of the model's state.

use super::Divergence;
use super::axi_adapter::Value;
use super::compare::Difference;
use crate::engine::{Engine, Lookup};
use crate::kernel::netlist::NetId;
use crate::model::ccs::axil_bridge::{AxilBridge, BridgeAnswer, BridgeOffer};
use crate::model::ccs::processor::CpuAccess;

const MASTER: [&str; 9] = ["awvalid", "awaddr", "wvalid", "wdata", "wstrb", "bready", "arvalid", "araddr", "rready"];
const SLAVE: [&str; 8] = ["awready", "wready", "bvalid", "bresp", "arready", "rvalid", "rdata", "rresp"];
const SYSTEM: [&str; 4] = ["cpu_ready", "cpu_reply", "cpu_reply_data", "cpu_reply_error"];
const ACCESS: [&str; 5] = ["cpu_valid", "cpu_write", "cpu_address", "cpu_data", "cpu_strobes"];
/// Response of a read whose memory failed.
const SLAVE_ERROR: u64 = 2;

/// Every register of a slave and its value.
pub fn registers(model: &AxilBridge) -> Vec<(String, Value)> {
    let flag = |value: bool| Some(u64::from(value));
    let all = [
        ("address_held", flag(model.address.is_some())),
        ("address", model.address.map(u64::from)),
        ("data_held", flag(model.data.is_some())),
        ("data", model.data.map(|data| data.0.into())),
        ("strobes", model.data.map(|data| data.1.into())),
        ("written", flag(model.written)),
        ("read_held", flag(model.read_address.is_some())),
        ("read_address", model.read_address.map(u64::from)),
        ("read_asked", flag(model.read_asked)),
        ("reading", flag(model.reading)),
        ("read_valid", flag(model.read_data.is_some())),
        ("read_data", model.read_data.map(|data| data.0.into())),
        ("read_failed", model.read_data.map(|data| data.1.into())),
    ];
    all.map(|(path, value)| (path.to_string(), value.map(|value| vec![value]))).to_vec()
}

/// Nets of a slave's channels.
#[derive(Clone, Copy, Debug)]
pub struct SlavePins {
    outputs: [NetId; 8],
}

impl SlavePins {
    /// Finds them.
    pub fn find<E: Engine>(engine: &E) -> SlavePins {
        SlavePins { outputs: SLAVE.map(|name| net(engine, &format!("s_axil_{name}"))) }
    }

    /// What the hardware shows, checked: the response of a write is OKAY, that of a read OKAY or SLVERR.
    ///
    /// # Errors
    /// Another response.
    pub fn answer<E: Engine>(&self, engine: &mut E) -> Result<BridgeAnswer, Box<Difference>> {
        let [aw, w, b, bresp, ar, r, rdata, rresp] = self.outputs.map(|net| engine.low(net));
        if bresp != 0 {
            return Err(Box::new(Difference::new("s_axil_bresp", &[0], [bresp])));
        }
        if r == 1 && rresp != 0 && rresp != SLAVE_ERROR {
            return Err(Box::new(Difference::new("s_axil_rresp", &[SLAVE_ERROR], [rresp])));
        }
        Ok(BridgeAnswer {
            write_address_ready: aw == 1,
            write_data_ready: w == 1,
            response: b == 1,
            read_address_ready: ar == 1,
            data: (r == 1).then_some((rdata as u32, rresp == SLAVE_ERROR)),
        })
    }
}

fn net<E: Engine>(engine: &E, path: &str) -> NetId {
    engine.design().find_net(path).unwrap_or_else(|| panic!("the design has no signal {path}"))
}

/// What is compared by value, as a difference if it is not the same.
///
/// # Errors
/// Both, as text.
pub fn same<T: PartialEq + std::fmt::Debug>(what: &str, expected: &T, actual: &T) -> Result<(), Box<Difference>> {
    if expected == actual {
        return Ok(());
    }
    Err(Box::new(Difference::new(format!("{what}: {actual:?}, must be {expected:?}"), &[], [])))
}

/// The slave alone, and its model.
pub struct BridgeLockstep<E: Engine> {
    seed: u64,
    cycle: u64,
    /// The hardware.
    pub engine: E,
    /// The model.
    pub model: AxilBridge,
    master: [NetId; 9],
    slave: SlavePins,
    system: [NetId; 4],
    access: [NetId; 5],
    registers: Vec<usize>,
}

impl<E: Engine> BridgeLockstep<E> {
    /// Brings the hardware out of reset.
    ///
    /// # Panics
    /// If it is no slave of the cache compute system.
    pub fn new(mut engine: E, seed: u64) -> BridgeLockstep<E> {
        let master = MASTER.map(|name| net(&engine, &format!("s_axil_{name}")));
        let (system, access) = (SYSTEM.map(|name| net(&engine, name)), ACCESS.map(|name| net(&engine, name)));
        let slave = SlavePins::find(&engine);
        let model = AxilBridge::default();
        let find = |(path, _): (String, Value)| {
            engine.design().find_register(&path).unwrap_or_else(|| panic!("the design has no register {path}"))
        };
        let registers: Vec<usize> = registers(&model).into_iter().map(find).collect();
        for &input in master.iter().chain(&system) {
            engine.set_input(input, &[0]);
        }
        engine.tick(true);
        BridgeLockstep { seed, cycle: 0, engine, model, master, slave, system, access, registers }
    }

    /// Registers that are not compared.
    pub fn unseen(&self) -> Vec<&str> {
        super::ccs::unseen(self.engine.design(), &self.registers, &[])
    }

    /// One clock cycle of both, with the reset on if `reset`: what the master shows, whether an access that is asked for is taken, and what
    /// was read. Gives what the slave shows.
    ///
    /// # Errors
    /// The first difference.
    pub fn cycle(
        &mut self,
        offer: &BridgeOffer,
        ready: bool,
        reply: Option<(u32, bool)>,
        reset: bool,
    ) -> Result<(BridgeAnswer, Option<CpuAccess>), Box<Divergence>> {
        let (data, strobes) = offer.write_data.unwrap_or_default();
        let values = [
            offer.write_address.is_some().into(),
            offer.write_address.unwrap_or_default().into(),
            offer.write_data.is_some().into(),
            data.into(),
            strobes.into(),
            offer.take_response.into(),
            offer.read_address.is_some().into(),
            offer.read_address.unwrap_or_default().into(),
            offer.take_data.into(),
        ];
        self.master.into_iter().zip(values).for_each(|(net, value)| self.engine.set_input(net, &[value]));
        let (word, failed) = reply.unwrap_or_default();
        let values = [ready.into(), reply.is_some().into(), word.into(), failed.into()];
        self.system.into_iter().zip(values).for_each(|(net, value)| self.engine.set_input(net, &[value]));
        let (answer, access) = (self.model.answer(), self.model.access());
        let seen = self.compare(&answer, access);
        seen.map_err(|difference| self.diverged(*difference))?;
        self.model.step(offer, ready, reply);
        if reset {
            self.model.reset();
        }
        self.engine.tick(reset);
        self.cycle += 1;
        for ((path, expected), &register) in registers(&self.model).into_iter().zip(&self.registers) {
            let Some(expected) = expected else { continue };
            let actual = self.engine.register(register);
            if actual != expected {
                return Err(self.diverged(Difference::new(path, &expected, actual)));
            }
        }
        Ok((answer, access))
    }

    fn compare(&mut self, answer: &BridgeAnswer, access: Option<CpuAccess>) -> Result<(), Box<Difference>> {
        same("s_axil", answer, &self.slave.answer(&mut self.engine)?)?;
        let [valid, write, address, data, strobes] = self.access.map(|net| self.engine.low(net));
        let data = if write == 1 { (data as u32, strobes as u8) } else { (0, 0) };
        let shown = (valid == 1).then_some(CpuAccess { address: address as u32, data, write: write == 1 });
        same("cpu", &access, &shown)
    }

    fn diverged(&self, difference: Difference) -> Box<Divergence> {
        let Difference { path, expected, actual } = difference;
        Box::new(Divergence { seed: self.seed, cycle: self.cycle, path, expected, actual })
    }
}
