//! The five engines of a NeuronCore.

/// An engine, in the order of the runtime's engine codes.
/// Spec: docs/format/streams.md "Engines" [observed].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Engine {
    /// Tensor engine, code 0.
    Pe = 0,
    /// Scalar (activation) engine, code 1.
    Act = 1,
    /// Pool engine (GPSIMD), code 2.
    Pool = 2,
    /// Vector engine, code 3.
    Dve = 3,
    /// Sync engine, code 4.
    Sp = 4,
}

impl Engine {
    /// All engines in code order: PE ACT POOL DVE SP.
    pub const ALL: [Engine; 5] = [Self::Pe, Self::Act, Self::Pool, Self::Dve, Self::Sp];

    /// The runtime's engine code, 0 to 4; also the index into per-engine arrays.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// [`Engine::code`] as an index.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The engine's entry of a per-engine array, which is in code order.
    pub const fn of<T>(self, entries: &[T; 5]) -> &T {
        let [pe, act, pool, dve, sp] = entries;
        match self {
            Self::Pe => pe,
            Self::Act => act,
            Self::Pool => pool,
            Self::Dve => dve,
            Self::Sp => sp,
        }
    }

    /// [`Engine::of`], to be changed.
    pub const fn of_mut<T>(self, entries: &mut [T; 5]) -> &mut T {
        let [pe, act, pool, dve, sp] = entries;
        match self {
            Self::Pe => pe,
            Self::Act => act,
            Self::Pool => pool,
            Self::Dve => dve,
            Self::Sp => sp,
        }
    }

    /// The engine of a runtime code; `None` above 4.
    pub const fn from_code(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::Pe),
            1 => Some(Self::Act),
            2 => Some(Self::Pool),
            3 => Some(Self::Dve),
            4 => Some(Self::Sp),
            _ => None,
        }
    }

    /// The name as it is written everywhere: `PE ACT POOL DVE SP`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pe => "PE",
            Self::Act => "ACT",
            Self::Pool => "POOL",
            Self::Dve => "DVE",
            Self::Sp => "SP",
        }
    }

    /// The lower-case key used by `def.json`: `pe act pool dve sp`.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Pe => "pe",
            Self::Act => "act",
            Self::Pool => "pool",
            Self::Dve => "dve",
            Self::Sp => "sp",
        }
    }
}

impl std::fmt::Display for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// The text is no engine name. Names are `PE ACT POOL DVE SP`, in any case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no engine; the engines are PE ACT POOL DVE SP")]
pub struct UnknownEngine(pub String);

impl std::str::FromStr for Engine {
    type Err = UnknownEngine;

    fn from_str(text: &str) -> Result<Self, UnknownEngine> {
        Self::ALL
            .into_iter()
            .find(|engine| engine.name().eq_ignore_ascii_case(text))
            .ok_or_else(|| UnknownEngine(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_codes_round_trip() {
        for (code, engine) in Engine::ALL.into_iter().enumerate() {
            assert_eq!(engine.index(), code);
            assert_eq!(Engine::from_code(engine.code()), Some(engine));
            assert_eq!(engine.name().parse(), Ok(engine));
            assert_eq!(engine.key().parse(), Ok(engine));
        }
        assert_eq!(Engine::from_code(5), None);
        assert!("TPB".parse::<Engine>().is_err());
    }
}
