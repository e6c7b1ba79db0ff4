//! A board with a host's line at it.

use super::LOG2_BUS_TIMEOUT;
use super::line::Line;
use bitline::kernel::netlist::{NetId, Netlist};
use bitline::sim::engine::{self, Engine, Lookup, engine};
use bitline::sim::lockstep::board::BoardLockstep;
use bitline::sim::model::board::system::{SystemInputs, SystemOutputs};
use bitline::system::SystemParams;
use bitline::system::blocks::system_top_with;
use bitline::system::protocol::{Operation, REPLY_BYTES, Reply, Request, Status};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A board system that runs.
pub trait Board {
    /// Its engine.
    type Engine: Engine;
    /// The engine.
    fn engine(&mut self) -> &mut Self::Engine;
    /// One cycle with this line from the host; the line to it.
    fn cycle(&mut self, rxd: bool, button: u8, dip: u8) -> (bool, u8);
}

/// A board without a model.
pub struct Alone<E: Engine> {
    engine: E,
    inputs: [NetId; 3],
    outputs: [NetId; 2],
    last: Option<[u64; 3]>,
}

impl<E: Engine> Alone<E> {
    /// Brings it out of reset.
    pub fn new(mut engine: E) -> Alone<E> {
        let net = |path: &str| engine.design().find_net(path).expect("the system's port");
        let (inputs, outputs) = (["uart_rxd", "button", "dip"].map(net), ["uart_txd", "led"].map(net));
        let rts = net("uart_rts");
        for (input, value) in inputs.into_iter().chain([rts]).zip([1, 0, 0, 0]) {
            engine.set_input(input, &[value]);
        }
        engine.tick(true);
        Alone { engine, inputs, outputs, last: None }
    }
}

impl<E: Engine> Board for Alone<E> {
    type Engine = E;

    fn engine(&mut self) -> &mut E {
        &mut self.engine
    }

    fn cycle(&mut self, rxd: bool, button: u8, dip: u8) -> (bool, u8) {
        let values = [rxd.into(), button.into(), dip.into()];
        if self.last != Some(values) {
            self.last = Some(values);
            self.inputs.into_iter().zip(values).for_each(|(net, value)| self.engine.set_input(net, &[value]));
        }
        let [txd, led] = self.outputs.map(|net| self.engine.low(net));
        self.engine.tick(false);
        (txd == 1, led as u8)
    }
}

impl<E: Engine> Board for BoardLockstep<E> {
    type Engine = E;

    fn engine(&mut self) -> &mut E {
        &mut self.engine
    }

    fn cycle(&mut self, rxd: bool, button: u8, dip: u8) -> (bool, u8) {
        let shown = BoardLockstep::cycle(self, &SystemInputs { rxd, button, dip });
        let SystemOutputs { txd, led } = shown.unwrap_or_else(|divergence| panic!("{divergence}"));
        (txd, led)
    }
}

/// The netlist of a system with a short time-out of its bus.
pub fn netlist(params: &SystemParams) -> Netlist {
    system_top_with(params, LOG2_BUS_TIMEOUT).unwrap_or_else(|e| panic!("{e}"))
}

/// A board and its host.
pub struct Machine<B: Board> {
    pub params: SystemParams,
    pub board: B,
    pub line: Line,
    pub cycles: u64,
    pub button: u8,
    pub dip: u8,
    pub led: u8,
    tag: u8,
    rams: Vec<Vec<usize>>,
}

/// The native engine beside the model.
pub type Native = Machine<BoardLockstep<engine::Native>>;

/// A native board beside its model; memories hold what the seed makes of them.
pub fn native(params: &SystemParams, seed: u64) -> (Native, Vec<Vec<u8>>) {
    let mut lockstep = BoardLockstep::new(engine(&netlist(params)), params, LOG2_BUS_TIMEOUT, seed);
    assert_eq!(lockstep.unseen(), Vec::<&str>::new());
    // The model's memories have to be filled with the hardware's.
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    lockstep.model.memory.words.fill_with(|| rng.random());
    let bytes = |words: &[u64]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let first = bytes(&lockstep.model.memory.words);
    let third = lockstep.model.duality.as_mut().map(|duality| {
        duality.memory.words.fill_with(|| rng.random());
        bytes(&duality.memory.words)
    });
    let mut machine = Machine::around(lockstep, params);
    machine.fill(0, &first);
    third.iter().for_each(|bytes| machine.fill(2, bytes));
    let second = machine.random(1, &mut rng);
    (machine, [first, second].into_iter().chain(third).collect())
}

/// A board under another engine; memories hold what the seed makes of them.
pub fn alone<E: Engine>(engine: E, params: &SystemParams, seed: u64) -> (Machine<Alone<E>>, Vec<Vec<u8>>) {
    let mut machine = Machine::around(Alone::new(engine), params);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let memories = (0..machine.rams.len()).map(|memory| machine.random(memory, &mut rng)).collect();
    (machine, memories)
}

impl<B: Board> Machine<B> {
    fn around(mut board: B, params: &SystemParams) -> Self {
        let design = board.engine().design();
        let rams = |prefix: &str, bytes: usize| {
            (0..bytes).map(|byte| design.find_memory(&format!("{prefix}_{byte}")).expect("a RAM")).collect()
        };
        let mut rams = vec![rams("memory.rams", 8), rams("ccs.memory.rams", params.ccs.line_bytes())];
        if params.duality.is_some() {
            let ram = |byte| design.find_memory(&format!("duality_0.memory.rams_{byte}")).expect("a RAM");
            rams.push((0..8).map(ram).collect());
        }
        Machine {
            line: Line::new(params.cycles_a_bit()),
            params: params.clone(),
            board,
            cycles: 0,
            button: 0,
            dip: 0,
            led: 0,
            tag: 0,
            rams,
        }
    }

    fn random(&mut self, memory: usize, rng: &mut ChaCha8Rng) -> Vec<u8> {
        let depth = self.board.engine().design().memories[self.rams[memory][0]].depth;
        let mut bytes = vec![0; depth * self.rams[memory].len()];
        bytes.fill_with(|| rng.random());
        self.fill(memory, &bytes);
        bytes
    }

    /// Puts bytes into one of the memories: the array's, the cache compute system's, the Duality Cache's.
    fn fill(&mut self, memory: usize, bytes: &[u8]) {
        let width = self.rams[memory].len();
        for (at, &byte) in bytes.iter().enumerate() {
            self.board.engine().set_word(self.rams[memory][at % width], at / width, &[byte.into()]);
        }
    }

    /// What one of the memories holds.
    pub fn memory(&mut self, memory: usize) -> Vec<u8> {
        let rams = self.rams[memory].clone();
        let engine = self.board.engine();
        let depth = engine.design().memories[rams[0]].depth;
        (0..depth)
            .flat_map(|word| rams.iter().map(move |&ram| (ram, word)))
            .map(|(ram, word)| engine.memory(ram)[word] as u8)
            .collect()
    }

    /// One cycle.
    pub fn cycle(&mut self) {
        let rxd = self.line.drive();
        let (txd, led) = self.board.cycle(rxd, self.button, self.dip);
        self.line.sense(txd);
        self.led = led;
        self.cycles += 1;
    }

    /// So many cycles.
    pub fn run(&mut self, cycles: u64) {
        (0..cycles).for_each(|_| self.cycle());
    }

    /// Cycles of so many bits.
    pub fn bits(&self, bits: u32) -> u64 {
        u64::from(bits) * u64::from(self.params.cycles_a_bit())
    }

    /// Runs until everything is sent.
    pub fn flush(&mut self) {
        while !self.line.idle() {
            self.cycle();
        }
    }

    /// Runs until everything is sent and a whole reply has come, or none for longer than bus and line may take.
    pub fn exchange(&mut self) -> Vec<u8> {
        self.line.received.clear();
        self.flush();
        let patience = (2 << LOG2_BUS_TIMEOUT) + self.bits(2 * self.params.timeout_bits);
        let (mut quiet, mut before) = (0, self.line.received.len());
        while quiet < patience {
            self.cycle();
            let received = &self.line.received;
            (quiet, before) = if received.len() > before { (0, received.len()) } else { (quiet + 1, before) };
            if received.len() >= REPLY_BYTES && Reply::length(received).is_ok_and(|length| received.len() >= length) {
                break;
            }
        }
        std::mem::take(&mut self.line.received)
    }

    /// Sends everything and leaves the line quiet for longer than the time-out.
    pub fn settle_line(&mut self) {
        self.flush();
        let cycles = self.bits(self.params.timeout_bits + 12);
        self.run(cycles);
    }

    /// Waits until a request begins anew, whatever came before.
    pub fn settle(&mut self) {
        self.settle_line();
        self.line.received.clear();
    }

    /// A request and its reply, checked for its form.
    pub fn request(&mut self, operation: Operation, fixed: bool, address: u32, count: u16, words: &[u32]) -> Reply {
        self.tag = self.tag.wrapping_add(1);
        let request = Request { operation, fixed, tag: self.tag, address, count, words: words.to_vec() };
        self.line.send(&request.encode());
        let bytes = self.exchange();
        let reply = Reply::decode(&bytes).unwrap_or_else(|e| panic!("{request:?}: {bytes:02x?}: {e}"));
        assert_eq!(reply.tag, self.tag);
        reply
    }

    /// Words from an address.
    pub fn read(&mut self, address: u32, count: usize) -> Vec<u32> {
        let reply = self.request(Operation::Read, false, address, count as u16, &[]);
        assert_eq!((reply.status, usize::from(reply.count)), (Status::Ok, count), "read of {address:#x}");
        reply.words
    }

    /// A word from an address.
    pub fn word(&mut self, address: u32) -> u32 {
        self.read(address, 1)[0]
    }

    /// Words to an address.
    pub fn write(&mut self, address: u32, words: &[u32]) {
        let reply = self.request(Operation::Write, false, address, words.len() as u16, words);
        assert_eq!((reply.status, usize::from(reply.count)), (Status::Ok, words.len()), "write of {address:#x}");
    }
}
