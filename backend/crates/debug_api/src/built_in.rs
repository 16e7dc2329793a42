//! The built-in profiles, read once.

use device_image::Profile;
use device_image::profile::{BUILT_IN, ProfileError};
use std::sync::{Arc, OnceLock};

/// The built-in profile of a name. Every question needs one, a log thousands of times, and reading
/// its text takes longer than most answers: each is read once.
///
/// # Errors
/// As [`Profile::built_in`].
pub fn built_in_profile(name: &str) -> Result<Arc<Profile>, ProfileError> {
    static READ: [OnceLock<Arc<Profile>>; BUILT_IN.len()] =
        [const { OnceLock::new() }; BUILT_IN.len()];
    let at = BUILT_IN.iter().position(|(known, _)| *known == name);
    let kept = at.and_then(|at| READ.get(at));
    if let Some(profile) = kept.and_then(OnceLock::get) {
        return Ok(Arc::clone(profile));
    }
    let profile = Arc::new(Profile::built_in(name)?);
    Ok(match kept {
        Some(kept) => Arc::clone(kept.get_or_init(|| profile)),
        None => profile,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_built_in_profile_is_read_once() {
        for (name, _) in BUILT_IN {
            let first = built_in_profile(name).unwrap();
            assert_eq!(*first, Profile::built_in(name).unwrap());
            assert!(Arc::ptr_eq(&first, &built_in_profile(name).unwrap()), "{name}");
        }
        assert!(built_in_profile("mine").is_err());
    }
}
