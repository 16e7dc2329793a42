//! Memory of lowering a program to its tree of records: the most that is held at once beyond the opened
//! file, and what the tree keeps.
#![allow(clippy::unwrap_used, reason = "a measurement stops where its set-up is wrong")]
#![allow(clippy::print_stdout, reason = "the figures are what it is run for")]

use kbin::{Kbin, Options};
use neff::{Findings, Limits};
use peak_alloc::PeakAlloc;
use support::many_descriptors::many_descriptors;
use support::real_files::real_file;

#[global_allocator]
static HELD: PeakAlloc = PeakAlloc;

fn measure(name: &str, file: &[u8]) {
    let package = neff::open(file, &Limits::default(), &mut Findings::new()).unwrap();
    HELD.reset_peak_usage();
    let before = HELD.current_usage();
    let mut tree = Kbin::build(&package, 0, &Options::default()).unwrap();
    tree.check_patterns();
    let (peak, kept) = (HELD.peak_usage() - before, HELD.current_usage() - before);
    let descriptors: u64 =
        tree.queues.iter().map(kbin::lowering::model::Queue::n_descriptors).sum();
    let of = |bytes: usize| match descriptors {
        0 => String::new(),
        count => format!(", {} a descriptor", bytes as u64 / count),
    };
    println!(
        "kbin {name}: {descriptors} descriptors, {} variables; peak {peak} bytes{}; kept {kept}{}",
        tree.variables.len(),
        of(peak),
        of(kept)
    );
}

fn main() {
    measure("20,000 descriptors", &many_descriptors(20_000).unwrap());
    // What is missing is said by the helper.
    if let Some(bytes) = real_file("matmul_large/matmul_large.neff") {
        measure("matmul_large", &bytes);
    }
}
