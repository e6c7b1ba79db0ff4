//! Model of the status lights.

use super::host_bridge::Events;

/// Cycles that a light stays on.
const HOLD: u32 = 1 << 22;
/// Cycles of half a blink.
const BLINK: u32 = 1 << 26;

/// What the array and the cache compute system show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Machines {
    /// The array is busy.
    pub array_busy: bool,
    /// It holds an error.
    pub array_error: bool,
    /// It interrupts.
    pub array_irq: bool,
    /// The cache compute system runs a command.
    pub ccs_busy: bool,
    /// It interrupts.
    pub ccs_irq: bool,
}

/// The lights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusLights {
    /// Counts cycles.
    pub blink: u32,
    /// Cycles since frame, array and cache compute system were last busy, up to the time that a light stays on.
    pub held: [u32; 3],
    /// How the last request ended: well, not well.
    pub last: [bool; 2],
    /// What the machines showed: error, interrupt, the other's interrupt.
    pub seen: [bool; 3],
    /// LEDs.
    pub lights: u8,
}

impl Default for StatusLights {
    fn default() -> Self {
        StatusLights { blink: 0, held: [HOLD; 3], last: [false; 2], seen: [false; 3], lights: 0 }
    }
}

impl StatusLights {
    /// One clock edge; `instead` is what to show instead.
    pub fn step(&mut self, events: &Events, machines: &Machines, instead: Option<u8>) {
        let on = self.held.map(|cycles| cycles < HOLD);
        let [error, irq, second_irq] = self.seen;
        let lights =
            [self.blink & BLINK != 0, on[0], self.last[0], self.last[1], on[1], error, on[2] || second_irq, irq];
        let lights = lights.iter().enumerate().fold(0, |all, (i, &light)| all | u8::from(light) << i);
        self.lights = instead.unwrap_or(lights);
        self.blink = (self.blink + 1) % (2 * BLINK);
        for (held, busy) in self.held.iter_mut().zip([events.busy, machines.array_busy, machines.ccs_busy]) {
            *held = if busy { 0 } else { (*held + 1).min(HOLD) };
        }
        if events.ok || events.refused {
            self.last = [events.ok, events.refused];
        }
        self.seen = [machines.array_error, machines.array_irq, machines.ccs_irq];
    }
}

state! {
    StatusLights(self) {
        self => blink;
        held[] = self.held;
        ok = self.last[0];
        refused = self.last[1];
        error = self.seen[0];
        irq = self.seen[1];
        second_irq = self.seen[2];
        leds = self.lights;
    }
}
