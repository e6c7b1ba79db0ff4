//! Output folders: everything or nothing, and nobody else's files.
//!
//! A folder is ours if it holds a manifest that we wrote; the files that the manifest lists are ours to replace and to
//! remove, all others stay. Files are first written in full to a hidden folder on the same disk, so a full disk is met
//! before anything has changed; then they are renamed into place, and taken back if a rename fails. If the process is
//! killed between two renames, the manifest in place lists old and new files, and the next run repairs the folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Component, Path, PathBuf};

use super::manifest::{Listing, MANIFEST};
use crate::error::{Error, Result};

/// Where files are prepared inside of an existing output folder.
const STAGE: &str = ".bitline-stage";

/// Files in memory, by their path below the output folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    files: BTreeMap<String, String>,
}

impl Files {
    /// Adds a file.
    ///
    /// # Panics
    /// If the path leaves the folder or is there already: paths come from this crate, never from a user.
    pub fn add(&mut self, path: impl Into<String>, text: impl Into<String>) {
        let path = path.into();
        assert!(is_below(&path), "{path:?} leaves the output folder");
        assert!(self.files.insert(path.clone(), text.into()).is_none(), "{path} twice");
    }

    /// Paths and texts, in the order of the paths.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// The text of a file.
    pub fn get(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    /// Number of files.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

/// Whether a path, read from a file perhaps, stays below the folder that it is relative to.
fn is_below(path: &str) -> bool {
    let mut parts = Path::new(path).components().peekable();
    parts.peek().is_some() && parts.all(|c| matches!(c, Component::Normal(_))) && !path.starts_with(STAGE)
}

/// What is to happen to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is not there yet.
    New,
    /// It is there with other contents.
    Changed,
    /// It is there already.
    Same,
    /// The old manifest lists it, and it is not needed any more.
    Removed,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Change::New => "new",
            Change::Changed => "changed",
            Change::Same => "same",
            Change::Removed => "removed",
        })
    }
}

/// What a run would do to a folder.
#[derive(Debug)]
pub struct Plan<'a> {
    folder: PathBuf,
    exists: bool,
    /// Files that the folder's manifest lists.
    listed: BTreeSet<String>,
    files: &'a Files,
    /// Every file with what happens to it, in the order of the paths.
    pub changes: Vec<(String, Change)>,
}

/// Compares `files`, which hold a manifest, with what is in `folder`. Changes nothing.
///
/// # Errors
/// [`Error::File`] if the folder is not ours, or a file is in the way.
pub fn plan<'a>(folder: &Path, files: &'a Files) -> Result<Plan<'a>> {
    let exists = match fs::metadata(folder) {
        Ok(found) if found.is_dir() => true,
        Ok(_) => return Err(Error::file(folder, "is not a folder")),
        Err(e) if e.kind() == io::ErrorKind::NotFound && fs::symlink_metadata(folder).is_err() => false,
        Err(e) => return Err(Error::file(folder, e)),
    };
    if folder.file_name().is_none() && !exists {
        return Err(Error::file(folder, "does not name a folder"));
    }
    let mut plan = Plan { folder: folder.into(), exists, listed: BTreeSet::new(), files, changes: vec![] };
    if exists {
        plan.listed = listed(folder)?;
    }
    let all: BTreeSet<&str> = files.iter().map(|(p, _)| p).chain(plan.listed.iter().map(String::as_str)).collect();
    for path in all {
        let change = plan.change(path)?;
        if let Some(change) = change {
            plan.changes.push((path.to_string(), change));
        }
    }
    Ok(plan)
}

/// What the folder's manifest lists, the manifest included; nothing for an empty folder.
fn listed(folder: &Path) -> Result<BTreeSet<String>> {
    let place = folder.join(MANIFEST);
    if fs::symlink_metadata(&place).is_ok_and(|m| !m.is_file()) {
        return Err(Error::file(place, "is not a plain file: will not write into a folder that bitline did not make"));
    }
    let text = match fs::read_to_string(&place) {
        Ok(text) => text,
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            let entries = fs::read_dir(folder).map_err(|e| Error::file(folder, e))?;
            let foreign = entries.filter_map(|e| Some(e.ok()?.file_name())).find(|name| name != STAGE);
            return match foreign {
                None => Ok(BTreeSet::new()),
                Some(_) => Err(Error::file(
                    folder,
                    format!(
                        "is not empty and has no {MANIFEST} of ours: will not write into a folder that bitline did not \
                         make"
                    ),
                )),
            };
        }
        Err(e) => return Err(Error::file(place, e)),
    };
    let foreign = |reason: String| {
        Err(Error::file(&place, format!("{reason}: will not write into a folder that bitline did not make")))
    };
    let listing = match Listing::parse(&text) {
        Ok(listing) => listing,
        Err(reason) => return foreign(reason),
    };
    match listing.files.iter().find(|f| !is_below(&f.path)) {
        Some(file) => foreign(format!("lists {:?}, which is outside of the folder", file.path)),
        None => Ok(listing.files.into_iter().map(|f| f.path).chain([MANIFEST.to_string()]).collect()),
    }
}

impl Plan<'_> {
    /// What happens to one file; `None` if it is listed, not needed and gone already.
    fn change(&self, path: &str) -> Result<Option<Change>> {
        let wanted = self.files.get(path);
        let place = self.folder.join(path);
        let mut above = self.folder.clone();
        let folders = Path::new(path).parent().into_iter().flat_map(Path::components);
        for part in folders {
            above.push(part);
            match fs::symlink_metadata(&above) {
                Ok(found) if found.is_dir() => {}
                Ok(_) => return Err(Error::file(above, "is in the way: must be a folder, and no symbolic link")),
                Err(_) => break,
            }
        }
        let found = match fs::symlink_metadata(&place) {
            Err(_) => return Ok(wanted.map(|_| Change::New)),
            Ok(found) => found,
        };
        if !found.is_file() {
            return Err(Error::file(place, "is in the way: must be a plain file, and no symbolic link"));
        }
        if !self.listed.contains(path) {
            return Err(Error::file(place, format!("is in the way: {MANIFEST} does not list it, so it is not ours")));
        }
        Ok(Some(match wanted {
            None => Change::Removed,
            Some(text) if fs::read(&place).is_ok_and(|old| old == text.as_bytes()) => Change::Same,
            Some(_) => Change::Changed,
        }))
    }

    /// Carries the plan out.
    ///
    /// # Errors
    /// [`Error::File`] with the path that could not be written. The folder is then as it was.
    pub fn install(&self) -> Result<()> {
        self.install_with(&mut |_| Ok(()))
    }

    /// The same; `before` is asked before every rename, so that tests can let one fail.
    fn install_with(&self, before: &mut dyn FnMut(&Path) -> io::Result<()>) -> Result<()> {
        if self.exists { self.update(before) } else { self.create(before) }
    }

    /// A new folder: prepared beside its place, then renamed.
    fn create(&self, before: &mut dyn FnMut(&Path) -> io::Result<()>) -> Result<()> {
        let parent = match self.folder.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        let mut made = Removed::default();
        for above in parent.ancestors().collect::<Vec<_>>().into_iter().rev() {
            if above != Path::new("") && fs::symlink_metadata(above).is_err() {
                fs::create_dir(above).map_err(|e| Error::file(above, e))?;
                made.empty.insert(0, above.into());
            }
        }
        let name = self.folder.file_name().unwrap_or_default().to_string_lossy();
        let stage = parent.join(format!(".{name}.bitline-{}", std::process::id()));
        fs::create_dir(&stage).map_err(|e| Error::file(&self.folder, e))?;
        made.whole = Some(stage.clone());
        let all: Vec<&str> = self.files.iter().map(|(path, _)| path).collect();
        self.prepare(&stage, &all)?;
        let renamed = before(&self.folder).and_then(|()| fs::rename(&stage, &self.folder));
        renamed.map_err(|e| Error::file(&self.folder, e))?;
        made.keep();
        Ok(())
    }

    /// A folder of ours: changed files are prepared inside, then renamed.
    fn update(&self, before: &mut dyn FnMut(&Path) -> io::Result<()>) -> Result<()> {
        let handle = File::open(&self.folder).map_err(|e| Error::file(&self.folder, e))?;
        // Where locks do not exist there is nothing to wait for.
        if let Err(TryLockError::WouldBlock) = handle.try_lock() {
            return Err(Error::file(&self.folder, "another run is writing here"));
        }
        let stage = self.folder.join(STAGE);
        if fs::symlink_metadata(&stage).is_ok_and(|m| m.is_dir()) {
            fs::remove_dir_all(&stage).map_err(|e| Error::file(&stage, e))?;
        }
        fs::create_dir(&stage).map_err(|e| Error::file(&stage, e))?;
        let guard = Removed { whole: Some(stage.clone()), empty: vec![] };
        let of = |change: Change| self.changes.iter().filter(move |c| c.1 == change).map(|c| c.0.as_str());
        let written: Vec<&str> = of(Change::New).chain(of(Change::Changed)).collect();
        if written.is_empty() && of(Change::Removed).next().is_none() {
            return Ok(());
        }
        let new = stage.join("new");
        self.prepare(&new, &written)?;
        let interim = stage.join("interim.json");
        let every: BTreeSet<&str> = self.listed.iter().map(String::as_str).chain(written.iter().copied()).collect();
        write(&interim, &Listing::of(every.into_iter().filter(|&p| p != MANIFEST)).text())?;
        let mut moves = Moves { before, done: vec![], made: vec![], old: stage.join("old") };
        fs::create_dir(&moves.old).map_err(|e| Error::file(&moves.old, e))?;
        let result = moves.place(&interim, &self.folder.join(MANIFEST)).and_then(|()| {
            for path in written.iter().filter(|&&p| p != MANIFEST) {
                moves.place(&new.join(path), &self.folder.join(path))?;
            }
            for path in of(Change::Removed) {
                moves.remove(&self.folder.join(path))?;
            }
            let manifest = if written.contains(&MANIFEST) { new.join(MANIFEST) } else { moves.saved(0) };
            moves.place(&manifest, &self.folder.join(MANIFEST))
        });
        if let Err(error) = result {
            moves.undo()?;
            return Err(error);
        }
        self.drop_empty_folders();
        drop(guard);
        Ok(())
    }

    /// Writes the named files below `stage`.
    fn prepare(&self, stage: &Path, paths: &[&str]) -> Result<()> {
        for path in paths {
            let place = stage.join(path);
            let folder = place.parent().unwrap_or(stage);
            fs::create_dir_all(folder).map_err(|e| Error::file(folder, e))?;
            write(&place, self.files.get(path).unwrap_or_default())?;
        }
        Ok(())
    }

    /// Folders that held only files that are gone.
    fn drop_empty_folders(&self) {
        for (path, _) in self.changes.iter().filter(|c| c.1 == Change::Removed) {
            let above = Path::new(path).ancestors().skip(1).filter(|p| *p != Path::new(""));
            // A folder with anything in it stays: `remove_dir` refuses.
            above.map(|p| self.folder.join(p)).take_while(|p| fs::remove_dir(p).is_ok()).for_each(drop);
        }
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).map_err(|e| Error::file(path, e))
}

/// Removes what a failed run leaves behind when dropped.
#[derive(Default)]
struct Removed {
    whole: Option<PathBuf>,
    empty: Vec<PathBuf>,
}

impl Removed {
    fn keep(&mut self) {
        *self = Removed::default();
    }
}

impl Drop for Removed {
    fn drop(&mut self) {
        // Nothing can be done about a folder that does not go away; the error under way says what happened.
        if let Some(stage) = &self.whole {
            let _ = fs::remove_dir_all(stage);
        }
        for folder in &self.empty {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Renames that can be taken back.
struct Moves<'a> {
    before: &'a mut dyn FnMut(&Path) -> io::Result<()>,
    /// Places changed so far, and whether something was there, saved under the step's number.
    done: Vec<(PathBuf, bool)>,
    made: Vec<PathBuf>,
    old: PathBuf,
}

impl Moves<'_> {
    fn saved(&self, step: usize) -> PathBuf {
        self.old.join(step.to_string())
    }

    /// Puts `from` at `to`, keeping what was there.
    fn place(&mut self, from: &Path, to: &Path) -> Result<()> {
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

    fn remove(&mut self, at: &Path) -> Result<()> {
        (self.before)(at).map_err(|e| Error::file(at, e))?;
        fs::rename(at, self.saved(self.done.len())).map_err(|e| Error::file(at, e))?;
        self.done.push((at.into(), true));
        Ok(())
    }

    /// Takes everything back, last step first.
    fn undo(self) -> Result<()> {
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

#[cfg(test)]
#[path = "output_tests.rs"]
mod tests;
