//! A regression as a Slurm array job: a task for each shard, results in a folder that all nodes see, and a job behind
//! them that merges.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::plan::{MOST_CASES, Plan};
use crate::data::output::write_files;
use crate::error::{Error, Result};

/// Scripts of the array's tasks and of the merge.
const SHARD: &str = include_str!("../templates/regress/shard.sh.tera");
const MERGE: &str = include_str!("../templates/regress/merge.sh.tera");

/// How to submit.
#[derive(Clone, Debug)]
pub struct Submission {
    /// Folder that all nodes see under this name.
    pub shared: PathBuf,
    /// The program that runs shards and merges, which all nodes see, and its words before `regress`.
    pub program: Vec<OsString>,
    /// Number of shards.
    pub shards: u32,
    /// Cores of each.
    pub jobs: usize,
    /// More options for `sbatch`.
    pub options: Vec<String>,
    /// Waits until the merge has ended.
    pub wait: bool,
}

/// What was submitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submitted {
    /// Number of the array job.
    pub array: String,
    /// Number of the merge.
    pub merge: String,
    /// Exit status of the merge, if it was waited for.
    pub status: Option<i32>,
}

/// Text as one word for the shell.
fn quoted(word: &OsStr) -> Result<String> {
    let text = word.to_str().ok_or_else(|| Error::file(word, "has a name that is no text"))?;
    Ok(format!("'{}'", text.replace('\'', "'\\''")))
}

fn script(template: &str, submission: &Submission) -> Result<String> {
    let mut context = tera::Context::new();
    let program: Vec<String> = submission.program.iter().map(|word| quoted(word)).collect::<Result<_>>()?;
    context.insert("shared", &quoted(submission.shared.as_os_str())?);
    context.insert("program", &program.join(" "));
    context.insert("count", &submission.shards);
    context.insert("jobs", &submission.jobs);
    // Our own template: quoted by ourselves, broken by us only.
    Ok(tera::Tera::one_off(template, &context, false).unwrap_or_else(|e| panic!("a template of scripts: {e:?}")))
}

/// Runs `sbatch`; its status, and what it printed.
fn sbatch(arguments: &[String]) -> Result<(Option<i32>, String)> {
    let fail = |reason: String| Error::Tool { tool: "sbatch".into(), reason };
    let output = Command::new("sbatch").args(arguments).stdin(Stdio::null()).output().map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => {
            fail("is not installed: --slurm needs a machine on which Slurm takes jobs; --shard i/n needs none".into())
        }
        _ => fail(format!("cannot be started: {e}")),
    })?;
    let printed = String::from_utf8_lossy(&output.stdout).trim().to_string();
    // A job that was waited for passes its own status on; a number shows that it was taken.
    if !output.status.success() && job(&printed).is_none() {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_string();
        return Err(fail(format!("{} refuses ({}): {said}", arguments.join(" "), output.status)));
    }
    Ok((output.status.code(), printed))
}

/// The job's number in what `sbatch --parsable` prints: a cluster's name may follow it.
fn job(printed: &str) -> Option<String> {
    let number = printed.lines().last()?.split(';').next()?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then(|| number.to_string())
}

fn number(printed: &str) -> Result<String> {
    let reason = || format!("printed {printed:?}, which is no job's number");
    job(printed).ok_or_else(|| Error::Tool { tool: "sbatch".into(), reason: reason() })
}

/// Writes plan and scripts into the shared folder.
fn prepare(plan: &Plan, submission: &Submission) -> Result<()> {
    let shared = &submission.shared;
    let at = shared.join("plan.json");
    if at.exists() {
        // Results of the same plan go on; those of another one stay as they are.
        let known = Plan::read(&at, &plan.header.commit)?;
        plan.header.agrees(&known.header, &at)?;
    }
    std::fs::create_dir_all(shared.join("log")).map_err(|e| Error::file(shared, e))?;
    let files = [
        (shared.join("shard.sh"), script(SHARD, submission)?.into_bytes()),
        (shared.join("merge.sh"), script(MERGE, submission)?.into_bytes()),
    ];
    write_files(&files)?;
    plan.write(&at)
}

/// Submits a plan: an array job, and a merge that begins when all its tasks have ended.
///
/// # Errors
/// [`Error::Parameter`] for a number of shards that cannot be, [`Error::File`] if the shared folder cannot be written
/// or holds another regression, [`Error::Tool`] if Slurm is not there or refuses.
pub fn submit(plan: &Plan, submission: &Submission) -> Result<Submitted> {
    if !(1..=MOST_CASES).contains(&u64::from(submission.shards)) {
        return Err(Error::parameter("shards", submission.shards, format!("must be 1 to {MOST_CASES}")));
    }
    std::fs::create_dir_all(&submission.shared).map_err(|e| Error::file(&submission.shared, e))?;
    // Tasks begin in folders of their own choice.
    let shared = submission.shared.canonicalize().map_err(|e| Error::file(&submission.shared, e))?;
    let submission = Submission { shared, ..submission.clone() };
    prepare(plan, &submission)?;
    let path = |name: &str| submission.shared.join(name).display().to_string();
    let common = |name: &str, log: &str| {
        let mut arguments = vec!["--parsable".into(), format!("--job-name=bitline-{name}")];
        arguments.push(format!("--output={}", path(&format!("log/{log}"))));
        arguments.push(format!("--chdir={}", submission.shared.display()));
        arguments.extend(submission.options.iter().cloned());
        arguments
    };
    let mut arguments = common("regress", "shard-%a.txt");
    arguments.extend(["--requeue".into(), "--open-mode=append".into()]);
    arguments.push(format!("--array=1-{}", submission.shards));
    arguments.push(format!("--cpus-per-task={}", submission.jobs));
    arguments.push(path("shard.sh"));
    let array = number(&sbatch(&arguments)?.1)?;
    let mut arguments = common("merge", "merge.txt");
    arguments.push(format!("--dependency=afterany:{array}"));
    if submission.wait {
        arguments.push("--wait".into());
    }
    arguments.push(path("merge.sh"));
    match sbatch(&arguments).and_then(|(status, printed)| Ok((status, number(&printed)?))) {
        Ok((status, merge)) => Ok(Submitted { array, merge, status: status.filter(|_| submission.wait) }),
        Err(e) => {
            // Nobody would merge its results. If it cannot be cancelled either, the message names it.
            let cancelled = Command::new("scancel").arg(&array).status().is_ok_and(|status| status.success());
            let state = if cancelled { "was cancelled" } else { "could not be cancelled" };
            Err(Error::Tool { tool: "sbatch".into(), reason: format!("{e}; array job {array} {state}") })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted() {
        assert_eq!(quoted(OsStr::new("/a b/it's")).expect("text"), "'/a b/it'\\''s'");
    }

    #[test]
    fn jobs_have_numbers() {
        assert_eq!(number("17").expect("a number"), "17");
        assert_eq!(number("17;cluster").expect("a number"), "17");
        assert!(number("").is_err() && number("queued").is_err());
    }
}
