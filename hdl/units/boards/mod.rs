//! The boards: a file with a record each, and a line in the list.

use crate::boards::board::Board;

pub mod arty_a7;
pub mod board;
pub mod ecp5_evn;
pub mod vc709;

/// Every board.
pub const BOARDS: &[&Board] = &[&vc709::BOARD, &arty_a7::BOARD, &ecp5_evn::BOARD];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boards::board::PinDirection;
    use std::collections::HashSet;

    #[test]
    fn every_pin_is_used_once_and_looks_like_one() {
        for board in BOARDS {
            let mut pins: Vec<&str> = board.clock.pins.to_vec();
            assert_eq!(pins.len(), board.clock.ports.len());
            pins.extend(board.reset.pins);
            pins.extend(board.signals.iter().flat_map(|s| s.pins));
            pins.extend(board.pcie.iter().flat_map(|p| p.clock_pins.iter().chain(p.reset.pins)));
            let mut seen = HashSet::new();
            for pin in pins {
                assert!(seen.insert(pin), "{}: {pin} twice", board.name);
                let letters = pin.chars().take_while(char::is_ascii_uppercase).count();
                assert!((1..=2).contains(&letters) && pin[letters..].parse::<u8>().is_ok(), "{pin}");
            }
        }
    }

    #[test]
    fn drive_is_for_outputs() {
        for board in BOARDS {
            assert!(board.signals.iter().all(|s| s.drive.is_none() || s.direction == PinDirection::Output));
            assert!(board.absent.iter().all(|name| board.signal(name).is_none()), "{}", board.name);
            assert!(board.part.to_lowercase().starts_with(&board.device.to_lowercase()));
        }
        assert_eq!(vc709::BOARD.signal("led").map(|s| s.pins.len()), Some(8));
        assert_eq!(vc709::BOARD.signal("gpio"), None);
        assert_eq!(ecp5_evn::BOARD.identifier(), "ecp5_evn");
    }
}
