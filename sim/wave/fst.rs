//! Fast signal trace, GTKWave's binary format.

use std::fs::File;
use std::io::{BufWriter, Error, Result, Write};
use std::path::Path;

use fst_writer::{
    FstBodyWriter, FstFileType, FstHeaderWriter, FstInfo, FstScopeType, FstSignalId, FstSignalType, FstVarDirection,
    FstVarType, FstWriteError,
};

use super::{Format, Item, Scope, WaveSignal, legal};

/// Changes are held in memory up to this size, then written as a block.
const BLOCK_BYTES: usize = 64 << 20;

type Out = BufWriter<File>;

/// An FST file.
pub struct Fst {
    body: FstBodyWriter<Out>,
    ids: Vec<FstSignalId>,
    pub(super) block_bytes: usize,
}

fn io(error: FstWriteError) -> Error {
    match error {
        FstWriteError::Io(error) => error,
        other => Error::other(other),
    }
}

impl Fst {
    /// Writes the header.
    pub fn create(path: &Path, signals: &[WaveSignal]) -> Result<Fst> {
        let info = FstInfo {
            start_time: 0,
            timescale_exponent: -9,
            version: format!("bitline {}", env!("CARGO_PKG_VERSION")),
            date: String::new(),
            file_type: FstFileType::Verilog,
        };
        let out = BufWriter::new(File::create(path)?);
        let mut header = FstHeaderWriter::new(out, &info).map_err(io)?;
        let mut ids = vec![None; signals.len()];
        scope(&mut header, &Scope::tree(signals), signals, &mut ids)?;
        let ids = ids.into_iter().map(|id| id.expect("the tree holds every signal")).collect();
        Ok(Fst { body: header.finish().map_err(io)?, ids, block_bytes: BLOCK_BYTES })
    }
}

fn scope(
    header: &mut FstHeaderWriter<Out>,
    level: &Scope,
    signals: &[WaveSignal],
    ids: &mut [Option<FstSignalId>],
) -> Result<()> {
    for item in &level.items {
        match item {
            Item::Signal(name, index) => {
                let width = u32::try_from(signals[*index].width).map_err(Error::other)?;
                let (kind, way) = (FstVarType::Wire, FstVarDirection::Implicit);
                let id = header.var(legal(name), FstSignalType::bit_vec(width), kind, way, None);
                ids[*index] = Some(id.map_err(io)?);
            }
            Item::Scope(name, inner) => {
                header.scope(legal(name), "", FstScopeType::Module).map_err(io)?;
                scope(header, inner, signals, ids)?;
                header.up_scope().map_err(io)?;
            }
        }
    }
    Ok(())
}

impl Format for Fst {
    fn time(&mut self, time: u64) -> Result<()> {
        // A block ends right before a new time step.
        if self.body.size() > self.block_bytes {
            self.body.flush().map_err(io)?;
        }
        self.body.time_change(time).map_err(io)
    }

    fn change(&mut self, index: usize, digits: &[u8]) -> Result<()> {
        self.body.signal_change(self.ids[index], digits).map_err(io)
    }

    fn finish(mut self: Box<Self>, time: u64) -> Result<()> {
        self.body.time_change(time).map_err(io)?;
        self.body.finish().map_err(io)?.flush()
    }
}
