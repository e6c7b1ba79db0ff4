//! Progress, for programs that take a while: a bar on a terminal, a line now and then where the output is piped.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The environment variable with the seconds between two lines where there is no terminal.
const SECONDS: &str = "BITLINE_PROGRESS";

/// Seconds between two lines unless the variable says something else.
const EVERY: u64 = 10;

/// Progress that appears when something takes long.
pub struct Bar {
    begin: Instant,
    bar: ProgressBar,
    what: &'static str,
    /// Without a terminal: time between two lines, and when the last one was written.
    lines: Option<(Duration, Instant)>,
}

impl Bar {
    /// Progress that counts these.
    pub fn new(what: &'static str) -> Bar {
        let seconds = std::env::var(SECONDS).ok().and_then(|text| text.parse().ok()).unwrap_or(EVERY);
        let every = Duration::from_secs(seconds);
        let lines = if std::io::stderr().is_terminal() { None } else { Some((every, Instant::now())) };
        Bar { begin: Instant::now(), bar: ProgressBar::hidden(), what, lines }
    }

    /// So many of all are done.
    pub fn at(&mut self, done: u64, total: u64) {
        if let Some((every, last)) = &mut self.lines {
            if last.elapsed() >= *every && done < total {
                *last = Instant::now();
                let left = self.begin.elapsed().as_secs_f64() / done.max(1) as f64 * (total - done) as f64;
                // If it cannot be written, nobody waits for it.
                let _ = writeln!(std::io::stderr(), "{done} of {total} {}, {left:.0} s left", self.what);
            }
            return;
        }
        if self.bar.is_hidden() && self.begin.elapsed() > Duration::from_millis(500) {
            self.bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {msg}, {eta} left");
            self.bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            self.bar.set_message(self.what);
            // What is done already took no time of this bar.
            self.bar.set_position(done);
            self.bar.reset_eta();
            self.begin = Instant::now();
        }
        self.bar.set_position(done);
    }

    /// Takes it away.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
