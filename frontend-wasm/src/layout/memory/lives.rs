//! Lifetimes of variables on one engine.

use super::VarRef;
use super::map::{owner_of, owners};
use debug_api::answer::{MemoryAnswer, MemoryVariable};
use std::collections::BTreeMap;

/// Engines that use a listed variable, in the order of the streams.
pub fn engines(plan: &MemoryAnswer) -> Vec<&'static str> {
    let all = plan.pages.iter().flat_map(|page| &page.variables).chain(&plan.private);
    let used: Vec<&str> = all.flat_map(|one| &one.spans).map(|span| span.engine.as_str()).collect();
    ["PE", "ACT", "POOL", "DVE", "SP"].into_iter().filter(|engine| used.contains(engine)).collect()
}

/// A rectangle of the chart of lifetimes: offsets against the NEFF IPs of one engine.
#[derive(Clone, Debug, PartialEq)]
pub struct Life {
    /// The variable.
    pub variable: MemoryVariable,
    /// First and last NEFF IP.
    pub ips: (u32, u32),
    /// Owner, an index of [`owners`].
    pub owner: usize,
}

/// The lifetimes on an engine, and the last NEFF IP among them.
pub fn lives(plan: &MemoryAnswer, engine: &str) -> (Vec<Life>, u32) {
    let owners = owners(plan);
    let mut seen: BTreeMap<VarRef, Life> = BTreeMap::new();
    let all = plan.pages.iter().flat_map(|page| &page.variables).chain(&plan.private);
    for one in all {
        if let Some(span) = one.spans.iter().find(|span| span.engine == engine) {
            let owner = owners.iter().position(|owner| *owner == owner_of(one)).unwrap_or(0);
            let ips = (span.first_ip, span.last_ip);
            seen.insert(VarRef::of(one), Life { variable: one.clone(), ips, owner });
        }
    }
    let last = seen.values().map(|life| life.ips.1).max().unwrap_or(0);
    (seen.into_values().collect(), last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::memory::map::tests::{plan, variable};
    use debug_api::answer::VariableSpan;

    const MIB: u64 = 1 << 20;

    #[test]
    fn lifetimes_are_those_of_one_engine() {
        let mut one = variable(1, 0, MIB);
        one.spans = vec![
            VariableSpan { engine: "SP".to_owned(), first_ip: 3, last_ip: 9, uses: 2 },
            VariableSpan { engine: "PE".to_owned(), first_ip: 1, last_ip: 1, uses: 1 },
        ];
        let plan = plan(&[one, variable(2, MIB, MIB)]);
        assert_eq!(engines(&plan), ["PE", "SP"]);
        let (lives, last) = lives(&plan, "SP");
        assert_eq!((lives.len(), lives[0].ips, last), (1, (3, 9), 9));
        assert_eq!(super::lives(&plan, "ACT"), (Vec::new(), 0));
    }
}
