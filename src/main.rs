//! Turns the process into [`turnpoint::cli::run`] and its result into an exit code; nothing else.
#![expect(clippy::disallowed_methods, reason = "the arguments come from here")]

#[cfg(unix)]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> std::process::ExitCode {
    turnpoint::cli::run(std::env::args_os())
}
