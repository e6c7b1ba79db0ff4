//! Model of the walk over the threads of a wave, from its contract: how many threads it has passed, and by division
//! where that is in the launch.

use bitline_units::duality::isa::codes::Special;

/// Numbers of threads in a control block have so many bits.
const NUMBER: u32 = 12;

/// A launch, as its ports say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchPorts {
    /// Threads of a CTA, x first.
    pub block: [u16; 3],
    /// CTAs of the grid.
    pub grid: [u32; 3],
    /// CTAs of a wave at most.
    pub at_once: u16,
    /// Where shared windows begin.
    pub shared_base: u32,
    /// Bytes of each.
    pub shared_bytes: u32,
}

impl Default for LaunchPorts {
    fn default() -> LaunchPorts {
        LaunchPorts { block: [1; 3], grid: [1; 3], at_once: 1, shared_base: 0, shared_bytes: 0 }
    }
}

/// The walk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Threads {
    /// The wave's first CTA, as it was last told.
    from: [u32; 3],
    /// That of the walk, and where its window begins.
    began: ([u32; 3], u32),
    /// Threads that were passed.
    passed: u64,
    /// Where the next one is.
    at: Place,
    /// The launch, as it was told in the cycle before; counts of 0 are of no launch.
    last: Option<LaunchPorts>,
}

/// Where a thread is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Place {
    tid: [u64; 3],
    /// CTAs of the wave before its own.
    slot: u64,
    cta: [u64; 3],
    window: u32,
    /// The grid has no CTA any more.
    over: bool,
}

/// What it gets in a cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadsInputs {
    /// The launch.
    pub launch: LaunchPorts,
    /// A wave begins: its first CTA.
    pub wave: Option<[u32; 3]>,
    /// Goes to thread 0.
    pub first: bool,
    /// Goes to the next thread.
    pub step: bool,
    /// A special register.
    pub special: u8,
}

/// What it shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadsOutputs {
    /// There is such a thread.
    pub there: bool,
    /// Its number.
    pub number: u16,
    /// What its special register holds; anything, if there is no such register.
    pub value: Option<u64>,
    /// Where the window of its CTA begins.
    pub window: u32,
}

impl Threads {
    /// What is shown in this cycle.
    pub fn shown(&self, inputs: &ThreadsInputs) -> ThreadsOutputs {
        let Place { tid, slot, cta, window, over } = self.at;
        let number = self.passed % (1 << NUMBER);
        ThreadsOutputs {
            there: !over && slot != u64::from(inputs.launch.at_once),
            number: number as u16,
            value: Special::from_code(inputs.special.into()).map(|special| match special {
                Special::TidX => tid[0],
                Special::TidY => tid[1],
                Special::TidZ => tid[2],
                Special::CtaX => cta[0],
                Special::CtaY => cta[1],
                Special::CtaZ => cta[2],
                Special::Thread => number,
            }),
            window,
        }
    }

    /// One clock edge.
    pub fn step(&mut self, inputs: &ThreadsInputs) -> ThreadsOutputs {
        let shown = self.shown(inputs);
        if inputs.first {
            self.began = (self.from, inputs.launch.shared_base);
            self.passed = 0;
        } else if inputs.step {
            self.passed += 1;
        }
        if inputs.first || inputs.step {
            self.at = self.place(&inputs.launch);
        }
        self.from = inputs.wave.unwrap_or(self.from);
        self.last = Some(inputs.launch);
        shown
    }

    /// A clock edge with the reset on has passed.
    pub fn reset(&mut self) {
        *self = Threads::default();
    }

    /// Where the thread is that comes next; behind the wave's last one the first place of the CTA that would follow.
    fn place(&self, launch: &LaunchPorts) -> Place {
        let block = launch.block.map(u64::from);
        let [nx, ny, nz] = launch.grid.map(u128::from);
        let [x, y, z] = self.began.0.map(u128::from);
        let first = x + nx * (y + ny * z);
        let cta: u64 = block.iter().product();
        let left = (nx * ny * nz).saturating_sub(first).min(launch.at_once.into()) as u64;
        let slot = (self.passed / cta).min(left);
        let thread = if slot < left { self.passed % cta } else { 0 };
        let at = first + u128::from(slot);
        Place {
            tid: [thread % block[0], thread / block[0] % block[1], thread / block[0] / block[1]],
            slot,
            cta: [at % nx, at / nx % ny, at / nx / ny].map(|count| count as u64),
            window: self.began.1.wrapping_add((slot as u32).wrapping_mul(launch.shared_bytes)),
            over: slot > 0 && at == nx * ny * nz,
        }
    }
}

state! {
    Threads(self) {
        thread = self.passed % (1 << NUMBER);
        x = self.at.tid[0];
        y = self.at.tid[1];
        z = self.at.tid[2];
        slot = self.at.slot;
        at_x = self.at.cta[0];
        at_y = self.at.cta[1];
        at_z = self.at.cta[2];
        from_x = self.from[0];
        from_y = self.from[1];
        from_z = self.from[2];
        base = self.at.window;
        over = self.at.over;
        last_x = self.last.and_then(|launch| launch.block[0].checked_sub(1));
        last_y = self.last.and_then(|launch| launch.block[1].checked_sub(1));
        last_z = self.last.and_then(|launch| launch.block[2].checked_sub(1));
        last_at_x = self.last.and_then(|launch| launch.grid[0].checked_sub(1));
        last_at_y = self.last.and_then(|launch| launch.grid[1].checked_sub(1));
        last_at_z = self.last.and_then(|launch| launch.grid[2].checked_sub(1));
    }

    LaunchPorts(self) {
        block_x = self.block[0];
        block_y = self.block[1];
        block_z = self.block[2];
        grid_x = self.grid[0];
        grid_y = self.grid[1];
        grid_z = self.grid[2];
        self => at_once, shared_base, shared_bytes;
    }

    ThreadsInputs(self) {
        bus launch = self.launch;
        wave = self.wave.is_some();
        wave_x = self.wave.map(|wave| wave[0]);
        wave_y = self.wave.map(|wave| wave[1]);
        wave_z = self.wave.map(|wave| wave[2]);
        self => first, step, special;
    }

    ThreadsOutputs(self) {
        self => there, number, value, window;
    }
}
