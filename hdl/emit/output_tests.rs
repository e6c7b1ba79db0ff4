use super::*;
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder of its own for each test, removed at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Scratch {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("bitline-output-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path).unwrap();
        Scratch(path)
    }

    fn out(&self) -> PathBuf {
        self.0.join("out")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn files(list: &[(&str, &str)]) -> Files {
    let mut files = Files::default();
    list.iter().for_each(|(path, text)| files.add(*path, *text));
    files.add(MANIFEST, Listing::of(list.iter().map(|(path, _)| *path)).text());
    files
}

/// Everything below a folder, by path.
fn tree(folder: &Path) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    let mut rest = vec![folder.to_path_buf()];
    while let Some(at) = rest.pop() {
        for entry in fs::read_dir(&at).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().display().to_string();
            if path.is_dir() {
                rest.push(path);
                all.insert(name, "<folder>".into());
            } else {
                all.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    all
}

fn write_out(out: &Path, list: &[(&str, &str)]) -> Result<()> {
    plan(out, &files(list))?.install()
}

const OLD: &[(&str, &str)] = &[("a", "1"), ("rtl/b", "2"), ("gone/deep/c", "3")];
const NEW: &[(&str, &str)] = &[("a", "1"), ("rtl/b", "changed"), ("new/d", "4")];

#[test]
fn a_new_folder_and_a_rerun() {
    let scratch = Scratch::new();
    let out = scratch.0.join("x/y/out");
    write_out(&out, OLD).unwrap();
    assert_eq!(tree(&scratch.0.join("x/y")).keys().filter(|k| k.contains("bitline")).count(), 0);
    fs::write(out.join("vivado.log"), "mine").unwrap();
    fs::write(out.join("rtl/mine.v"), "mine").unwrap();
    let wanted = files(NEW);
    let plan = plan(&out, &wanted).unwrap();
    let change = |path: &str| plan.changes.iter().find(|c| c.0 == path).map(|c| c.1);
    assert_eq!(change("a"), Some(Change::Same));
    assert_eq!(change("rtl/b"), Some(Change::Changed));
    assert_eq!(change("new/d"), Some(Change::New));
    assert_eq!(change("gone/deep/c"), Some(Change::Removed));
    assert_eq!(change("rtl/mine.v"), None);
    let before = tree(&out);
    assert_eq!(before, tree(&out), "a plan changes nothing");
    plan.install().unwrap();
    let now = tree(&out);
    assert_eq!(now["rtl/b"], "changed");
    assert_eq!((now["vivado.log"].as_str(), now["rtl/mine.v"].as_str()), ("mine", "mine"));
    assert!(now.contains_key("new/d") && !now.keys().any(|k| k.starts_with("gone") || k.contains("stage")), "{now:?}");
    assert_eq!(now[MANIFEST], *wanted.get(MANIFEST).unwrap());
    write_out(&out, NEW).unwrap();
    assert_eq!(tree(&out), now, "twice gives the same");
}

#[test]
fn a_failure_at_any_step_leaves_the_old_output_whole() {
    let scratch = Scratch::new();
    let out = scratch.out();
    write_out(&out, OLD).unwrap();
    fs::write(out.join("mine"), "mine").unwrap();
    let before = tree(&out);
    let wanted = files(NEW);
    let mut steps = 0;
    loop {
        let mut left = steps;
        let result = plan(&out, &wanted).unwrap().install_with(&mut |_| {
            left -= 1;
            if left < 0 { Err(io::Error::other("disk on fire")) } else { Ok(()) }
        });
        let Err(error) = result else { break };
        assert!(error.to_string().contains("disk on fire"), "{error}");
        assert_eq!(tree(&out), before, "after {steps} steps");
        steps += 1;
    }
    assert_eq!(steps, 5, "manifest twice, two files written, one removed");
    assert_eq!(tree(&out)["rtl/b"], "changed");
}

#[test]
fn a_run_killed_half_way_is_repaired() {
    let scratch = Scratch::new();
    let out = scratch.out();
    write_out(&out, OLD).unwrap();
    // What is there after a kill between two renames: the interim manifest, one new file, the stage.
    let every = ["a", "rtl/b", "gone/deep/c", "new/d"];
    fs::write(out.join(MANIFEST), Listing::of(every.into_iter()).text()).unwrap();
    fs::create_dir(out.join("new")).unwrap();
    fs::write(out.join("new/d"), "4").unwrap();
    fs::create_dir_all(out.join(STAGE).join("old")).unwrap();
    write_out(&out, NEW).unwrap();
    let fresh = scratch.0.join("fresh");
    write_out(&fresh, NEW).unwrap();
    assert_eq!(tree(&out), tree(&fresh));
}

#[test]
fn a_failed_first_run_leaves_nothing() {
    let scratch = Scratch::new();
    let out = scratch.0.join("deep/er/out");
    let wanted = files(OLD);
    let failed = plan(&out, &wanted).unwrap().install_with(&mut |_| Err(io::Error::other("no")));
    assert!(failed.is_err());
    assert_eq!(tree(&scratch.0), BTreeMap::new());
}

#[test]
fn folders_of_others_are_refused() {
    let cases: [(&[(&str, &str)], &str); 6] = [
        (&[("notes.txt", "mine")], "is not empty and has no manifest.json of ours"),
        (&[(MANIFEST, "{\"name\":\"webapp\"}")], "no manifest of ours"),
        (&[(MANIFEST, "{\"tool\":\"bitline\",\"files\":[{\"pa")], "no manifest of ours"),
        (&[(MANIFEST, "{\"tool\":\"bitline\",\"files\":[{\"path\":\"../mine\"}]}")], "outside of the folder"),
        (&[(MANIFEST, "{\"tool\":\"bitline\",\"files\":[{\"path\":\"/etc/mine\"}]}")], "outside of the folder"),
        (&[(MANIFEST, "{\"tool\":\"bitline\",\"files\":[]}"), ("a", "mine")], "does not list it"),
    ];
    for (present, part) in cases {
        let scratch = Scratch::new();
        fs::create_dir(scratch.out()).unwrap();
        fs::write(scratch.0.join("mine"), "precious").unwrap();
        present.iter().for_each(|(path, text)| fs::write(scratch.out().join(path), text).unwrap());
        let before = tree(&scratch.0);
        let message = write_out(&scratch.out(), OLD).unwrap_err().to_string();
        assert!(message.contains(part) && message.contains("/out"), "{message}");
        assert_eq!(tree(&scratch.0), before);
    }
}

#[test]
fn an_empty_folder_is_taken() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.out()).unwrap();
    write_out(&scratch.out(), OLD).unwrap();
    assert_eq!(tree(&scratch.out())["rtl/b"], "2");
}

#[test]
fn a_path_that_cannot_hold_a_folder_is_named() {
    let scratch = Scratch::new();
    fs::write(scratch.0.join("file"), "x").unwrap();
    for out in ["file", "file/out", "file/deep/out"] {
        let message = write_out(&scratch.0.join(out), OLD).unwrap_err().to_string();
        assert!(message.contains("file"), "{message}");
    }
    assert_eq!(tree(&scratch.0).len(), 1);
}

#[cfg(unix)]
#[test]
fn symbolic_links_do_not_lead_out_of_the_folder() {
    use std::os::unix::fs::symlink;
    let scratch = Scratch::new();
    let outside = scratch.0.join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("b"), "precious").unwrap();
    // A file of ours that has become a link, a folder that has become one, and a link to nowhere as the output folder.
    for (link, to) in [("rtl", outside.clone()), ("rtl/b", outside.join("b")), ("a", outside.join("b"))] {
        let out = scratch.out();
        write_out(&out, OLD).unwrap();
        let place = out.join(link);
        let _ = fs::remove_dir_all(&place).or_else(|_| fs::remove_file(&place));
        symlink(&to, &place).unwrap();
        let message = write_out(&out, &[("a", "9"), ("rtl/b", "9")]).unwrap_err().to_string();
        assert!(message.contains("symbolic link") && message.contains(link), "{message}");
        assert_eq!(fs::read_to_string(outside.join("b")).unwrap(), "precious");
        fs::remove_dir_all(&out).unwrap();
    }
    symlink(scratch.0.join("nowhere"), scratch.out()).unwrap();
    assert!(write_out(&scratch.out(), OLD).is_err());
    assert!(!scratch.0.join("nowhere").exists());
}

#[test]
fn two_runs_do_not_meet_in_one_folder() {
    let scratch = Scratch::new();
    write_out(&scratch.out(), OLD).unwrap();
    let handle = File::open(scratch.out()).unwrap();
    handle.lock().unwrap();
    let message = write_out(&scratch.out(), NEW).unwrap_err().to_string();
    assert!(message.contains("another run"), "{message}");
    drop(handle);
    write_out(&scratch.out(), NEW).unwrap();
}

#[test]
#[should_panic(expected = "leaves the output folder")]
fn paths_that_leave_the_folder_are_bugs() {
    Files::default().add("rtl/../../x", "");
}

/// Files with a manifest that has their hashes, as `gen` writes it.
fn hashed(list: &[(&str, &str)]) -> Files {
    let mut files = Files::default();
    list.iter().for_each(|(path, text)| files.add(*path, *text));
    let mut listing = Listing::of(list.iter().map(|(path, _)| *path));
    listing.files.iter_mut().zip(list).for_each(|(file, (_, text))| file.hash = hexadecimal(fnv1a(text.as_bytes())));
    files.add(MANIFEST, listing.text());
    files
}

#[test]
fn edited_files_are_kept_under_another_name() {
    let scratch = Scratch::new();
    let out = scratch.out();
    plan(&out, &hashed(OLD)).unwrap().install().unwrap();
    for (path, text) in [("a", "mine"), ("gone/deep/c", "mine, too"), ("rtl/b", "changed"), ("rtl/b.orig", "older")] {
        fs::write(out.join(path), text).unwrap();
    }
    let wanted = hashed(NEW);
    let before = tree(&out);
    let planned = plan(&out, &wanted).unwrap();
    // What is there already as it will be needs no second name.
    let kept = [("a", "a.orig"), ("gone/deep/c", "gone/deep/c.orig")];
    assert_eq!(planned.kept, kept.map(|(path, copy)| (path.to_string(), copy.to_string())));
    // A failure at any step takes the names back.
    for steps in 0.. {
        let mut left = steps;
        let result = planned.install_with(&mut |_| {
            left -= 1;
            if left < 0 { Err(io::Error::other("disk on fire")) } else { Ok(()) }
        });
        if result.is_ok() {
            assert_eq!(steps, 7, "manifest twice, two kept, two written, one removed");
            break;
        }
        assert_eq!(tree(&out), before, "after {steps} steps");
    }
    let now = tree(&out);
    let texts = ["a", "a.orig", "gone/deep/c.orig", "rtl/b", "rtl/b.orig"].map(|path| now[path].as_str());
    assert_eq!(texts, ["1", "mine", "mine, too", "changed", "older"]);
    assert!(!now.contains_key("gone/deep/c"));
    // Edited again: the first copy stays.
    fs::write(out.join("a"), "mine again").unwrap();
    let again = plan(&out, &wanted).unwrap();
    assert_eq!(again.kept, [("a".to_string(), "a.orig.2".to_string())]);
    again.install().unwrap();
    assert_eq!((tree(&out)["a.orig"].as_str(), tree(&out)["a.orig.2"].as_str()), ("mine", "mine again"));
    assert!(plan(&out, &wanted).unwrap().kept.is_empty());
}

fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    for (path, text) in tree(from) {
        let place = to.join(path);
        if text == "<folder>" {
            fs::create_dir_all(place).unwrap();
        } else {
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            fs::write(place, text).unwrap();
        }
    }
}

/// What is on the disk before each rename is what a kill at that moment leaves. The next run, for the same files or for
/// others, makes of it what it makes of an empty folder, and keeps what was edited.
#[test]
fn a_kill_at_any_rename_is_repaired() {
    let scratch = Scratch::new();
    let out = scratch.out();
    plan(&out, &hashed(OLD)).unwrap().install().unwrap();
    fs::write(out.join("a"), "mine").unwrap();
    let wanted = hashed(NEW);
    let shots = std::cell::RefCell::new(Vec::new());
    let shoot = || {
        let shot = scratch.0.join(format!("shot-{}", shots.borrow().len()));
        copy(&out, &shot);
        shots.borrow_mut().push(shot);
    };
    let mut before = |_: &Path| {
        shoot();
        Ok(())
    };
    plan(&out, &wanted).unwrap().install_with(&mut before).unwrap();
    shoot();
    let shots = shots.into_inner();
    assert_eq!(shots.len(), 8, "before each rename, and at the end");
    let fresh = |list| {
        let fresh = scratch.0.join("fresh");
        let _ = fs::remove_dir_all(&fresh);
        plan(&fresh, &hashed(list)).unwrap().install().unwrap();
        tree(&fresh)
    };
    for shot in &shots {
        for list in [NEW, OLD] {
            let again = scratch.0.join("again");
            copy(shot, &again);
            plan(&again, &hashed(list)).unwrap().install().unwrap();
            let mut found = tree(&again);
            let mine = found.remove("a.orig");
            assert_eq!(mine.as_deref(), Some("mine"), "{}", shot.display());
            assert_eq!(found, fresh(list), "{}", shot.display());
        }
    }
}
