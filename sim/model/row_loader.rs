//! Model of the row loader.

/// State of the load port.
#[derive(Clone, Debug)]
pub struct RowLoader {
    columns: usize,
    limbs: usize,
    /// The row, or what has come of it: earlier beats below later ones, the latest on top.
    pub data: Vec<u64>,
    /// Beats so far.
    pub beats: u8,
    /// The row is complete.
    pub full: bool,
}

impl RowLoader {
    /// Empty, for beats of `beat` bits.
    pub fn new(columns: usize, beat: usize) -> RowLoader {
        RowLoader { columns, limbs: beat.div_ceil(64), data: vec![0; columns.div_ceil(64)], beats: 0, full: false }
    }

    /// One clock edge: a beat that is offered, and whether the row was written.
    pub fn step(&mut self, beat: Option<&[u64]>, taken: bool) {
        if let Some(beat) = beat.filter(|_| !self.full) {
            self.data.rotate_left(self.limbs);
            let top = self.data.len() - self.limbs;
            self.data[top..].copy_from_slice(beat);
            if self.columns < 64 {
                self.data[0] &= (1 << self.columns) - 1;
            }
            self.beats += 1;
            if usize::from(self.beats) * self.limbs == self.data.len() {
                self.beats = 0;
                self.full = true;
            }
        }
        if taken {
            self.full = false;
        }
    }
}

state! {
    RowLoader(self) {
        self => data, beats, full;
    }
}
