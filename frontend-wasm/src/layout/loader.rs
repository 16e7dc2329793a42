//! What a file leaves open to its loader, as the user chooses it: the generation of the device, and who
//! gets the default micro-code library.

use super::memory::GENERATIONS;
use debug_api::Scope;

/// No generation has the default library.
pub const NO_LIBRARY: &str = "none";

/// One of the choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoaderChoice {
    /// Generation of the device, for programs whose target is any.
    Device,
    /// Generation whose programs get the default library.
    Library,
}

impl LoaderChoice {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Device, Self::Library];

    /// Key in addresses.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Device => "device",
            Self::Library => "library",
        }
    }

    /// What can be chosen.
    pub fn values(self) -> impl Iterator<Item = &'static str> {
        let none = (self == Self::Library).then_some(NO_LIBRARY);
        GENERATIONS.into_iter().chain(none)
    }
}

/// The choices; what is not chosen is as the loader's default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loader {
    /// Generation of the device.
    pub device: Option<&'static str>,
    /// Generation with the default library, or [`NO_LIBRARY`].
    pub library: Option<&'static str>,
}

impl Loader {
    /// What is chosen.
    pub const fn get(&self, choice: LoaderChoice) -> Option<&'static str> {
        match choice {
            LoaderChoice::Device => self.device,
            LoaderChoice::Library => self.library,
        }
    }

    /// Chooses; an empty text goes back to the default. `false` for a value that cannot be chosen.
    pub fn put(&mut self, choice: LoaderChoice, value: &str) -> bool {
        let found = choice.values().find(|known| *known == value);
        match choice {
            LoaderChoice::Device => self.device = found,
            LoaderChoice::Library => self.library = found,
        }
        found.is_some() || value.is_empty()
    }

    /// Reads a part of an address; `None` for other keys, else what was wanted if it is none of it.
    pub fn read(&mut self, key: &str, value: &str) -> Option<Result<(), &'static str>> {
        let choice = LoaderChoice::ALL.into_iter().find(|choice| choice.key() == key)?;
        Some(if self.put(choice, value) { Ok(()) } else { Err("generation") })
    }

    /// Writes its parts of an address.
    pub fn write(&self, mut add: impl FnMut(&str, Option<String>)) {
        for choice in LoaderChoice::ALL {
            add(choice.key(), self.get(choice).map(str::to_owned));
        }
    }

    /// A scope with these choices.
    pub fn scope(&self, scope: Scope) -> Scope {
        let text = |value: Option<&str>| value.map(str::to_owned);
        Scope { device: text(self.device), library: text(self.library), ..scope }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_those_that_are_known() {
        let mut loader = Loader::default();
        for choice in LoaderChoice::ALL {
            assert_eq!(debug_api::address_keys::unknown(choice.key()), None);
        }
        assert_eq!(loader.read("library", "none"), Some(Ok(())));
        assert_eq!(loader.read("device", "mariana"), Some(Ok(())));
        assert_eq!(loader.read("target", "mariana"), None);
        let mut text = String::new();
        loader.write(|key, value| text += &format!("{key}={} ", value.unwrap_or_default()));
        assert_eq!(text, "device=mariana library=none ");
        let scope = loader.scope(Scope::default());
        assert_eq!(
            (scope.device.as_deref(), scope.library.as_deref()),
            (Some("mariana"), Some("none"))
        );
        assert_eq!(loader.read("device", "none"), Some(Err("generation")));
        assert!(loader.put(LoaderChoice::Library, ""));
        assert_eq!(loader, Loader::default());
    }
}
