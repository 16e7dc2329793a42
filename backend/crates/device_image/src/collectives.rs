//! Collectives: the program that each algorithm runs, the clocks of the processors that run it, and
//! the plan of what a program's triggers ask of them.
//! Spec: docs/format/collectives-plan.md "Sources" [observed].

pub mod names;
pub mod schedule;
pub mod ring;
pub mod kangaring;
pub mod mesh;
pub mod doubling;
pub mod algorithm;
pub mod hierarchical;
pub mod tsync;
pub mod groups;
pub mod trigger;
pub mod choice;
pub mod top_sp;
pub mod barrier;
pub mod tables;
pub mod compare;
pub mod plan;

pub use algorithm::{ScheduleError, Shape, schedule};
pub use names::{Algorithm, Operation};
pub use schedule::{
    Act, Buffer, Chunks, Move, Place, Post, Schedule, Semaphore, SemaphoreKind, Source, Step, Wait,
};
