//! Conditions of steps and lines of a profile: words joined by `or` and `and`, each of which may
//! be negated, for example `POOL or args-swap-all and not several-cores`. `or` binds tighter.
//! Spec: docs/format/profiles.md "Conditions".

use records::Engine;

use crate::capability::Capability;
use crate::expr::shortened;

/// One word of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// An engine's name: the step is built for that engine.
    Engine(Engine),
    /// `activation-set`: the program uses a function set.
    ActivationSet,
    /// `tables`: the engine loads tables, DVE always and ACT with an activation set.
    Tables,
    /// `data`: the queue in scope is of type `data`.
    DataQueue,
    /// `io`: one side of the queue in scope is a model input or output.
    IoQueue,
    /// `queues`: the engine owns a queue that is set up.
    Queues,
    /// `data-queues`: the engine owns a queue of type `data`.
    DataQueues,
    /// `io-queues`: the engine owns a queue of type `in` or `out`.
    IoQueues,
    /// `dynamic-queues`: the engine owns a queue of type `dynamic`.
    DynamicQueues,
    /// `collectives`: the engine's stream triggers a collective operation.
    Collectives,
    /// `libraries`: the program brings micro-code libraries along.
    Libraries,
    /// `several-subgraphs`: the file has more than one.
    SeveralSubgraphs,
    /// `several-cores`: the logical core has more than one physical core.
    SeveralCores,
    /// The word of a capability.
    Capability(Capability),
}

impl Gate {
    const PLAIN: [(&'static str, Self); 12] = [
        ("activation-set", Self::ActivationSet),
        ("tables", Self::Tables),
        ("data", Self::DataQueue),
        ("io", Self::IoQueue),
        ("queues", Self::Queues),
        ("data-queues", Self::DataQueues),
        ("io-queues", Self::IoQueues),
        ("dynamic-queues", Self::DynamicQueues),
        ("collectives", Self::Collectives),
        ("libraries", Self::Libraries),
        ("several-subgraphs", Self::SeveralSubgraphs),
        ("several-cores", Self::SeveralCores),
    ];

    /// The gate that a word names.
    pub fn of_word(word: &str) -> Option<Self> {
        let plain = Self::PLAIN.into_iter().find(|(known, _)| *known == word);
        let engine = || Engine::ALL.into_iter().find(|engine| engine.name() == word);
        plain
            .map(|(_, gate)| gate)
            .or_else(|| engine().map(Self::Engine))
            .or_else(|| Capability::of_word(word).map(Self::Capability))
    }
}

/// A word, or its opposite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Term {
    negated: bool,
    gate: Gate,
}

/// A condition: all groups must hold, in each at least one word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    groups: Vec<Vec<Term>>,
    text: String,
}

impl Condition {
    /// Parses a condition; the error is the word that is none.
    pub fn parse(text: &str) -> Result<Self, String> {
        let term = |word: &str| {
            let word = word.trim();
            let (negated, name) = match word.strip_prefix("not ") {
                Some(rest) => (true, rest.trim()),
                None => (false, word),
            };
            let gate = Gate::of_word(name).ok_or_else(|| shortened(name))?;
            Ok(Term { negated, gate })
        };
        let group = |text: &str| text.split(" or ").map(term).collect::<Result<Vec<_>, String>>();
        let groups = text.split(" and ").map(group).collect::<Result<_, _>>()?;
        Ok(Self { groups, text: text.trim().to_owned() })
    }

    /// Whether it holds, with a function that knows each gate.
    pub fn holds(&self, holds: impl Fn(Gate) -> bool) -> bool {
        self.groups.iter().all(|group| group.iter().any(|term| holds(term.gate) != term.negated))
    }

    /// Whether it asks for a gate.
    pub fn asks(&self, gate: Gate) -> bool {
        self.groups.iter().flatten().any(|term| term.gate == gate)
    }

    /// As it is written.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// All words of conditions, for messages.
pub fn words() -> String {
    let plain = Gate::PLAIN.into_iter().map(|(word, _)| word);
    let engines = Engine::ALL.into_iter().map(Engine::name);
    let capabilities = Capability::ALL.into_iter().map(Capability::word);
    plain.chain(engines).chain(capabilities).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn or_binds_tighter_than_and() {
        let condition = Condition::parse("POOL or SP and not several-cores").unwrap();
        let holds = |engine, cores| {
            condition.holds(|gate| match gate {
                Gate::Engine(other) => other == engine,
                Gate::SeveralCores => cores,
                _ => false,
            })
        };
        assert!(holds(Engine::Pool, false) && holds(Engine::Sp, false));
        assert!(!holds(Engine::Pool, true) && !holds(Engine::Pe, false));
        assert!(condition.asks(Gate::SeveralCores) && !condition.asks(Gate::Tables));
        assert_eq!(condition.text(), "POOL or SP and not several-cores");
    }

    #[test]
    fn every_word_is_one_and_others_are_named() {
        for word in words().split(' ') {
            assert!(Condition::parse(word).is_ok(), "{word}");
        }
        for (bad, word) in [("", ""), ("data or never", "never"), ("pool", "pool"), ("not", "not")]
        {
            assert_eq!(Condition::parse(bad).unwrap_err(), word);
        }
    }
}
