//! What a user breaks on purpose, as a core has it.

use crate::core::Core;
use crate::gate::SyncId;
use crate::input::{CoreInput, WhatIf};
use crate::parts::Loss;

/// Whether a core is meant by a rank and a subgraph; who is not named is any.
pub fn is_of(input: &CoreInput<'_>, rank: Option<u32>, subgraph: Option<&str>) -> bool {
    rank.is_none_or(|rank| rank == input.rank) && subgraph.is_none_or(|name| name == input.name)
}

/// Breaks a core before it runs.
pub(crate) fn break_on_purpose(core: &mut Core, input: &CoreInput<'_>, what_if: &[WhatIf]) {
    for (choice, what) in what_if.iter().enumerate() {
        match what {
            WhatIf::StallRing { queue, ring } => {
                let at = core.queues.iter().position(|one| one.name == *queue);
                if let Some(rings) = at.and_then(|at| core.rings.get_mut(at)) {
                    rings.stalled |= 1_u16.checked_shl((*ring).into()).unwrap_or(0);
                }
            }
            WhatIf::DropPost { rank, subgraph, event, id, nth } => {
                if is_of(input, *rank, subgraph.as_deref()) {
                    let of = if *event { SyncId::event(*id) } else { SyncId::semaphore(*id) };
                    core.drops.push(Loss { of, nth: (*nth).max(1), came: 0, choice });
                }
            }
            WhatIf::Delay { .. } | WhatIf::DropLink { .. } => {}
        }
    }
}

/// The posts over links to leave out.
pub(crate) fn link_losses(what_if: &[WhatIf]) -> Vec<Loss<u32>> {
    let link = |(choice, what): (usize, &WhatIf)| match what {
        WhatIf::DropLink { rank, nth } => {
            Some(Loss { of: *rank, nth: (*nth).max(1), came: 0, choice })
        }
        _ => None,
    };
    what_if.iter().enumerate().filter_map(link).collect()
}
