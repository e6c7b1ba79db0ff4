//! Model of the row storer.

/// State of the store port.
#[derive(Clone, Debug)]
pub struct RowStorer {
    limbs: usize,
    /// Beats to come, the next one lowest.
    pub data: Vec<u64>,
    /// Beats sent.
    pub beats: u8,
    /// A row is claimed or here.
    pub busy: bool,
    /// A row is here.
    pub sending: bool,
    /// It is its command's last.
    pub last: bool,
}

impl RowStorer {
    /// Empty, for beats of `beat` bits.
    pub fn new(columns: usize, beat: usize) -> RowStorer {
        let data = vec![0; columns.div_ceil(64)];
        RowStorer { limbs: beat.div_ceil(64), data, beats: 0, busy: false, sending: false, last: false }
    }

    /// The beat that is offered, and whether it is the command's last.
    pub fn beat(&self) -> Option<(&[u64], bool)> {
        self.sending.then(|| (&self.data[..self.limbs], self.ends() && self.last))
    }

    /// The next beat is the row's last.
    pub fn ends(&self) -> bool {
        (usize::from(self.beats) + 1) * self.limbs == self.data.len()
    }

    /// One clock edge: whether the beat is taken, whether a row is claimed and is the last, and the row that comes.
    pub fn step(&mut self, take: bool, reserve: Option<bool>, row: Option<&[u64]>) {
        if self.sending && take {
            let ends = self.ends();
            self.data.rotate_left(self.limbs);
            let top = self.data.len() - self.limbs;
            self.data[top..].fill(0);
            self.beats += 1;
            if ends {
                (self.beats, self.sending, self.busy) = (0, false, false);
            }
        }
        if let Some(last) = reserve {
            (self.busy, self.last) = (true, last);
        }
        if let Some(row) = row {
            self.data.copy_from_slice(row);
            self.sending = true;
        }
    }
}

state! {
    RowStorer(self) {
        self => data, beats, busy, sending, last;
    }
}
