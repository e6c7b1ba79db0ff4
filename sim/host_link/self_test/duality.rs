//! Kernels of the Duality Cache, written by hand, on data from the seed: memory must be what plain Rust says.

use bitline_units::duality::isa::assemble::assemble;

use super::{Outcome, Tester};
use crate::host_link::duality::DualityPort;
use crate::host_link::error::{LinkError, Result};
use crate::host_link::place;
use crate::units::duality::kernels::{KERNELS, Kernel, Places};
use crate::units::duality::launching::Ended;
use crate::units::duality::machine::Mode;

/// Kernels of the quick test: threads that do not take part, the shared window, atomic operations, binary32.
const QUICK: [&str; 4] = ["vecadd", "pathfinder", "histogram", "nn"];
/// A page of the address space that is none of memory.
const BASE: u32 = 0x0040_0000;
/// Into so many parts of memory vectors, windows and program go.
const PARTS: u32 = 8;

/// A kernel and how words leave.
#[derive(Clone, Copy)]
pub struct Planned {
    kernel: &'static Kernel,
    mode: Mode,
}

/// Everything to run; nothing on a board without the unit.
pub fn plan(t: &mut Tester) -> Vec<Planned> {
    if t.board.params.duality.is_none() {
        return Vec::new();
    }
    let full = t.full();
    let kernels = KERNELS.iter().filter(|kernel| full || QUICK.contains(&kernel.name));
    let modes = if full { &[Mode::Decoupled, Mode::Lockstep][..] } else { &[Mode::Decoupled][..] };
    t.report.kernels = Some([0, KERNELS.len()]);
    kernels.flat_map(|kernel| modes.iter().map(move |&mode| Planned { kernel, mode })).collect()
}

/// The part.
pub fn test(t: &mut Tester, planned: &[Planned]) -> Result<()> {
    if planned.is_empty() {
        return Ok(());
    }
    let mut port = DualityPort::new(&t.board.params)?;
    for &one in planned {
        kernel(t, &mut port, one)?;
        t.step();
    }
    Ok(())
}

/// A kernel in one mode.
fn kernel(t: &mut Tester, port: &mut DualityPort, Planned { kernel, mode }: Planned) -> Result<()> {
    let (unit, seed) = (port.unit().clone(), t.report.seed);
    let part = (place::bytes(&t.board.params, "duality-memory") as u32 / PARTS) & !63;
    // Where there is room enough nothing of it meets something else.
    let needed: u32 = kernel.task(&unit, seed).memory.spans().map(|span| span.bytes.end - span.bytes.start).sum();
    if needed > part {
        t.report.left_out.insert(format!("{}: its data have no room in the Duality Cache's memory", kernel.name));
        return Ok(());
    }
    let mut task = kernel.task_at(&unit, seed, Places::close(BASE, part));
    let program = assemble(kernel.text, kernel.name, &unit)?;
    let mut outcome: Outcome = Ok(());
    for launch in &task.launches {
        let ran = port.run(&mut t.board.session, &program, launch, &mut task.memory, mode);
        match ran {
            Ok((Ended::Code(0), _)) => {}
            Ok((Ended::Code(code), _)) => outcome = outcome.and(Err(format!("ends with code {code}"))),
            Ok((Ended::Stopped(stop), _)) => outcome = outcome.and(Err(format!("is stopped: {stop}"))),
            Err(error @ (LinkError::Stuck { .. } | LinkError::Command { .. })) => {
                outcome = outcome.and(Err(error.to_string()));
            }
            Err(error) => return Err(error),
        }
        if outcome.is_err() {
            break;
        }
    }
    let mut words = 0;
    for (at, expected) in &task.expected {
        words += expected.len() as u64;
        let seen = task.memory.words(*at, expected.len());
        if let Some(i) = (0..seen.len()).find(|&i| seen[i] != expected[i]) {
            let what = format!("word {i} from {at:#x} on");
            outcome = outcome.and(super::same(&what, seen[i], expected[i]));
        }
    }
    let form = if mode == Mode::Lockstep { "lockstep" } else { "decoupled" };
    t.record("duality", kernel.name, form, words, outcome);
    Ok(())
}
