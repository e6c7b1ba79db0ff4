//! Renames that can be taken back.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Renames that can be taken back.
pub(super) struct Moves<'a> {
    before: &'a mut dyn FnMut(&Path) -> io::Result<()>,
    /// Places changed so far, and whether something was there, saved under the step's number.
    done: Vec<(PathBuf, bool)>,
    made: Vec<PathBuf>,
    old: PathBuf,
}

impl<'a> Moves<'a> {
    /// Nothing is renamed yet. `old` is a folder on the same disk for what was there; `before` is asked before every
    /// rename.
    ///
    /// # Errors
    /// [`Error::File`] if the folder cannot be made.
    pub fn new(old: PathBuf, before: &'a mut dyn FnMut(&Path) -> io::Result<()>) -> Result<Moves<'a>> {
        fs::create_dir(&old).map_err(|e| Error::file(&old, e))?;
        Ok(Moves { before, done: vec![], made: vec![], old })
    }

    /// Where the file is that a step has replaced.
    pub fn saved(&self, step: usize) -> PathBuf {
        self.old.join(step.to_string())
    }

    /// Puts `from` at `to`, keeping what was there.
    pub fn place(&mut self, from: &Path, to: &Path) -> Result<()> {
        let fail = |e| Error::file(to, e);
        (self.before)(to).map_err(fail)?;
        let missing = to.ancestors().skip(1).take_while(|p| !p.exists());
        for folder in missing.collect::<Vec<_>>().into_iter().rev() {
            fs::create_dir(folder).map_err(|e| Error::file(folder, e))?;
            self.made.push(folder.into());
        }
        let step = self.done.len();
        let saved = match fs::hard_link(to, self.saved(step)) {
            Ok(()) => true,
            Err(e) if e.kind() == io::ErrorKind::NotFound => false,
            // Disks without hard links: a moment without the file instead.
            Err(_) => fs::rename(to, self.saved(step)).map(|()| true).map_err(fail)?,
        };
        self.done.push((to.into(), saved));
        fs::rename(from, to).map_err(fail)
    }

    /// Gives a file a second name, which nothing has yet.
    pub fn keep(&mut self, at: &Path, copy: &Path) -> Result<()> {
        let fail = |e| Error::file(copy, e);
        (self.before)(copy).map_err(fail)?;
        // Disks without hard links: a copy.
        fs::hard_link(at, copy).or_else(|_| fs::copy(at, copy).map(drop)).map_err(fail)?;
        self.done.push((copy.into(), false));
        Ok(())
    }

    /// Takes a file away.
    pub fn remove(&mut self, at: &Path) -> Result<()> {
        (self.before)(at).map_err(|e| Error::file(at, e))?;
        fs::rename(at, self.saved(self.done.len())).map_err(|e| Error::file(at, e))?;
        self.done.push((at.into(), true));
        Ok(())
    }

    /// Takes everything back, last step first.
    pub fn undo(self) -> Result<()> {
        for (step, (place, saved)) in self.done.iter().enumerate().rev() {
            let undone = if *saved { fs::rename(self.saved(step), place) } else { remove_if_there(place) };
            undone.map_err(|e| Error::file(place, format!("cannot be put back: {e}")))?;
        }
        for folder in self.made.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
        Ok(())
    }
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
