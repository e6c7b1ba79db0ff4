//! Model of the requests: lines that the unit's steps ask memory for, and the rows that they go to.

/// First row of the store for lines that are fetched.
pub const STREAM_ROWS: u8 = 32;

/// Lines of a step: those of a and b, and which of them are to be asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Lines.
    pub lines: [u32; 2],
    /// Those that are needed.
    pub needs: [bool; 2],
}

impl Request {
    /// Operand whose line is asked for next.
    fn operand(&self) -> Option<usize> {
        self.needs.iter().position(|&need| need)
    }
}

/// The block. What went stays visible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Requests {
    /// The first step.
    pub first: Request,
    /// There is one behind it.
    pub waits: bool,
    /// Which.
    pub next: Request,
    /// Lines that have come, since reset.
    pub asked: u32,
    /// Lines that have arrived.
    pub arrived: u32,
    /// A line was to arrive, a cycle ago.
    pub missing: bool,
    /// Lines to arrive that are nobody's.
    pub stale: u32,
}

fn row(number: u32) -> u8 {
    STREAM_ROWS + (number % u32::from(STREAM_ROWS)) as u8
}

impl Requests {
    /// What is offered: the first step's lines, or, without one, those of the step that comes.
    fn offered(&self, held: Request, push: bool) -> Request {
        if self.first.operand().is_some() {
            return self.first;
        }
        Request { lines: held.lines, needs: held.needs.map(|need| need && push) }
    }

    /// The line that is asked for, with the lines of the step that is held, which come if `push`.
    pub fn read(&self, held: Request, push: bool) -> Option<u32> {
        let offered = self.offered(held, push);
        offered.operand().map(|operand| offered.lines[operand])
    }

    /// Rows for the first and the second line that comes.
    pub fn rows(&self) -> [u8; 2] {
        [row(self.asked), row(self.asked.wrapping_add(1))]
    }

    /// Row for the next line that arrives.
    pub fn arrival_row(&self) -> u8 {
        row(self.arrived)
    }

    /// A clock cycle: the lines of the step that is held, which come if `push`; the request is taken; a line has
    /// arrived; those to come are nobody's.
    pub fn step(&mut self, held: Request, push: bool, read_ready: bool, arrive: bool, forget: bool) {
        let was = *self;
        let stale = if forget { was.asked.wrapping_sub(was.arrived) % FETCHES } else { was.stale };
        self.stale = stale.saturating_sub(arrive.into());
        self.missing = push || was.asked != was.arrived;
        if push {
            self.next = held;
            self.asked = was.asked.wrapping_add(held.needs.iter().map(|&need| u32::from(need)).sum());
        }
        self.arrived = was.arrived.wrapping_add(arrive.into());
        let offered = was.offered(held, push);
        let behind = push && was.first.operand().is_some();
        let left = offered.needs.iter().filter(|&&need| need).count();
        if left == 0 || left == 1 && read_ready {
            let come = Request { lines: held.lines, needs: held.needs.map(|need| need && behind) };
            self.first = if was.waits { was.next } else { come };
            self.waits = false;
        } else {
            self.first = offered;
            self.waits |= behind;
            if read_ready {
                self.first.needs[0] &= left == 1;
            }
        }
    }

    /// Reset: lines stay.
    pub fn reset(&mut self) {
        let first = Request { needs: [false; 2], ..self.first };
        *self = Requests { first, next: self.next, ..Requests::default() };
    }
}

/// Bits of counters that go round.
const FETCHES: u32 = 32;

state! {
    Request(self) {
        needs[] = self.needs;
        lines[] = self.lines;
    }

    Requests(self) {
        self => waits, missing, stale;
        asked = self.asked % FETCHES;
        arrived = self.arrived % FETCHES;
        bus first = self.first;
        bus next = self.next;
    }
}
