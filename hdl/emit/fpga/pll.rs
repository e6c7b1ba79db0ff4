//! Settings of an ECP5 clock generator (EHXPLLL): an exact frequency from the board's clock, fed back from the output
//! itself.
//!
//! ```text
//!  input ─▶ / divide_in ─▶ phase detector ─▶ oscillator ─▶ / divide ─┬─▶ output
//!                               ▲────────── / multiply ──────────────┘
//! ```
//!
//! Limits (ECP5 Family Data Sheet FPGA-DS-02012, "sysCLOCK PLL Timing"): oscillator 400 to 800 MHz, phase detector 10
//! to 400 MHz; dividers 1 to 128.

use crate::error::{Error, Result};

const OSCILLATOR_MHZ: (u32, u32) = (400, 800);
const DETECTOR_MHZ: (u32, u32) = (10, 400);
const DIVIDER: u32 = 128;

/// Settings of a clock generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockGenerator {
    /// `CLKI_DIV`.
    pub divide_in: u32,
    /// `CLKFB_DIV`.
    pub multiply: u32,
    /// `CLKOP_DIV`.
    pub divide: u32,
}

impl ClockGenerator {
    /// The settings that make `output_mhz` from `input_mhz` exactly: the fastest phase detector, then the fastest
    /// oscillator.
    ///
    /// # Errors
    /// [`Error::Parameter`] naming `clock_mhz` if there are none.
    pub fn new(input_mhz: u32, output_mhz: u32) -> Result<ClockGenerator> {
        let detector = |divide_in: u32| (DETECTOR_MHZ.0 * divide_in..=DETECTOR_MHZ.1 * divide_in).contains(&input_mhz);
        let oscillator = |divide: u32| (OSCILLATOR_MHZ.0..=OSCILLATOR_MHZ.1).contains(&(output_mhz * divide));
        let found = (1..=DIVIDER).filter(|&divide_in| detector(divide_in)).find_map(|divide_in| {
            let (multiply, rest) = (output_mhz * divide_in / input_mhz, output_mhz * divide_in % input_mhz);
            let divide = (1..=DIVIDER).filter(|&divide| oscillator(divide)).max()?;
            let legal = rest == 0 && (1..=DIVIDER).contains(&multiply);
            legal.then_some(ClockGenerator { divide_in, multiply, divide })
        });
        found.ok_or_else(|| {
            let (low, high) = OSCILLATOR_MHZ;
            let rule = format!(
                "cannot be made from {input_mhz} MHz exactly with an oscillator of {low} to {high} MHz \
                                and whole dividers"
            );
            Error::parameter("clock_mhz", output_mhz, rule)
        })
    }

    /// Frequency of the oscillator in MHz, when the output has `output_mhz`.
    pub fn oscillator_mhz(&self, output_mhz: u32) -> u32 {
        output_mhz * self.divide
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequencies_are_exact_and_within_limits() {
        let mut made = 0;
        for mhz in 4..=400 {
            let Ok(ClockGenerator { divide_in, multiply, divide }) = ClockGenerator::new(12, mhz) else { continue };
            assert_eq!(12 * multiply, mhz * divide_in);
            assert!((400..=800).contains(&(mhz * divide)) && 12 / divide_in >= 10, "{mhz} MHz");
            made += 1;
        }
        // Multiples of 12 MHz, for which the phase detector is fast enough.
        assert_eq!(made, 33);
        assert_eq!(ClockGenerator::new(12, 60).unwrap(), ClockGenerator { divide_in: 1, multiply: 5, divide: 13 });
        assert_eq!(ClockGenerator::new(12, 60).unwrap().oscillator_mhz(60), 780);
    }

    #[test]
    fn frequencies_without_settings_are_refused() {
        for mhz in [0, 50, 100, 804] {
            let message = ClockGenerator::new(12, mhz).unwrap_err().to_string();
            assert!(message.contains(&format!("clock_mhz = {mhz}: ")) && message.contains("exactly"), "{message}");
        }
    }
}
