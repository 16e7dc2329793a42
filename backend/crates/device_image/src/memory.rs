//! What fills device memory: where each variable of a program is placed, what a model needs by
//! category, and whether several models fit on one core.
//! Spec: docs/format/memory.md "Placement of variables" [observed].

pub mod total;
pub mod variables;
pub mod resolve;
pub mod place;
pub mod overlap;
pub mod layout;
pub mod request;
pub mod taken;
pub mod model;
pub mod failure;
pub mod load;
pub mod core_plan;
pub mod remedies;
pub mod plan;

pub use core_plan::{Beyond, PlannedSlice};
pub use failure::Failure;
pub use layout::{Layout, PageUse, SliceKind, VirtualVariable};
pub use load::LoadedVariable;
pub use model::{Model, ModelSubgraph};
pub use overlap::Overlaps;
pub use place::{Place, PlaceError, Placed, Stage};
pub use plan::Plan;
pub use remedies::{PageCap, Remedy};
pub use request::LoadRequest;
pub use resolve::{ResolveError, resolve};
pub use total::Total;
pub use variables::{Kind, Unread, Variable, Variables};
