//! Settings of a 7-series clock manager (MMCME2): an exact frequency from the board's clock.
//!
//! ```text
//!  input ─▶ / divide_in ─▶ x multiply ─▶ oscillator ─▶ / divide ─▶ output
//! ```
//!
//! The oscillator's limits are the part's; those of the phase detector are 10 to 500 MHz at speed grade -2 and 450 at
//! -1, which no board's clock reaches. `multiply` is 2 to 64 and `divide` is 1, or 2 to 128, in eighths; `divide_in` is
//! a whole number from 1 to 106 (UG472).

use std::cmp::Reverse;

use crate::error::{Error, Result};

/// Least and greatest frequency at the phase detector in MHz.
const DETECTOR_MHZ: (u32, u32) = (10, 500);
const DIVIDE_IN: u32 = 106;
/// In eighths.
const MULTIPLY: (u32, u32) = (16, 512);
/// In eighths.
const DIVIDE: (u32, u32) = (16, 1024);

/// Settings of a clock manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockManager {
    /// `DIVCLK_DIVIDE`.
    pub divide_in: u32,
    /// `CLKFBOUT_MULT_F` in eighths.
    pub multiply: u32,
    /// `CLKOUT0_DIVIDE_F` in eighths.
    pub divide: u32,
}

impl ClockManager {
    /// The settings that make `output_mhz` from `input_mhz` exactly, with an oscillator between two frequencies, the
    /// quietest first: the fastest phase detector, then no fraction behind the oscillator, then none before it, then
    /// the fastest oscillator.
    ///
    /// # Errors
    /// [`Error::Parameter`] naming `clock_mhz` if there are none.
    pub fn new(input_mhz: u32, output_mhz: u32, oscillator_mhz: (u32, u32)) -> Result<ClockManager> {
        let found = (1..=DIVIDE_IN).filter(|&divide_in| legal_detector(input_mhz, divide_in)).find_map(|divide_in| {
            let all = (MULTIPLY.0..=MULTIPLY.1)
                .filter_map(|multiply| exact(input_mhz, output_mhz, oscillator_mhz, divide_in, multiply));
            all.min_by_key(|s| (s.divide % 8 != 0, s.multiply % 8 != 0, Reverse(s.multiply)))
        });
        found.ok_or_else(|| {
            let (low, high) = oscillator_mhz;
            let rule = format!(
                "cannot be made from {input_mhz} MHz: no multiplier and dividers in eighths give it exactly with an \
                 oscillator \
                 of {low} to {high} MHz"
            );
            Error::parameter("clock_mhz", output_mhz, rule)
        })
    }

    /// A number of eighths as Verilog writes it.
    pub fn text(eighths: u32) -> String {
        format!("{:.3}", f64::from(eighths) / 8.0)
    }
}

fn legal_detector(input_mhz: u32, divide_in: u32) -> bool {
    (DETECTOR_MHZ.0 * divide_in..=DETECTOR_MHZ.1 * divide_in).contains(&input_mhz)
}

/// The settings with this multiplier, if there is a divider for them.
fn exact(input_mhz: u32, output_mhz: u32, range: (u32, u32), divide_in: u32, multiply: u32) -> Option<ClockManager> {
    // The oscillator's frequency is this over `8 * divide_in`.
    let oscillator = input_mhz * multiply;
    let unit = 8 * divide_in;
    if !(range.0 * unit..=range.1 * unit).contains(&oscillator) || output_mhz == 0 {
        return None;
    }
    let (divide, rest) = (oscillator / (output_mhz * divide_in), oscillator % (output_mhz * divide_in));
    let legal = rest == 0 && (divide == 8 || (DIVIDE.0..=DIVIDE.1).contains(&divide));
    legal.then_some(ClockManager { divide_in, multiply, divide })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OSCILLATOR: (u32, u32) = (600, 1440);

    #[test]
    fn every_whole_frequency_comes_from_the_board_s_clock() {
        for mhz in 10..=400 {
            let ClockManager { divide_in, multiply, divide } = ClockManager::new(200, mhz, OSCILLATOR).unwrap();
            assert_eq!(200 * multiply, mhz * divide * divide_in, "{mhz} MHz is exact");
            let oscillator = 200.0 * f64::from(multiply) / 8.0 / f64::from(divide_in);
            assert!((600.0..=1440.0).contains(&oscillator), "{mhz} MHz: oscillator at {oscillator}");
            assert!((10..=500).contains(&(200 / divide_in)) && divide_in <= 20, "{mhz} MHz: divider {divide_in}");
            assert!((16..=512).contains(&multiply) && (divide == 8 || (16..=1024).contains(&divide)), "{mhz} MHz");
        }
    }

    #[test]
    fn plain_frequencies_have_plain_settings() {
        for (mhz, multiply, divide) in [(200, 56, 56), (100, 56, 112), (250, 40, 32), (150, 48, 64)] {
            assert_eq!(
                ClockManager::new(200, mhz, OSCILLATOR).unwrap(),
                ClockManager { divide_in: 1, multiply, divide },
                "{mhz} MHz"
            );
        }
        assert_eq!(
            ClockManager::new(200, 333, OSCILLATOR).unwrap(),
            ClockManager { divide_in: 8, multiply: 333, divide: 25 }
        );
        assert_eq!(ClockManager::text(50), "6.250");
    }

    #[test]
    fn frequencies_without_settings_are_refused() {
        for (input, output) in [(200, 0), (200, 4), (200, 1441), (7, 13)] {
            let message = ClockManager::new(input, output, OSCILLATOR).unwrap_err().to_string();
            assert!(message.contains(&format!("clock_mhz = {output}: ")) && message.contains("exactly"), "{message}");
        }
    }
}
