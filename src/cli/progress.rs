//! A bar on standard error while many logs are read: only on a terminal, and only where the work is long.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Fewer inputs are read before a bar could be looked at.
const FEWEST: usize = 20;

/// A bar for so many inputs; one that draws nothing where nobody would see it.
pub fn bar(inputs: usize) -> ProgressBar {
    if inputs < FEWEST {
        return ProgressBar::hidden();
    }
    // The target itself draws nothing when standard error is no terminal.
    let bar = ProgressBar::with_draw_target(Some(inputs as u64), ProgressDrawTarget::stderr_with_hz(5));
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} logs, {eta} left").expect("the template is right");
    bar.with_style(style)
}
