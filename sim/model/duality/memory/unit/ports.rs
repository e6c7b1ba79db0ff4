//! Ports of the memory unit.

use std::rc::Rc;

use bitline_units::duality::isa::Word;
use bitline_units::duality::passes::MemoryStep;

use super::super::access::{CachePorts, Line, Request, RequestPorts};
use super::super::look::names;
use super::super::threads::LaunchPorts;
use super::Row;
use crate::seen::Source;
use crate::state::{Masked, Path};

/// What it gets in a cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnitInputs {
    /// Arrays of a thread: 0 four, 1 two, 2 one.
    pub arrays: u8,
    /// The launch.
    pub launch: LaunchPorts,
    /// Where spill rows begin, and how many there are.
    pub spill_base: u32,
    /// See `spill_base`.
    pub spill_rows: u16,
    /// The entry of the list of special registers that is asked for.
    pub special: u32,
    /// A wave begins, with this CTA.
    pub fill: Option<[u32; 3]>,
    /// An entry of the page table is written.
    pub page: Option<(u8, u32)>,
    /// A word waits: it, and what its scalar register holds.
    pub memory: Option<(Word, u32)>,
    /// The rows that arrays send.
    pub sent: Option<Rc<Vec<Row>>>,
    /// A row is taken.
    pub taken: bool,
    /// The cache ways take a request.
    pub ready: bool,
    /// They answer: the line, and whether it failed.
    pub answer: Option<(Line, bool)>,
    /// What ports hold that mean nothing in this cycle.
    pub noise: u64,
}

/// What it shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnitOutputs {
    /// The entry of the list of special registers that it asks for.
    pub special: u8,
    /// The rows of a wave are written.
    pub filled: bool,
    /// The first refused access: the thread, if that is told, and what was asked for.
    pub refused: Option<(Option<u16>, u32)>,
    /// A word is done.
    pub working: bool,
    /// A word waits: what is asked for matters.
    pub waits: bool,
    /// The step that is asked for, and with the last one why the word was not done, or 0.
    pub step: Option<MemoryStep>,
    /// See `step`.
    pub trap: u8,
    /// With a row that is taken: what each array gets, and in which threads.
    pub rows: Option<(Row, Vec<Row>)>,
    /// Windows that get rows without a word, the first row, and how many.
    pub fills: Option<(u8, u16, u8)>,
    /// What is asked of the cache ways.
    pub request: Option<Request>,
}

impl UnitInputs {
    /// What a unit of so many arrays gets whose ports are there.
    pub fn see(members: usize, at: &Path<'_>, from: &mut dyn Source) -> UnitInputs {
        // Every port is asked for in every cycle, in one order.
        let mut low = |name: &str| from.low(&at.at(name));
        let launch = LaunchPorts {
            block: ["launch_block_x", "launch_block_y", "launch_block_z"].map(|axis| low(axis) as u16),
            grid: ["launch_grid_x", "launch_grid_y", "launch_grid_z"].map(|axis| low(axis) as u32),
            at_once: low("launch_at_once") as u16,
            shared_base: low("launch_shared_base") as u32,
            shared_bytes: low("launch_shared_bytes") as u32,
        };
        let (fill, wave) = (low("fill") == 1, ["wave_x", "wave_y", "wave_z"].map(|axis| low(axis) as u32));
        let page = (low("page_write") == 1, low("page_number") as u8, low("page_entry") as u32);
        let memory = (low("memory_valid") == 1, low("memory_scalar") as u32);
        let [arrays, special, spill_base, spill_rows] =
            ["arrays", "special_word", "spill_base", "spill_rows"].map(&mut low);
        let [sent, taken, ready, answer, failed] =
            ["memory_sent", "memory_taken", "cache_ready", "cache_answer", "cache_answer_failed"]
                .map(|name| low(name) == 1);
        let word = from.all(&at.at("memory_word"));
        let line = from.all(&at.at("answer_line"));
        let rows: Vec<Row> = (0..members).map(|member| from.all(&at.nth("memory_rows", member))).collect();
        let limb = |limbs: &[u64], at: usize| limbs.get(at).copied().unwrap_or(0);
        UnitInputs {
            arrays: arrays as u8,
            launch,
            spill_base: spill_base as u32,
            spill_rows: spill_rows as u16,
            special: special as u32,
            fill: fill.then_some(wave),
            page: page.0.then_some((page.1, page.2)),
            memory: memory.0.then(|| (Word(u128::from(limb(&word, 0)) | u128::from(limb(&word, 1)) << 64), memory.1)),
            sent: sent.then(|| Rc::new(rows)),
            taken,
            ready,
            answer: answer.then(|| (std::array::from_fn(|word| limb(&line, word)), failed)),
            noise: 0,
        }
    }
}

/// What an array gets, which matters in some threads.
fn data(rows: &(Row, Vec<Row>), member: usize) -> Masked {
    Masked { value: rows.0.clone(), mask: rows.1[member].clone() }
}

state! {
    UnitInputs(self, members: usize) {
        self => arrays, spill_base, spill_rows;
        bus launch = self.launch;
        special_word = self.special;
        fill = self.fill.is_some();
        let noise = self.noise;
        let wave = self.fill.unwrap_or([noise, noise >> 21, noise >> 42].map(|count| count as u32 & 0x1f_ffff));
        wave_x = wave[0];
        wave_y = wave[1];
        wave_z = wave[2];
        page_write = self.page.is_some();
        page_number = self.page.map_or(noise as u8, |page| page.0);
        page_entry = self.page.map_or((noise >> 8) as u32, |page| page.1);
        memory_valid = self.memory.is_some();
        memory_word = self.memory.map_or(u128::from(noise) << 64 | u128::from(!noise), |memory| memory.0.0);
        memory_scalar = self.memory.map_or((noise >> 16) as u32, |memory| memory.1);
        memory_sent = self.sent.is_some();
        memory_rows[member in 0..members] = self.sent.as_ref().map(|rows| &rows[member]);
        memory_taken = self.taken;
        with CachePorts(self.answer, self.ready, self.noise);
    }

    UnitOutputs(self, members: usize) {
        special_number = self.special;
        self => filled, working;
        trap_names = names(self.refused);
        trap_thread = self.refused.and_then(|refused| refused.0);
        trap_address = self.refused.map(|refused| refused.1);
        when (self.waits) {
            memory_asks = self.step.is_some();
            memory_step = self.step.map(|step| step as u8);
        }
        memory_trap = self.trap;
        memory_data[member in 0..members] =
            self.rows.as_ref().map_or_else(Masked::default, |rows| data(rows, member));
        memory_where[member in 0..members] = self.rows.as_ref().map(|rows| &rows.1[member]);
        fill_slots = self.fills.map_or(0, |fills| fills.0);
        fill_row = self.fills.map(|fills| fills.1);
        fill_count = self.fills.map(|fills| fills.2);
        with RequestPorts(self.request);
    }
}
