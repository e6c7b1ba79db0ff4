//! `sim regress`: campaigns on the cores of a machine, in shards, or under Slurm.

use std::ffi::OsString;
use std::io::Write;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bitline_kernel::error::{Error, Result};
use bitline_sim::data::output::{print, write_files};
use bitline_sim::regress::choice::Choice;
use bitline_sim::regress::designs::Designs;
use bitline_sim::regress::report::{Report, Suite, Trouble, html, junit};
use bitline_sim::regress::results::{self, Appender};
use bitline_sim::regress::slurm::{Submission, submit};
use bitline_sim::regress::{Case, Merged, Plan, Request, Shard, Status, campaigns, merge, run};
use clap::{Args, Subcommand};

use crate::bar::Bar;

/// The sources that the program was built from.
const COMMIT: &str = env!("BITLINE_COMMIT");

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct RegressArgs {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Subcommand)]
enum Action {
    /// List the campaigns: what they drive, their sizes and presets
    List,
    /// Write a plan, for shards to run with --plan
    Plan(PlanArgs),
    /// Merge results files, each case once, and report
    Merge(MergeArgs),
}

#[derive(Args)]
struct SelectArgs {
    /// Campaigns, or units for all of theirs; those that are usual unless given
    #[arg(long, value_delimiter = ',')]
    campaign: Vec<String>,
    /// Presets, or all; tiny unless given
    #[arg(long, value_delimiter = ',')]
    preset: Vec<String>,
    /// Engines: native, reference, verilator, icarus; native unless given
    #[arg(long, value_delimiter = ',')]
    engine: Vec<String>,
    /// First seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of seeds
    #[arg(long, default_value_t = 10)]
    seeds: u64,
    /// Size of each case, in what its campaign counts; the usual one unless given
    #[arg(long)]
    size: Option<u64>,
}

#[derive(Args)]
struct PlanArgs {
    #[command(flatten)]
    select: SelectArgs,
    /// The plan's file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

#[derive(Args)]
struct ReportArgs {
    /// Write a report as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write a report as a page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

#[derive(Args)]
struct MergeArgs {
    /// Results files
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The plan that they must be of; that of the first file unless given
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
    #[command(flatten)]
    report: ReportArgs,
}

#[derive(Args)]
struct RunArgs {
    #[command(flatten)]
    select: SelectArgs,
    /// Run this plan's cases
    #[arg(long, value_name = "FILE", conflicts_with_all = ["campaign", "preset", "engine", "seed", "seeds", "size"])]
    plan: Option<PathBuf>,
    /// Only the i-th of n parts of the plan
    #[arg(long, value_name = "I/N")]
    shard: Option<String>,
    /// Cases that run at a time; one for each core unless given (--slurm: one)
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    jobs: Option<u64>,
    /// Append each finished case to this file, and go on from what it holds
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,
    /// Results of earlier runs, whose cases need not run again
    #[arg(long, value_name = "FILE")]
    done: Vec<PathBuf>,
    /// Stop at the first failure
    #[arg(long)]
    stop: bool,
    #[command(flatten)]
    report: ReportArgs,
    /// Folder in which simulators are built, and found again
    #[arg(long, value_name = "DIR", default_value = "build/simulators")]
    simulators: PathBuf,
    /// Submit to Slurm: an array job with a task for each shard, and a job that merges
    #[arg(long, requires = "shared", conflicts_with_all = ["shard", "results", "done", "stop", "junit", "html"])]
    slurm: bool,
    /// Folder that all of Slurm's nodes see: plan, scripts, results, reports, simulators
    #[arg(long, value_name = "DIR", requires = "slurm")]
    shared: Option<PathBuf>,
    /// Number of shards under Slurm
    #[arg(long, default_value_t = 20, requires = "slurm", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    shards: u32,
    /// One more option for sbatch, such as --sbatch=--partition=long; may be repeated
    #[arg(long, value_name = "OPTION", requires = "slurm")]
    sbatch: Vec<String>,
    /// Wait until Slurm has merged; the exit status is then that of the merge
    #[arg(long, requires = "slurm")]
    wait: bool,
}

impl SelectArgs {
    fn request(&self) -> Request {
        Request {
            campaigns: self.campaign.clone(),
            presets: self.preset.clone(),
            engines: self.engine.clone(),
            seed: self.seed,
            seeds: self.seeds,
            size: self.size,
        }
    }
}

/// `sim regress`: 0 if every case has passed, 1 if one has failed or has not run.
///
/// # Errors
/// For what the user gave wrong, tools and files that are not there, and cases that could not run.
pub fn regress(args: &RegressArgs) -> Result<ExitCode> {
    match &args.action {
        Some(Action::List) => print(&campaigns::table()).map(|()| ExitCode::SUCCESS),
        Some(Action::Plan(args)) => {
            let plan = Plan::new(&args.select.request(), COMMIT)?;
            plan.write(&args.out)?;
            print(&format!("{}: {} cases, plan {}\n", args.out.display(), plan.cases.len(), plan.header.plan))?;
            Ok(ExitCode::SUCCESS)
        }
        Some(Action::Merge(args)) => {
            let plan = args.plan.as_ref().map(|path| Plan::read(path, COMMIT)).transpose()?;
            let (plan, merged) = merge(plan, &args.files, COMMIT)?;
            finish(&plan, Shard::WHOLE, &merged, &args.report)
        }
        None => start(&args.run),
    }
}

/// Writes a line to the standard error; if that fails, nobody can be told.
fn complain(line: std::fmt::Arguments<'_>) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

fn start(args: &RunArgs) -> Result<ExitCode> {
    let plan = match &args.plan {
        Some(path) => Plan::read(path, COMMIT)?,
        None => Plan::new(&args.select.request(), COMMIT)?,
    };
    match &args.shared {
        Some(shared) => queue(args, &plan, shared),
        None => here(args, &plan),
    }
}

fn queue(args: &RunArgs, plan: &Plan, shared: &Path) -> Result<ExitCode> {
    // By its whole name, since nodes have their own search path; and as it was called, up to `regress`.
    let program = std::env::current_exe().map_err(|e| Error::file("sim", e))?;
    let before = std::env::args_os().skip(1).take_while(|word| word != "regress");
    let program: Vec<OsString> = std::iter::once(program.into_os_string()).chain(before).collect();
    let submission = Submission {
        shared: shared.into(),
        program,
        // A task without a case would be for nothing.
        shards: args.shards.min(plan.cases.len() as u32),
        jobs: args.jobs.unwrap_or(1) as usize,
        options: args.sbatch.clone(),
        wait: args.wait,
    };
    let submitted = submit(plan, &submission)?;
    let (cases, shards, shared) = (plan.cases.len(), submission.shards, shared.display());
    print(&format!(
        "{cases} cases in {shards} shards: array job {}, merge job {}; results in {shared}, \
         report in {shared}/report.html\n",
        submitted.array, submitted.merge
    ))?;
    match submitted.status {
        None | Some(0) => Ok(ExitCode::SUCCESS),
        Some(1) => Ok(ExitCode::FAILURE),
        Some(status) => {
            let reason = format!("ended with status {status}; {shared}/log/merge.txt has what it said");
            Err(Error::Tool { tool: format!("merge job {}", submitted.merge), reason })
        }
    }
}

fn here(args: &RunArgs, plan: &Plan) -> Result<ExitCode> {
    let shard = args.shard.as_ref().map_or(Ok(Shard::WHOLE), |text| text.parse())?;
    let mut merged = Merged::new(plan);
    for path in &args.done {
        merged.add_file(path, &results::read_of(path, plan)?)?;
    }
    let mut appender = None;
    if let Some(path) = &args.results {
        let (file, contents) = Appender::open(path, plan)?;
        // A file that this run has begun holds nothing, and nobody needs to be told.
        if contents.header.is_some() || contents.torn > 0 {
            merged.add_file(path, &contents)?;
        }
        appender = Some(file);
    }
    let open: Vec<&Case> = merged.open(plan).into_iter().filter(|case| shard.has(case)).collect();
    let all = plan.cases.iter().filter(|case| shard.has(case)).count();
    if open.len() < all {
        complain(format_args!("{} of {all} cases have results already", all - open.len()));
    }
    for choice in Choice::ALL.into_iter().filter(|choice| open.iter().any(|case| case.engine == choice.name())) {
        choice.available()?;
    }
    let cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
    let jobs = args.jobs.map_or_else(cores, |jobs| jobs as usize);
    let designs = Designs::new(args.simulators.clone());
    let mut bar = Bar::new("cases");
    let (mut done, mut failed) = (0, false);
    let outcome = run::run(&open, jobs, &|case| run::one(case, &designs), &mut |case, record| {
        if let Some(appender) = &mut appender {
            appender.append(&record)?;
        }
        done += 1;
        bar.at(done, open.len() as u64);
        if let Some(trouble) = Trouble::of(case, &record).filter(|_| !failed) {
            // The others are in the report: the first one may be all that is wanted.
            failed = record.status == Status::Failed;
            bar.clear();
            complain(format_args!("{trouble}"));
            bar = Bar::new("cases");
        }
        merged.add(&record).unwrap_or_else(|_| unreachable!("cases with a final result do not run again"));
        Ok(!(args.stop && failed))
    });
    bar.clear();
    outcome?;
    appender.map_or(Ok(()), |mut appender| appender.sync())?;
    finish(plan, shard, &merged, &args.report)
}

/// Prints and writes the report of a plan's shard.
fn finish(plan: &Plan, shard: Shard, merged: &Merged, args: &ReportArgs) -> Result<ExitCode> {
    let cases = || plan.cases.iter().filter(|case| shard.has(case));
    let report = Report::new(plan, cases(), merged);
    let mut files = Vec::new();
    if let Some(path) = &args.junit {
        files.push((path.clone(), junit(plan, cases(), merged).into_bytes()));
    }
    if let Some(path) = &args.html {
        files.push((path.clone(), html(&report).into_bytes()));
    }
    write_files(&files)?;
    print(&report.text())?;
    let Suite { failed, errors, .. } = report.total;
    if errors > 0 && failed == 0 {
        let reason = format!("{errors} cases could not run; the same command runs them again");
        return Err(Error::Tool { tool: "regress".into(), reason });
    }
    Ok(if report.passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
