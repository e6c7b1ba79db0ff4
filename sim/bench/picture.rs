//! The figures as a picture.

use super::Speed;
use crate::plot::{COLOURS, HEIGHT, LEFT, Plot, TOP};

/// Of a bar.
const WIDTH: f64 = 22.0;
/// Of a group of bars with its gap.
const GROUP: f64 = 3.0 * WIDTH + 40.0;

/// Cycles a second of each design, as bars, SVG.
pub fn plot(speeds: &[Speed]) -> String {
    let bars = |s: &Speed| [Some(s.native_cps), Some(s.native_checked_cps), s.verilator_cps];
    let all: Vec<f64> = speeds.iter().flat_map(bars).flatten().collect();
    let (least, most) = (all.iter().copied().fold(f64::MAX, f64::min), all.iter().copied().fold(1.0, f64::max));
    let width = GROUP * speeds.len().max(3) as f64;
    let mut plot = Plot::new("Simulated clock cycles a second", "cycles a second", width, 40.0, (least, most));
    let names = ["native", "native, checked every cycle", "Verilator -O3"];
    plot.legend(&std::array::from_fn::<_, 3, _>(|bar| (names[bar], COLOURS[bar])));
    for (group, speed) in speeds.iter().enumerate() {
        let left = LEFT + GROUP * group as f64 + 20.0;
        for (bar, value) in bars(speed).into_iter().enumerate() {
            if let Some(value) = value {
                plot.bar(left + WIDTH * bar as f64, WIDTH - 2.0, value, COLOURS[bar]);
            }
        }
        plot.label(left + 1.5 * WIDTH, TOP + HEIGHT + 18.0, "middle", 0.0, &speed.design);
    }
    plot.end()
}
