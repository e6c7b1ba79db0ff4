//! The ports of a design beside the signals of a board.

use serde::Serialize;

use crate::error::{Error, Result};
use crate::kernel::netlist::{Direction, Module, Port};
use bitline_units::boards::board::{Board, PinDirection, Signal};

/// A signal of the board as templates see it.
#[derive(Serialize)]
pub(super) struct Pins {
    pub(super) name: &'static str,
    pub(super) direction: &'static str,
    pub(super) range: String,
    pub(super) bits: usize,
    drive: Option<(&'static str, u32)>,
    low: bool,
    doc: &'static str,
    standard: &'static str,
    /// Port bit as Tcl writes it, and pin.
    pins: Vec<(String, &'static str)>,
}

impl Pins {
    pub(super) fn new(signal: &Signal) -> Pins {
        let bits = signal.pins.len();
        let bit = |i: usize| if bits == 1 { signal.name.to_string() } else { format!("{}[{i}]", signal.name) };
        Pins {
            name: signal.name,
            direction: if signal.direction == PinDirection::Input { "input " } else { "output" },
            range: range(bits),
            bits,
            drive: signal.drive,
            low: signal.low,
            doc: signal.doc,
            standard: signal.standard,
            pins: (0..bits).map(|i| (bit(i), signal.pins[i])).collect(),
        }
    }
}

fn range(bits: usize) -> String {
    if bits == 1 { String::new() } else { format!("[{}:0] ", bits - 1) }
}

/// A port of the design and what the board top connects it to.
#[derive(Serialize)]
pub(super) struct Connection {
    name: String,
    /// What is between its brackets.
    to: String,
    /// Wires that this needs: range and name.
    wires: Vec<(String, String)>,
}

/// The board's signals behind the ports of a design's top, and what each port is connected to.
///
/// # Errors
/// [`Error::Netlist`] if the board knows no signal for a port, or one of another direction or with more pins than the
/// port has bits.
pub(super) fn connect(top: &Module, board: &Board) -> Result<(Vec<Pins>, Vec<Connection>)> {
    let (mut pins, mut connections) = (Vec::new(), Vec::new());
    for port in &top.ports {
        let signal = signal(top, port, board)?;
        let net = top.net(port.net);
        connections.push(connection(&net.name, net.width as usize, port.direction, signal));
        pins.extend(signal.map(Pins::new));
    }
    Ok((pins, connections))
}

fn signal(top: &Module, port: &Port, board: &Board) -> Result<Option<&'static Signal>> {
    let net = top.net(port.net);
    let wrong = |rule: String| Err(Error::netlist(&top.name, &net.name, rule));
    if board.absent.contains(&net.name.as_str()) {
        return Ok(None);
    }
    let Some(signal) = board.signal(&net.name) else {
        return wrong(format!("board {} has no signal of this name", board.name));
    };
    let direction = if port.direction == Direction::Input { PinDirection::Input } else { PinDirection::Output };
    if signal.direction != direction || signal.pins.len() > net.width as usize {
        return wrong(format!("on board {} it is an {:?} of {} bits", board.name, signal.direction, signal.pins.len()));
    }
    Ok(Some(signal))
}

fn connection(name: &str, width: usize, direction: Direction, signal: Option<&Signal>) -> Connection {
    let (bits, low) = signal.map_or((0, false), |s| (s.pins.len(), s.low));
    let (to, wires) = match (direction == Direction::Input, signal, width - bits) {
        (true, None, _) => (format!("{width}'d0"), vec![]),
        (true, Some(_), spare) => {
            let inside = format!("{}{name}_sync", if low { "~" } else { "" });
            (if spare == 0 { inside } else { format!("{{{spare}'d0, {inside}}}") }, vec![])
        }
        (false, None, _) => (format!("unused_{name}"), vec![(range(width), format!("unused_{name}"))]),
        (false, Some(_), spare) => {
            let mut wires = Vec::new();
            let mut to = name.to_string();
            if low {
                to = format!("{name}_high");
                wires.push((range(bits), to.clone()));
            }
            if spare > 0 {
                wires.push((range(spare), format!("unused_{name}")));
                to = format!("{{unused_{name}, {to}}}");
            }
            (to, wires)
        }
    };
    Connection { name: name.into(), to, wires }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bitline_units::boards::{arty_a7, ecp5_evn, vc709};

    #[test]
    fn what_ports_are_connected_to() {
        let made = |board: &Board, name: &str, width: usize, direction| {
            let connection = connection(name, width, direction, board.signal(name));
            let wires: Vec<String> = connection.wires.iter().map(|(range, name)| format!("{range}{name}")).collect();
            (connection.to, wires.join(" "))
        };
        let all = [
            (&vc709::BOARD, "led", 8, Direction::Output, "led", ""),
            (&vc709::BOARD, "dip", 8, Direction::Input, "dip_sync", ""),
            (&arty_a7::BOARD, "led", 8, Direction::Output, "{unused_led, led}", "[3:0] unused_led"),
            (&arty_a7::BOARD, "button", 5, Direction::Input, "{1'd0, button_sync}", ""),
            (&arty_a7::BOARD, "uart_rts", 1, Direction::Input, "1'd0", ""),
            (&arty_a7::BOARD, "fan_pwm", 1, Direction::Output, "unused_fan_pwm", "unused_fan_pwm"),
            (&ecp5_evn::BOARD, "led", 8, Direction::Output, "led_high", "[7:0] led_high"),
            (&ecp5_evn::BOARD, "button", 5, Direction::Input, "{4'd0, ~button_sync}", ""),
        ];
        for (board, name, width, direction, to, wires) in all {
            let want = (to.to_string(), wires.to_string());
            assert_eq!(made(board, name, width, direction), want, "{} of {}", name, board.name);
        }
    }
}
