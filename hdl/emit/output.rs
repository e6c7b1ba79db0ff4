//! Output folders: everything or nothing, and nobody else's files.
//!
//! A folder is ours if it holds a manifest that we wrote; the files that the manifest lists are ours to replace and to
//! remove, all others stay. Files are first written in full to a hidden folder on the same disk, so a full disk is met
//! before anything has changed; then they are renamed into place, and taken back if a rename fails. If the process is
//! killed between two renames, the manifest in place lists old and new files, and the next run repairs the folder. A
//! file of ours that somebody has edited, as its hash in the manifest shows, is kept as `FILE.orig`.

mod moves;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Component, Path, PathBuf};

use bitline_units::regmap::fnv1a;
use moves::Moves;

use super::manifest::{Listing, MANIFEST, hexadecimal};
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
    /// Files that the folder's manifest lists, with the hashes of what was written: none where that is not known, two
    /// where a run was killed that may have replaced the file or not.
    listed: BTreeMap<String, Vec<String>>,
    files: &'a Files,
    /// Every file with what happens to it, in the order of the paths.
    pub changes: Vec<(String, Change)>,
    /// Files that somebody has edited since they were written, and that are to be replaced or removed: each is kept
    /// under a second name.
    pub kept: Vec<(String, String)>,
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
    let mut plan =
        Plan { folder: folder.into(), exists, listed: BTreeMap::new(), files, changes: vec![], kept: vec![] };
    if exists {
        plan.listed = listed(folder)?;
    }
    let all: BTreeSet<&str> = files.iter().map(|(p, _)| p).chain(plan.listed.keys().map(String::as_str)).collect();
    for path in all.into_iter().map(String::from).collect::<Vec<_>>() {
        let change = plan.change(&path)?;
        if matches!(change, Some(Change::Changed | Change::Removed)) && plan.is_edited(&path) {
            plan.kept.extend(plan.copy_of(&path).map(|copy| (path.clone(), copy)));
        }
        plan.changes.extend(change.map(|change| (path, change)));
    }
    Ok(plan)
}

/// What the folder's manifest lists, the manifest included; nothing for an empty folder.
fn listed(folder: &Path) -> Result<BTreeMap<String, Vec<String>>> {
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
                None => Ok(BTreeMap::new()),
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
        None => {
            let mut listed = BTreeMap::from([(MANIFEST.to_string(), vec![])]);
            for file in listing.files {
                listed.entry(file.path).or_default().extend(Some(file.hash).filter(|hash| !hash.is_empty()));
            }
            Ok(listed)
        }
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
        if !self.listed.contains_key(path) {
            return Err(Error::file(place, format!("is in the way: {MANIFEST} does not list it, so it is not ours")));
        }
        Ok(Some(match wanted {
            None => Change::Removed,
            Some(text) if fs::read(&place).is_ok_and(|old| old == text.as_bytes()) => Change::Same,
            Some(_) => Change::Changed,
        }))
    }

    /// Whether a listed file holds something else than was written.
    fn is_edited(&self, path: &str) -> bool {
        let hashes = self.listed.get(path).filter(|hashes| !hashes.is_empty());
        let now = fs::read(self.folder.join(path)).ok();
        hashes.zip(now).is_some_and(|(hashes, now)| !hashes.contains(&hexadecimal(fnv1a(&now))))
    }

    /// A name that nothing has, for a file that was edited; `None` if a run before has kept the same text.
    fn copy_of(&self, path: &str) -> Option<String> {
        let name = |number: u32| if number == 1 { format!("{path}.orig") } else { format!("{path}.orig.{number}") };
        let free =
            |copy: &String| fs::symlink_metadata(self.folder.join(copy)).is_err() && self.files.get(copy).is_none();
        let text = fs::read(self.folder.join(path)).ok();
        let same = |copy: &String| text.is_some() && fs::read(self.folder.join(copy)).ok() == text;
        (1..).map(name).find(|copy| free(copy) || same(copy)).filter(free)
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
        write(&interim, &self.interim(&written).text())?;
        let mut moves = Moves::new(stage.join("old"), before)?;
        let result = moves.place(&interim, &self.folder.join(MANIFEST)).and_then(|()| {
            for (path, copy) in &self.kept {
                moves.keep(&self.folder.join(path), &self.folder.join(copy))?;
            }
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

    /// The manifest while files are replaced: old and new files, those that are replaced with both their hashes.
    fn interim(&self, written: &[&str]) -> Listing {
        let old = self.listed.iter().flat_map(|(path, hashes)| {
            // A file without a hash is ours all the same.
            let hashes = if hashes.is_empty() { vec![String::new()] } else { hashes.clone() };
            hashes.into_iter().map(|hash| (path.as_str(), hash))
        });
        let new = written.iter().map(|&path| {
            let text = self.files.get(path).unwrap_or_default();
            (path, hexadecimal(fnv1a(text.as_bytes())))
        });
        Listing::with_hashes(old.chain(new).filter(|(path, _)| *path != MANIFEST))
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
        // Files that a killed run has removed count, too: it may not have come to their folders.
        for path in self.listed.keys().filter(|path| self.files.get(path).is_none()) {
            let above = Path::new(path).ancestors().skip(1).filter(|p| *p != Path::new(""));
            // A folder with anything in it stays: `remove_dir` refuses.
            let goes = |p: &PathBuf| fs::remove_dir(p).map_or_else(|e| e.kind() == io::ErrorKind::NotFound, |()| true);
            above.map(|p| self.folder.join(p)).take_while(goes).for_each(drop);
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

#[cfg(test)]
#[path = "output_tests.rs"]
mod tests;
