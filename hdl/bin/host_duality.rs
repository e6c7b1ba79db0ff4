//! `host duality-launch`: a program of the Duality Cache, launched on a board.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bitline_kernel::error::{Error, Result as Checked};
use bitline_kernel::input::{self, TEXT_BYTES};
use bitline_sim::data::output::{self, print, write_files};
use bitline_sim::host_link::duality::DualityPort;
use bitline_sim::host_link::{LinkError, Result, place};
use bitline_sim::model::duality::{FlatMemory, Launch};
use bitline_sim::units::duality::launching::{Counts, Ended};
use bitline_units::duality::isa::Program;
use clap::Args;

use crate::cuda::triple;
use crate::duality::WordMode;
use crate::host_arguments::{Form, Format, Link};

#[derive(Args)]
pub struct DualityLaunchArgs {
    #[command(flatten)]
    form: Form,
    /// Program file (.dcp), as `sim duality-asm --out` and `sim cuda --emit` write it
    program: PathBuf,
    /// CTAs: X,Y,Z; Y and Z are 1 unless given
    #[arg(long, default_value = "1", value_parser = triple)]
    grid: [u32; 3],
    /// Threads of a CTA: X,Y,Z; Y and Z are 1 unless given
    #[arg(long, default_value = "1", value_parser = triple)]
    block: [u32; 3],
    /// A parameter, in order: a word, decimal or with 0x
    #[arg(long, value_name = "WORD")]
    parameter: Vec<String>,
    /// A file's bytes, at an address as threads see it
    #[arg(long, value_name = "ADDRESS:FILE")]
    load: Vec<String>,
    /// So many zeros, at an address as threads see it
    #[arg(long, value_name = "ADDRESS:BYTES")]
    zero: Vec<String>,
    /// Write so many bytes from an address on when the launch has ended
    #[arg(long, value_name = "ADDRESS:BYTES:FILE")]
    store: Vec<String>,
    /// Shared windows: where they are, and bytes of each, multiples of 64
    #[arg(long, value_name = "ADDRESS:BYTES")]
    shared: Option<String>,
    /// Spill rows: where they are, a multiple of 64, and how many
    #[arg(long, value_name = "ADDRESS:ROWS")]
    spill: Option<String>,
    /// How words leave the dispatcher
    #[arg(long, value_enum, default_value = "decoupled")]
    mode: WordMode,
}

/// The parts of an option's value, the first of them an address.
fn parts<'a>(option: &str, form: &str, text: &'a str) -> Checked<(u32, &'a str)> {
    let wrong = || Error::parameter(option, text, format!("must be {form}"));
    let (address, rest) = text.split_once(':').filter(|(_, rest)| !rest.is_empty()).ok_or_else(wrong)?;
    Ok((place::number(option, address)?, rest))
}

fn pair(option: &str, form: &str, text: &str) -> Checked<(u32, u32)> {
    let (address, number) = parts(option, form, text)?;
    Ok((address, place::number(option, number)?))
}

/// A file that bytes of memory go to.
struct Stored {
    address: u32,
    bytes: u32,
    file: PathBuf,
}

impl DualityLaunchArgs {
    fn stores(&self) -> Checked<Vec<Stored>> {
        let form = "ADDRESS:BYTES:FILE";
        let one = |text: &String| {
            let (address, rest) = parts("store", form, text)?;
            let (bytes, file) = parts("store", form, rest)?;
            if u64::from(address) + u64::from(bytes) > 1 << 32 {
                return Err(Error::parameter("store", text, "must end within 32 bits of address"));
            }
            Ok(Stored { address, bytes, file: file.into() })
        };
        self.store.iter().map(one).collect()
    }

    /// What threads find in memory, of which there are so many bytes.
    fn memory(&self, room: u64) -> Checked<FlatMemory> {
        let mut memory = FlatMemory::default();
        let mut map = |option: &str, text: &str, address: u32, bytes: u64| {
            if bytes == 0 || bytes > room || u64::from(address) + bytes > 1 << 32 {
                let rule =
                    format!("must be 1 to {room} bytes, which the board's memory has, within 32 bits of address");
                return Err(Error::parameter(option, text, rule));
            }
            memory.map(address, bytes as u32, true);
            Ok(())
        };
        for text in &self.zero {
            let (address, bytes) = pair("zero", "ADDRESS:BYTES", text)?;
            map("zero", text, address, bytes.into())?;
        }
        let mut files = Vec::new();
        for text in &self.load {
            let (address, file) = parts("load", "ADDRESS:FILE", text)?;
            let bytes = input::bytes(Path::new(file), room)?;
            map("load", text, address, bytes.len() as u64)?;
            files.push((address, bytes));
        }
        for (address, bytes) in files {
            (address..).zip(bytes).for_each(|(at, byte)| memory.write(at, 1, byte.into()));
        }
        Ok(memory)
    }

    fn launch(&self) -> Checked<Launch> {
        let parameters = self.parameter.iter().map(|word| place::number("parameter", word)).collect::<Checked<_>>()?;
        let at = |option: &str, form: &str, text: &Option<String>| {
            text.as_ref().map_or(Ok((0, 0)), |text| pair(option, form, text))
        };
        let (shared_base, shared_bytes) = at("shared", "ADDRESS:BYTES", &self.shared)?;
        let (spill_base, spill_rows) = at("spill", "ADDRESS:ROWS", &self.spill)?;
        let (grid, block) = (self.grid, self.block);
        Ok(Launch { grid, block, parameters, shared_bytes, shared_base, spill_base, spill_rows })
    }
}

/// Runs it.
pub fn run(link: &Link, args: &DualityLaunchArgs) -> Result<ExitCode> {
    let params = link.params()?;
    let mut port = DualityPort::new(&params)?;
    let unit = port.unit().clone();
    let stores = args.stores()?;
    let origin = args.program.display().to_string();
    let program = Program::from_bytes(&input::bytes(&args.program, TEXT_BYTES)?, &origin, &unit)?;
    let launch = args.launch()?;
    launch.check(&unit, program.arrays)?;
    let outputs: Vec<&Path> = stores.iter().map(|stored| stored.file.as_path()).collect();
    output::check(&outputs, &[&args.program], None)?;
    let mut memory = args.memory(place::bytes(&params, "duality-memory"))?;
    // Windows and spill rows are memory, too.
    let threads = unit.threads(program.arrays) as u32;
    let windows = u64::from(threads) / launch.cta() * u64::from(launch.shared_bytes);
    memory.map(launch.shared_base, windows as u32, true);
    memory.map(launch.spill_base, launch.spill_rows * threads / 8, true);
    let mut board = link.connect()?;
    let (ended, counts) = port.run(&mut board.session, &program, &launch, &mut memory, args.mode.into())?;
    let code = match ended {
        Ended::Code(code) => code,
        Ended::Stopped(stop) => {
            let code = stop.trap.map_or(0, |trap| trap.code());
            return Err(LinkError::Command { command: program.name, code, reason: stop.to_string() });
        }
    };
    let files = stores.iter().map(|stored| {
        let bytes = (stored.address..).take(stored.bytes as usize).map(|at| memory.read(at, 1) as u8);
        (stored.file.clone(), bytes.collect::<Vec<u8>>())
    });
    write_files(&files.collect::<Vec<_>>())?;
    print(&match args.form.format {
        Format::Json => json(&program, code, &counts),
        Format::Text => text(&program, code, &counts, &stores),
    })?;
    Ok(if code == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn text(program: &Program, code: u64, counts: &Counts, stores: &[Stored]) -> String {
    let [hits, misses, merges] = counts.requests;
    let mut text = format!(
        "{}: ended with code {code}\n{} cycles in {} waves, in {} a word of memory at work\n{hits} requests found \
         their line, {misses} asked memory for it, {merges} waited for one that was fetched; {} lines written back\n",
        program.name, counts.cycles, counts.waves, counts.memory, counts.written_back
    );
    stores.iter().for_each(|stored| text += &format!("wrote {}\n", stored.file.display()));
    text
}

fn json(program: &Program, code: u64, counts: &Counts) -> String {
    let [hits, misses, merges] = counts.requests;
    let value = serde_json::json!({
        "program": program.name,
        "code": code,
        "cycles": counts.cycles,
        "waves": counts.waves,
        "word_of_memory_cycles": counts.memory,
        "hits": hits,
        "misses": misses,
        "merges": merges,
        "written_back": counts.written_back,
    });
    serde_json::to_string_pretty(&value).expect("numbers and strings always serialise") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_an_address_and_more() {
        assert_eq!(pair("zero", "ADDRESS:BYTES", "0x10000:64").expect("legal"), (0x1_0000, 64));
        assert_eq!(parts("load", "ADDRESS:FILE", "16:a:b").expect("legal"), (16, "a:b"));
        for text in ["", "16", "16:", "x:4"] {
            let error = parts("load", "ADDRESS:FILE", text).expect_err(text).to_string();
            assert!(error.starts_with("load = "), "{error}");
        }
    }
}
