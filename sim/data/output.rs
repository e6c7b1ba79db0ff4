//! Result files, written together at the end.

use std::io::Write;
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use super::source::is_standard;
use crate::error::{Error, Result};

/// Writes all files, each complete or not at all: every content goes to a temporary file beside its target first, and
/// only when all are on disk do they take their names. What goes to the standard output, `-`, is written last.
///
/// # Errors
/// [`Error::File`]; before the first target is replaced in all cases that can be seen beforehand.
pub fn write_files(files: &[(PathBuf, Vec<u8>)]) -> Result<()> {
    let mut ready = Vec::new();
    for (path, content) in files.iter().filter(|(path, _)| !is_standard(path)) {
        let target = target(path)?;
        let file = temporary(&target).and_then(|mut file| {
            file.write_all(content)?;
            file.as_file().sync_all()?;
            Ok(file)
        });
        ready.push((target, file.map_err(|e| Error::file(path, e))?));
    }
    for (path, file) in ready {
        file.persist(&path).map_err(|e| Error::file(&path, e.error))?;
    }
    files.iter().filter(|(path, _)| is_standard(path)).try_for_each(|(_, content)| print_bytes(content))
}

/// Writes to the standard output. A reader that has gone away is no error.
///
/// # Errors
/// [`Error::File`] when it cannot be written otherwise.
pub fn print(text: &str) -> Result<()> {
    print_bytes(text.as_bytes())
}

fn print_bytes(content: &[u8]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(content).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(Error::file("standard output", error)),
        _ => Ok(()),
    }
}

/// Looks whether all of these files can be written, as far as that can be known before they are: each to a place of its
/// own, none over one of the inputs. `folder` is made if it is not there.
///
/// # Errors
/// [`Error::File`] with the first that cannot.
pub fn check(outputs: &[&Path], inputs: &[&Path], folder: Option<&Path>) -> Result<()> {
    if let Some(folder) = folder {
        let there = folder.ancestors().find(|f| f.as_os_str().is_empty() || f.symlink_metadata().is_ok());
        if let Some(file) = there.filter(|f| !f.as_os_str().is_empty() && !f.is_dir()) {
            return Err(Error::file(file, "is not a folder"));
        }
    }
    let inputs: Vec<(PathBuf, &Path)> = inputs.iter().filter_map(|p| Some((p.canonicalize().ok()?, *p))).collect();
    let mut places: Vec<(PathBuf, &Path)> = Vec::new();
    for &path in outputs.iter().filter(|path| !is_standard(path)) {
        let place = place(path, folder)?;
        if inputs.iter().any(|(input, _)| *input == place) {
            return Err(Error::file(
                path,
                "is read by the program, or the program itself: results need files of their own",
            ));
        }
        if let Some((_, other)) = places.iter().find(|(other, _)| *other == place) {
            return Err(Error::file(
                path,
                format!("is the same file as {}: results need files of their own", other.display()),
            ));
        }
        places.push((place, path));
    }
    Ok(())
}

/// Where a file is or will be.
fn place(path: &Path, new: Option<&Path>) -> Result<PathBuf> {
    if path.symlink_metadata().is_ok() {
        return target(path);
    }
    let name = path.file_name().ok_or_else(|| Error::file(path, "is no name of a file"))?;
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match folder.canonicalize() {
        Ok(there) if there.is_dir() => Ok(there.join(name)),
        Err(_) if new == Some(folder) => Ok(folder.join(name)),
        _ => Err(Error::file(path, "is to be in a folder that is not there")),
    }
}

/// The file that a path names, which may be new: links are followed, and what is no file is refused.
///
/// # Errors
/// [`Error::File`] for folders, devices, pipes, and links that lead nowhere.
pub fn target(path: &Path) -> Result<PathBuf> {
    if path.symlink_metadata().is_err() {
        return Ok(path.into());
    }
    let target = path.canonicalize().map_err(|e| Error::file(path, e))?;
    let kind = target.metadata().map_err(|e| Error::file(path, e))?;
    match (kind.is_file(), kind.is_dir()) {
        (true, _) => Ok(target),
        (_, true) => Err(Error::file(path, "is a folder")),
        _ => Err(Error::file(path, "is not a regular file")),
    }
}

/// A temporary file in the folder of `path`.
///
/// # Errors
/// When it cannot be created there.
pub fn temporary(path: &Path) -> std::io::Result<NamedTempFile> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut builder = Builder::new();
    builder.prefix(".bitline-");
    #[cfg(unix)]
    {
        // As for any new file: what the user's mask allows.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    // The temporary name says nothing to the user.
    builder.tempfile_in(folder).map_err(|e| e.kind().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_before() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("sub")).expect("the folder can be written");
        std::fs::write(at("in.csv"), "1").expect("the folder can be written");
        let (new, input) = (at("new"), at("in.csv"));
        let looked = |outputs: &[PathBuf], out: Option<&Path>| {
            let outputs: Vec<&Path> = outputs.iter().map(PathBuf::as_path).collect();
            check(&outputs, &[&input], out).map_err(|e| e.to_string())
        };
        assert_eq!(looked(&[at("a"), at("b"), at("sub/a")], None), Ok(()));
        assert_eq!(looked(&[new.join("a")], Some(&new)), Ok(()));
        for (outputs, out, why) in [
            (vec![at("d"), at("sub/../d")], None, "the same file"),
            (vec![at("sub/../in.csv")], None, "is read by"),
            (vec![at("none/d")], None, "not there"),
            (vec![new.join("none/d")], Some(&new), "not there"),
            (vec![at("sub")], None, "is a folder"),
            (vec![], Some(&input), "is not a folder"),
        ] {
            assert!(looked(&outputs, out.map(PathBuf::as_path)).is_err_and(|e| e.contains(why)), "{outputs:?} {why}");
        }
    }

    #[test]
    fn all_or_nothing() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let good = folder.path().join("good");
        let files = |second: &str| vec![(good.clone(), b"new".to_vec()), (folder.path().join(second), vec![1])];
        std::fs::write(&good, "old").expect("the folder can be written");
        std::fs::create_dir(folder.path().join("taken")).expect("the folder can be written");
        for second in ["missing/file", "taken"] {
            assert!(write_files(&files(second)).is_err_and(|e| e.to_string().contains(second)));
            assert_eq!(std::fs::read(&good).expect("still there"), b"old");
        }
        #[cfg(unix)]
        {
            let fifo = std::process::Command::new("mkfifo").arg(folder.path().join("pipe")).status();
            assert!(fifo.is_ok_and(|status| status.success()), "mkfifo");
            assert!(write_files(&files("pipe")).is_err_and(|e| e.to_string().contains("not a regular file")));
            std::fs::remove_file(folder.path().join("pipe")).expect("the folder can be written");
            std::os::unix::fs::symlink(folder.path().join("taken/real"), folder.path().join("link")).expect("a link");
            assert!(write_files(&files("link")).is_err(), "it leads nowhere");
            std::fs::write(folder.path().join("taken/real"), "old").expect("the folder can be written");
            assert_eq!(std::fs::read(&good).expect("still there"), b"old");
            write_files(&files("link")).expect("the link leads to a file");
            assert_eq!(std::fs::read(folder.path().join("taken/real")).expect("there"), [1]);
            std::fs::remove_file(folder.path().join("link")).expect("the folder can be written");
        }
        write_files(&files("other")).expect("the folder can be written");
        assert_eq!(std::fs::read(&good).expect("there"), b"new");
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 3, "no temporary file is left");
    }
}
