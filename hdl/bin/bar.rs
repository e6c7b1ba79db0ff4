//! A progress bar, for programs that take a while.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A progress bar that appears on a terminal when something takes long.
pub struct Bar {
    begin: Instant,
    bar: ProgressBar,
    what: &'static str,
}

impl Bar {
    /// A bar that counts these.
    pub fn new(what: &'static str) -> Bar {
        Bar { begin: Instant::now(), bar: ProgressBar::hidden(), what }
    }

    /// So many of all are done.
    pub fn at(&mut self, done: u64, total: u64) {
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
