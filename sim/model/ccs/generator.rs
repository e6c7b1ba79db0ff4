//! Model of the generator: the row to come, the row that is cut into lines, and its next step.

use bitline_units::ccs::CcsGeometry;
use bitline_units::ccs::registers::BASE;

/// A row: its first lines, and where its elements are in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Lines of a, b and r.
    pub lines: [u32; 3],
    /// First lane.
    pub low: u8,
    /// Last lane of the last line.
    pub high: u8,
    /// Lines after the first.
    pub left: u32,
    /// Place of its result.
    pub place: u8,
    /// Operands a, b, r that end outside the address space; a result that is outside.
    pub over: [bool; 4],
}

impl Row {
    /// It is not in the address space.
    pub fn outside(&self) -> bool {
        self.over.contains(&true)
    }
}

/// A step: a line of every operand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowStep {
    /// Lines of a, b and r.
    pub lines: [u32; 3],
    /// First lane.
    pub low: u8,
    /// Last lane; follows from the two below when the step is offered.
    pub high: u8,
    /// Last lane of the row's last line.
    pub last_high: u8,
    /// Steps after it.
    pub left: u32,
    /// First of its row.
    pub first: bool,
    /// Last of its row.
    pub last: bool,
    /// Place of the row's result.
    pub place: u8,
}

/// Inputs of a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GeneratorInputs {
    /// A command: addresses, steps, rows.
    pub load: Option<([u32; 3], [u32; 3], u32)>,
    /// Its only row has so many elements, and its first step comes with it; else what the step holds then means
    /// nothing.
    pub quick: bool,
    /// Elements of a row.
    pub length: u32,
    /// Operands that are vectors.
    pub vectors: [bool; 3],
    /// A result for each row goes to r.
    pub store: bool,
    /// Elements of a row after the first.
    pub extent: u32,
    /// It is right.
    pub run: bool,
    /// What is under way is dropped.
    pub stop: bool,
    /// The step is taken.
    pub take: bool,
}

/// The generator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generator {
    geometry: CcsGeometry,
    /// A row waits to be cut.
    pub pending: bool,
    /// Its addresses.
    pub addresses: [u32; 3],
    /// From row to row.
    pub strides: [u32; 3],
    /// Rows that are not cut.
    pub rows_left: u32,
    /// There is a row.
    pub row_valid: bool,
    /// The row.
    pub row: Row,
    /// There is a step.
    pub valid: bool,
    /// The step.
    pub step: RowStep,
    /// Lines after the first of a command's first row, a cycle before the step has them.
    pub loaded_left: u32,
    /// Length and place of a command's first row are together below two lines.
    pub loaded_below: bool,
    /// Their sum, of the length modulo two lines, is a line or less, or whole lines.
    pub loaded_short: bool,
    /// The first step has come with its command, a cycle ago.
    pub young: bool,
    /// Two cycles ago.
    pub judged: bool,
    /// A cycle ago its row was found not to be in the address space.
    pub strayed: bool,
}

impl Generator {
    /// After reset.
    pub fn new(geometry: &CcsGeometry) -> Generator {
        Generator {
            geometry: geometry.clone(),
            pending: false,
            addresses: [0; 3],
            strides: [0; 3],
            rows_left: 0,
            row_valid: false,
            row: Row::default(),
            valid: false,
            step: RowStep::default(),
            loaded_left: 0,
            loaded_below: false,
            loaded_short: false,
            young: false,
            judged: false,
            strayed: false,
        }
    }

    /// The step, whether there is one or not: all lanes up to the last of them, or up to the row's last one.
    pub fn offered(&self) -> RowStep {
        let last = self.last();
        let high = if last { self.step.last_high } else { self.geometry.lanes as u8 - 1 };
        RowStep { high, last, ..self.step }
    }

    /// The step is its row's last.
    fn last(&self) -> bool {
        if self.young { self.loaded_below && self.loaded_short } else { self.step.last }
    }

    /// A row is not in the address space.
    pub fn outside(&self) -> bool {
        self.row_valid && self.row.outside()
    }

    /// Steps were taken of a row that is not in the address space.
    pub fn strays(&self) -> bool {
        self.strayed
    }

    /// Something is to come.
    pub fn busy(&self) -> bool {
        self.pending || self.row_valid || self.valid
    }

    /// Lines of the address space.
    fn line_count(&self) -> u32 {
        BASE as u32 / self.geometry.line_bytes() as u32
    }

    fn cut(&self, inputs: &GeneratorInputs) -> Row {
        let (lanes, bytes) = (self.geometry.lanes as u64, self.geometry.element_bytes() as u64);
        let elements = self.addresses.map(|address| u64::from(address) / bytes);
        let extent = u64::from(inputs.extent);
        let lead = elements[if inputs.vectors[0] { 0 } else { 2 }] % lanes;
        Row {
            lines: self.addresses.map(|address| address / self.geometry.line_bytes() as u32 % self.line_count()),
            low: lead as u8,
            high: ((lead + extent) % lanes) as u8,
            left: ((lead + extent) / lanes) as u32 % (1 << 30),
            place: (elements[2] % lanes) as u8,
            over: self.over(inputs),
        }
    }

    /// Operands of the row at the addresses that end outside the address space; a result that is outside.
    fn over(&self, inputs: &GeneratorInputs) -> [bool; 4] {
        let elements = self.addresses.map(|address| u64::from(address) / self.geometry.element_bytes() as u64);
        let limit = BASE / self.geometry.element_bytes() as u64;
        let vector = |i: usize| inputs.vectors[i] && elements[i] + u64::from(inputs.extent) >= limit;
        [vector(0), vector(1), vector(2), inputs.store && elements[2] >= limit]
    }

    /// The first step of a command whose first row has so many elements: what a step holds when the command comes.
    fn first_step(&self, addresses: [u32; 3], length: u32) -> RowStep {
        let lanes = self.geometry.lanes as u64;
        let place = |address: u32| u64::from(address) / self.geometry.element_bytes() as u64 % lanes;
        let low = place(addresses[0]);
        // Without elements, which no command has, it is what a borrow leaves.
        let tail = (u64::from(length) + low).wrapping_sub(1) % (1 << 33);
        RowStep {
            lines: addresses.map(|address| address / self.geometry.line_bytes() as u32 % self.line_count()),
            low: low as u8,
            high: 0,
            last_high: (tail % lanes) as u8,
            left: (tail / lanes) as u32 % (1 << 30),
            first: true,
            last: self.step.last,
            place: place(addresses[2]) as u8,
        }
    }

    fn advance(&mut self, vectors: [bool; 3]) {
        let count = self.line_count();
        let step = &mut self.step;
        for (line, _) in step.lines.iter_mut().zip(vectors).filter(|(_, vector)| *vector) {
            *line = (*line + 1) % count;
        }
        self.valid = !step.last;
        (step.low, step.first, step.last) = (0, false, step.left == 1);
        step.left = step.left.wrapping_sub(1) % (1 << 30);
    }

    /// A clock cycle.
    pub fn step(&mut self, inputs: &GeneratorInputs) {
        self.step.last = self.last();
        if self.young {
            self.step.left = self.loaded_left;
        }
        let free = !self.valid || inputs.take && self.step.last;
        let row_goes = self.row_valid && !self.row.outside() && free;
        let (strays, strayed) = (self.strayed, self.judged && self.row.outside());
        let next_goes = self.pending && inputs.run && (!self.row_valid || row_goes);
        if inputs.take {
            self.advance(inputs.vectors);
        }
        if row_goes {
            let row = self.row;
            let last = row.left == 0;
            let Row { lines, low, left, place, .. } = row;
            self.step = RowStep { lines, low, high: 0, last_high: row.high, left, first: true, last, place };
            (self.valid, self.row_valid) = (true, false);
        }
        if next_goes {
            (self.row, self.row_valid) = (self.cut(inputs), true);
            for (address, stride) in self.addresses.iter_mut().zip(self.strides) {
                *address = address.wrapping_add(stride);
            }
            self.pending = self.rows_left != 1;
            self.rows_left = self.rows_left.wrapping_sub(1);
        }
        if self.young {
            self.row.over = self.over(inputs);
        }
        if strays {
            (self.valid, self.row_valid) = (false, true);
        }
        (self.strayed, self.judged) = (strayed && !inputs.stop, self.young);
        self.young = inputs.quick;
        if let Some((addresses, strides, count)) = inputs.load {
            (self.addresses, self.strides, self.pending) = (addresses, strides, !inputs.quick);
            let first = self.first_step(addresses, inputs.length);
            (self.step, self.loaded_left) = (RowStep { left: self.step.left, ..first }, first.left);
            let lanes = self.geometry.lanes as u32;
            let short = inputs.length % (2 * lanes) + u32::from(first.low);
            self.loaded_below = inputs.length < 2 * lanes && short < 2 * lanes;
            self.loaded_short = short < lanes || short.is_multiple_of(lanes);
            self.valid = inputs.quick;
            self.rows_left = count;
        }
        if inputs.stop {
            self.drop_all();
        }
    }

    /// Reset.
    pub fn reset(&mut self) {
        self.drop_all();
        (self.young, self.judged, self.strayed) = (false, false, false);
    }

    /// There is no row and no step any more.
    fn drop_all(&mut self) {
        (self.pending, self.row_valid, self.valid) = (false, false, false);
    }
}

state! {
    Generator(self) {
        self => pending, rows_left, row_valid, valid, loaded_left, loaded_below, loaded_short, young, judged, strayed;
        let (row, step) = (&self.row, &self.step);
        step => low, last_high, left, first, last, place;
        bus row {
            row => low, high, left, place;
            over[] = row.over;
            lines[] = row.lines;
        }
        rows[] = self.addresses;
        strides[] = self.strides;
        lines[] = step.lines;
    }
}
