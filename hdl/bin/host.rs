//! `host`: talks to a board over its UART, tests it, runs programs on it; and simulates one.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use bitline_kernel::error::{Error, visible};
use bitline_kernel::input;
use bitline_sim::data::output::{self, print, write_files};
use bitline_sim::data::source::is_standard;
use bitline_sim::host_link::board::Identity;
use bitline_sim::host_link::ccs::CcsPort;
use bitline_sim::host_link::program::BoardMachine;
use bitline_sim::host_link::self_test::{self, Effort};
use bitline_sim::host_link::simulate;
use bitline_sim::host_link::{Result, Session, Timing, launch, memory_test, place, throughput, transport};
use bitline_sim::job;
use bitline_units::ccs::COMMANDS;

use crate::bar::Bar;
use crate::called;
use crate::host_arguments::{
    Action, Cli, Form, Format, LaunchArgs, Link, MemoryTestArgs, SelfTestArgs, SimulateArgs, ThroughputArgs,
};
use crate::host_duality;

pub fn main(cli: &Cli) -> ExitCode {
    run(cli).unwrap_or_else(|error| {
        complain(format_args!("error: {error}"));
        error.advice().iter().for_each(|advice| complain(format_args!("  try: {advice}")));
        ExitCode::from(2)
    })
}

/// Writes a line to the standard error; if that fails, nobody can be told.
fn complain(line: std::fmt::Arguments<'_>) {
    let _ = writeln!(std::io::stderr(), "{}", visible(&line.to_string()));
}

fn run(cli: &Cli) -> Result<ExitCode> {
    match &cli.command {
        Action::Ports => ports(),
        Action::Info(form) => info(&cli.link, form),
        Action::SelfTest(args) => self_test(&cli.link, args),
        Action::MemoryTest(args) => memory_test(&cli.link, args),
        Action::Throughput(args) => throughput(&cli.link, args),
        Action::Read { address, count } => read(&cli.link, address, count),
        Action::Write { address, words } => write(&cli.link, address, words),
        Action::Load { address, file } => load(&cli.link, address, file),
        Action::Store { address, bytes, file } => store(&cli.link, address, bytes, file),
        Action::Run { file, out } => program(&cli.link, file, out.as_ref()),
        Action::Launch(args) => launch(&cli.link, args),
        Action::DualityLaunch(args) => host_duality::run(&cli.link, args),
        Action::Simulate(args) => simulate(&cli.link, args),
    }
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).expect("numbers and strings always serialise") + "\n"
}

fn verdict(passed: bool) -> ExitCode {
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn ports() -> Result<ExitCode> {
    print(&transport::ports().iter().map(|port| format!("{port}\n")).collect::<String>())?;
    Ok(ExitCode::SUCCESS)
}

fn info(link: &Link, form: &Form) -> Result<ExitCode> {
    let params = link.params()?;
    let mut session = Session::new(link.open(&params)?, Timing::of(&params, link.patience()?));
    let identity = Identity::of(&mut session)?;
    print(&match form.format {
        Format::Json => {
            let mut info = serde_json::to_value(identity).expect("numbers and strings always serialise");
            info["map"] = serde_json::to_value(place::parts(&params)).expect("numbers and strings always serialise");
            json(&info)
        }
        Format::Text => format!("{identity}\n{}", place::map(&params)),
    })?;
    // A board of another configuration is shown before it is refused.
    identity.check(&params)?;
    Ok(ExitCode::SUCCESS)
}

fn self_test(link: &Link, args: &SelfTestArgs) -> Result<ExitCode> {
    let mut board = link.connect()?;
    let effort = if args.quick { Effort::Quick } else { Effort::Full };
    let mut bar = Bar::new("steps");
    let report = self_test::run(&mut board, effort, args.seed, &mut |done, total| bar.at(done, total));
    bar.clear();
    let report = report?;
    print(&match args.form.format {
        Format::Json => report.json(),
        Format::Text if args.details => format!("{}\n{report}\n", report.details()),
        Format::Text => format!("{report}\n"),
    })?;
    report.failures().iter().for_each(|failure| complain(format_args!("failed: {failure}")));
    Ok(verdict(report.passed))
}

fn memory_test(link: &Link, args: &MemoryTestArgs) -> Result<ExitCode> {
    let mut board = link.connect()?;
    let mut bar = Bar::new("words");
    let most = args.bytes.unwrap_or(u64::MAX);
    let found = memory_test::run(&mut board, most, args.seed, &mut |done, total| bar.at(done, total));
    bar.clear();
    let found = found?;
    print(&match args.form.format {
        Format::Json => json(&found),
        Format::Text => memory_test::table(&found),
    })?;
    Ok(verdict(found.iter().all(|pattern| pattern.wrong == 0)))
}

fn throughput(link: &Link, args: &ThroughputArgs) -> Result<ExitCode> {
    let mut board = link.connect()?;
    let mut bar = Bar::new("requests");
    let measured = throughput::measure(&mut board, args.blocks as usize, &mut |done, total| bar.at(done, total));
    bar.clear();
    let measured = measured?;
    print(&match args.form.format {
        Format::Json => json(&measured),
        Format::Text => measured.to_string(),
    })?;
    Ok(verdict(measured.correct))
}

fn read(link: &Link, address: &str, count: &str) -> Result<ExitCode> {
    let (address, count) = (place::address(address)?, place::number("count", count)?);
    place::check(&link.params()?, address, 4 * u64::from(count))?;
    let words = link.connect()?.session.read(address, count as usize)?;
    let lines = words.iter().enumerate().map(|(i, word)| format!("{:#010x}  {word:#010x}\n", address + 4 * i as u32));
    print(&lines.collect::<String>())?;
    Ok(ExitCode::SUCCESS)
}

fn write(link: &Link, address: &str, words: &[String]) -> Result<ExitCode> {
    let address = place::address(address)?;
    let words: Vec<u32> =
        words.iter().map(|word| place::number("word", word)).collect::<bitline_kernel::error::Result<_>>()?;
    place::check(&link.params()?, address, 4 * words.len() as u64)?;
    link.connect()?.session.write(address, &words)?;
    Ok(ExitCode::SUCCESS)
}

fn load(link: &Link, address: &str, file: &Path) -> Result<ExitCode> {
    let address = place::address(address)?;
    let params = link.params()?;
    place::check(&params, address, 1)?;
    let bytes = input::bytes(file, place::room(&params, address))?;
    let mut bar = Bar::new("bytes");
    let done = link.connect()?.load(address, &bytes, &mut |done, total| bar.at(done, total));
    bar.clear();
    done?;
    print(&format!("{} bytes to {address:#010x}\n", bytes.len()))?;
    Ok(ExitCode::SUCCESS)
}

fn store(link: &Link, address: &str, bytes: &str, file: &Path) -> Result<ExitCode> {
    let (address, count) = (place::address(address)?, place::number("bytes", bytes)?);
    output::check(&[file], &[], None)?;
    place::check(&link.params()?, address, count.into())?;
    let mut bar = Bar::new("bytes");
    let stored = link.connect()?.store(address, count as usize, &mut |done, total| bar.at(done, total));
    bar.clear();
    write_files(&[(file.into(), stored?)])?;
    print(&format!("{count} bytes from {address:#010x}\nwrote {}\n", file.display()))?;
    Ok(ExitCode::SUCCESS)
}

fn program(link: &Link, file: &Path, out: Option<&PathBuf>) -> Result<ExitCode> {
    let source = job::read(file)?;
    let plan = job::plan(&source, &link.params()?.array, out.map(PathBuf::as_path))?;
    let inputs: Vec<&Path> = plan.inputs().iter().map(PathBuf::as_path).chain([file]).collect();
    output::check(&plan.outputs(), &inputs, out.map(PathBuf::as_path))?;
    let mut board = link.connect()?;
    let mut machine = BoardMachine::new(&mut board);
    let mut bar = Bar::new("commands");
    let outcome = job::run(&plan, &mut machine, &mut |done, total| bar.at(done, total));
    bar.clear();
    // What the line said comes before what came of it.
    if let Some(error) = machine.take_error() {
        return Err(error);
    }
    let outcome = outcome?;
    if outcome.failures.is_empty() {
        if let Some(folder) = out {
            std::fs::create_dir_all(folder).map_err(|e| Error::file(folder, e))?;
        }
        write_files(&outcome.files)?;
    }
    let mut text: String = outcome.printed.iter().map(|line| format!("{line}\n")).collect();
    text += &format!("{}\n", BoardMachine::report(&outcome.report));
    if outcome.failures.is_empty() {
        let files = outcome.files.iter().filter(|(path, _)| !is_standard(path));
        files.for_each(|(path, _)| text += &format!("wrote {}\n", path.display()));
    }
    // A result on the standard output is alone there.
    if plan.outputs().into_iter().any(is_standard) {
        complain(format_args!("{}", text.trim_end()));
    } else {
        print(&text)?;
    }
    outcome.failures.iter().for_each(|failure| complain(format_args!("failed: {failure}")));
    Ok(verdict(outcome.failures.is_empty()))
}

fn launch(link: &Link, args: &LaunchArgs) -> Result<ExitCode> {
    let number = |name: &str, text: &str| place::number(name, text);
    let Some(command) = COMMANDS.iter().find(|command| command.name.eq_ignore_ascii_case(&args.command)) else {
        let names: Vec<&str> = COMMANDS.iter().map(|command| command.name).collect();
        return Err(Error::parameter("command", &args.command, format!("must be one of {}", names.join(", "))).into());
    };
    let params = link.params()?;
    let asked = launch::Asked {
        bases: [number("a", &args.a)?, number("b", &args.b)?, number("r", &args.r)?],
        length: number("length", &args.length)?,
        constant: launch::constant(&args.constant, &params.ccs, args.unsigned)?,
        stride: args.stride,
        unsigned: args.unsigned,
        store: args.store,
    };
    asked.check(command, &params.ccs, place::bytes(&params, "ccs-memory"))?;
    let launch = asked.launch(command, &params.ccs);
    let mut board = link.connect()?;
    let ended = CcsPort::default().run(&mut board.session, &launch)?;
    print(&launch::describe(command, &ended, &params.ccs, args.unsigned)?)?;
    Ok(ExitCode::SUCCESS)
}

fn simulate(link: &Link, args: &SimulateArgs) -> Result<ExitCode> {
    let (params, mut wire) = match &args.rtl {
        Some(folder) => simulate::from_folder(folder)?,
        None => {
            let params = link.params()?;
            let wire = simulate::from_params(&params, args.engine, args.seed)?;
            (params, wire)
        }
    };
    let options = match (args.rtl.as_ref().or(link.folder.as_ref()), &link.config) {
        (Some(folder), _) => format!("--folder {}", folder.display()),
        (_, Some(path)) => format!("--config {} --clock {} --baud {}", path.display(), params.clock_mhz, params.baud),
        _ => format!("--preset {} --clock {} --baud {}", params.name, params.clock_mhz, params.baud),
    };
    let what = wire.name();
    let ready = &mut |port: &str| {
        let host = called("host");
        print(&format!("{what} on {port}\n{host} --port {port} {options} --timeout 600 self-test --quick\n"))
    };
    simulate::serve(wire.as_mut(), &params, ready, &AtomicBool::new(false))?;
    Ok(ExitCode::SUCCESS)
}
