//! Memory behind a unit's AXI4 master, a cycle at a time.

use rand::Rng;

use super::{BURST, PAGE, UnitMachine};
use crate::engine::Engine;

impl<E: Engine> UnitMachine<E> {
    /// A reset, of the bus too: nothing is left of what was under way, and lines that were not written back are lost.
    pub fn reset(&mut self) {
        for name in ["s_axil_awvalid", "s_axil_wvalid", "s_axil_arvalid", "m_axi_rvalid", "m_axi_bvalid"] {
            self.set(name, 0);
        }
        self.engine.tick(true);
        self.reads.clear();
        self.writes.clear();
        self.beats.clear();
        self.answers.clear();
        self.beat = 0;
        if let Some(beside) = &mut self.beside {
            beside.model.reset();
        }
    }

    /// A cycle: memory answers bursts in their order, `latency` cycles later, and pauses now and then if it `stalls`.
    pub(super) fn tick(&mut self) {
        let stalls = self.how.stalls;
        let go: [bool; 5] = std::array::from_fn(|_| !stalls || self.rng.random_range(0..3) > 0);
        let read = self.reads.front().copied().filter(|read| read.0 <= self.now && go[0]);
        let (_, at, left) = read.unwrap_or_default();
        let failed = self.broken_place == Some(at * 8 / PAGE);
        let answer = self.answers.front().is_some_and(|&when| when <= self.now) && go[1];
        for (name, value) in [
            ("m_axi_rvalid", read.is_some().into()),
            ("m_axi_rdata", self.words.get(&at).copied().unwrap_or(0)),
            ("m_axi_rresp", if failed { 2 } else { 0 }),
            ("m_axi_rlast", (left == 1).into()),
            ("m_axi_bvalid", answer.into()),
            ("m_axi_bresp", 0),
            ("m_axi_arready", go[2].into()),
            ("m_axi_awready", go[3].into()),
            ("m_axi_wready", go[4].into()),
        ] {
            self.set(name, value);
        }
        self.offer_word();
        let begin = self.now + self.how.latency;
        if read.is_some() && self.get("m_axi_rready") == 1 {
            let front = self.reads.front_mut().expect("it is there");
            (front.1, front.2) = (at + 1, left - 1);
            if left == 1 {
                self.reads.pop_front();
            }
        }
        if answer && self.get("m_axi_bready") == 1 {
            self.answers.pop_front();
        }
        if go[2] && self.get("m_axi_arvalid") == 1 {
            assert_eq!((self.get("m_axi_arlen"), self.get("m_axi_arsize")), (u64::from(BURST) - 1, 3), "a line");
            let line = self.get("m_axi_araddr") as u32 / 8;
            self.reads.push_back((begin, line, BURST));
        }
        if go[3] && self.get("m_axi_awvalid") == 1 {
            assert_eq!((self.get("m_axi_awlen"), self.get("m_axi_awsize")), (u64::from(BURST) - 1, 3), "a line");
            let line = self.get("m_axi_awaddr") as u32 / 8;
            self.writes.push_back(line);
        }
        if go[4] && self.get("m_axi_wvalid") == 1 {
            let beat = (self.get("m_axi_wdata"), self.get("m_axi_wstrb") as u8, self.get("m_axi_wlast") == 1);
            self.beats.push_back(beat);
        }
        while let (Some(&first), Some(&(data, strobes, last))) = (self.writes.front(), self.beats.front()) {
            let old = self.words.get(&(first + self.beat)).copied().unwrap_or(0);
            let mask = (0..8).filter(|k| strobes >> k & 1 == 1).fold(0, |mask, k| mask | 0xffu64 << (8 * k));
            self.words.insert(first + self.beat, old & !mask | data & mask);
            self.beats.pop_front();
            self.beat += 1;
            assert_eq!(last, self.beat == BURST, "a line's last beat");
            if last {
                self.beat = 0;
                self.writes.pop_front();
                self.answers.push_back(begin);
            }
        }
        self.look_at_modes();
        self.look_at_requests();
        self.look_at_word();
        self.engine.tick(false);
        self.now += 1;
    }
}
