//! Model of the interconnect and of the processor's word port.

use super::near::Read;
use super::{CacheInputs, WordAccess};
use bitline_units::compute_cache::CacheGeometry;

/// What a block is read for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// Nothing is read.
    #[default]
    None,
    /// First source of a near-place operation.
    NearFirst,
    /// Its last source.
    NearLast,
    /// A key.
    Key,
    /// A word.
    Word,
}

/// An access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Its block, unless the near-place path writes.
    pub block: u32,
    /// It writes.
    pub write: bool,
    /// It is a write of the near-place path.
    pub near_write: bool,
    /// What it reads for.
    pub purpose: Purpose,
}

/// Who gets the interconnect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Grant {
    /// The access.
    pub access: Option<Access>,
    /// The key's read is granted.
    pub key: bool,
    /// The near-place path's read is.
    pub near: bool,
    /// The word's access is.
    pub word: bool,
}

/// The interconnect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interconnect {
    /// What the access that is executed reads for.
    pub sent: Purpose,
    /// What the block below was read for.
    pub got: Purpose,
    /// What the last write brought: data, mask.
    pub written: Option<(Vec<u64>, Vec<u64>)>,
    /// The block read last.
    pub block: Option<Vec<u64>>,
    /// The key read last.
    pub key: Option<Vec<u64>>,
    /// Number in its block of the word read last.
    pub word_at: Option<usize>,
    /// A word that waits to be taken.
    pub word: Option<u64>,
    /// A word was accessed in the cycle before.
    pub word_before: bool,
}

impl Interconnect {
    /// Who gets it. `word`: an access without conflict; the key's block is not looked at here.
    pub fn grant(
        &self,
        geometry: &CacheGeometry,
        word: Option<&WordAccess>,
        near_write: bool,
        key: Option<u32>,
        near: Option<Read>,
        waits: bool,
    ) -> Grant {
        let free =
            |w: &&WordAccess| w.write || self.word.is_none() && self.sent != Purpose::Word && self.got != Purpose::Word;
        let inside = |w: &&WordAccess| (w.address as usize) < geometry.bytes();
        let turn = !(self.word_before && (waits || near.is_some()));
        let wanted = word.filter(free).filter(inside).filter(|_| turn);
        let access = |block, write, purpose| Some(Access { block, write, near_write: false, purpose });
        let mut grant = Grant::default();
        if near_write {
            grant.access = Some(Access { block: 0, write: true, near_write, purpose: Purpose::None });
        } else if let Some(block) = key {
            grant = Grant { access: access(block, false, Purpose::Key), key: true, ..grant };
        } else if let Some(word) = wanted {
            let purpose = if word.write { Purpose::None } else { Purpose::Word };
            let block = word.address / geometry.block_bytes as u32;
            grant = Grant { access: access(block, word.write, purpose), word: true, ..grant };
        } else if let Some((block, last)) = near {
            let purpose = if last { Purpose::NearLast } else { Purpose::NearFirst };
            grant = Grant { access: access(block, false, purpose), near: true, ..grant };
        }
        grant
    }

    /// Whether an access beyond the memory is taken.
    pub fn beyond(&self, geometry: &CacheGeometry, word: &WordAccess) -> bool {
        let free = word.write || self.word.is_none() && self.sent != Purpose::Word && self.got != Purpose::Word;
        word.address as usize >= geometry.bytes() && free
    }

    /// A clock edge, with the block that the banks have read.
    pub fn step(
        &mut self,
        geometry: &CacheGeometry,
        inputs: &CacheInputs,
        grant: &Grant,
        near_write: Option<Vec<u64>>,
        sensed: Vec<u64>,
    ) {
        let words = geometry.words();
        let beyond = inputs.word.is_some_and(|word| !word.write && self.beyond(geometry, &word));
        if inputs.take_read {
            self.word = None;
        }
        match self.got {
            Purpose::Key => self.key.clone_from(&self.block),
            Purpose::Word => {
                self.word = Some(self.block.as_ref().expect("a block arrives")[self.word_at.expect("it was accessed")]);
            }
            _ => {}
        }
        if beyond {
            self.word = Some(0);
        }
        if self.sent != Purpose::None {
            self.block = Some(sensed);
        }
        self.got = self.sent;
        self.sent = grant.access.map_or(Purpose::None, |access| access.purpose);
        self.word_before = grant.word;
        if let Some(block) = near_write {
            self.written = Some((block, vec![u64::MAX; words]));
        } else if let Some(word) = inputs.word.filter(|_| grant.word) {
            let at = word.address as usize / 8 % words;
            let bytes =
                (0..8).filter(|byte| word.strobes >> byte & 1 == 1).fold(0, |mask, byte| mask | 0xff << (8 * byte));
            let alone = |value| (0..words).map(|i| if i == at { value } else { 0 }).collect::<Vec<u64>>();
            self.written = Some((alone(word.data), alone(bytes)));
        }
        if let Some(word) = inputs.word.filter(|word| grant.word && !word.write) {
            self.word_at = Some(word.address as usize / 8 % words);
        }
    }
}

state! {
    Interconnect(self) {
        sent = self.sent as u8;
        got = self.got as u8;
        self => word_at, word, word_before;
        word_there = self.word.is_some();
        written = self.written.as_ref().map(|written| &written.0);
        written_mask = self.written.as_ref().map(|written| &written.1);
        block = self.block.as_ref();
        key_held = self.key.as_ref();
    }
}
