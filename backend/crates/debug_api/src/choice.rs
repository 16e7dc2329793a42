//! How a question's profile name finds its profile.

use crate::answer::{At, Finding};
use crate::built_in::built_in_profile;
use crate::error::{ApiError, ErrorKind};
use crate::file::OpenFile;
use crate::profile_file::ProfileFile;
use device_image::profile::BUILT_IN;
use device_image::{Generation, Profile};
use std::sync::Arc;

/// The profile that a question is answered with.
pub struct Choice {
    /// The profile.
    pub profile: Arc<Profile>,
    /// Tells profiles apart, also those of one name.
    pub key: String,
    /// Why it is not the one that was asked for.
    pub findings: Vec<Finding>,
}

/// Finds the profile of a name: one of the session's own, else a built-in one; without a name the
/// default of the generation. Each own one with a mistake is a finding, whichever is asked for; the
/// default stands in for it.
///
/// # Errors
/// `profile.unknown`.
pub fn choose(
    files: &[Arc<OpenFile>],
    name: Option<&str>,
    generation: Generation,
) -> Result<Choice, ApiError> {
    let asked = |file: &&ProfileFile| name.is_some_and(|name| file.is_called(name));
    let profiles = || files.iter().filter_map(|file| file.as_profile());
    let first = profiles().find(asked);
    let others = profiles().filter(|file| !first.is_some_and(|first| std::ptr::eq(first, *file)));
    let mut findings: Vec<Finding> = others.filter_map(|file| mistake(file, None)).collect();
    let mut own = profiles().filter(asked);
    if let Some(file) = own.next() {
        let twice = own.any(|other| other.key() != file.key());
        let default = Profile::default_name(generation);
        return match file.profile() {
            Ok(profile) => {
                findings.extend(other_generation(profile, generation));
                findings.extend(called_as_built_in(profile, file));
                if twice {
                    findings.push(Finding {
                        code: String::from("profile.twice"),
                        severity: String::from("warning"),
                        message: format!(
                            "the session has several profiles of this name; the first, {}, is used",
                            file.name()
                        ),
                        at: At { member: Some(file.name().to_owned()), ..At::default() },
                    });
                }
                Ok(Choice {
                    profile: Arc::clone(profile),
                    key: format!("own {}", file.key()),
                    findings,
                })
            }
            Err(_) => {
                findings.splice(0..0, mistake(file, Some(default)));
                built_in(default, findings)
            }
        };
    }
    let mut choice = built_in(name.unwrap_or(Profile::default_name(generation)), findings)?;
    choice.findings.extend(other_generation(&choice.profile, generation));
    Ok(choice)
}

/// The finding of a profile with a mistake, and what stands in for it where it was asked for.
fn mistake(file: &ProfileFile, stands_in: Option<&str>) -> Option<Finding> {
    let error = file.profile().err()?;
    let message = match stands_in {
        Some(default) => format!("{}; {default} stands in for it", error.message),
        None => error.message,
    };
    let (code, severity) = (error.code.to_owned(), String::from("error"));
    Some(Finding { code, severity, message, at: *error.at })
}

/// A finding if an own profile has the name of a built-in one, which it then hides.
fn called_as_built_in(profile: &Profile, file: &ProfileFile) -> Option<Finding> {
    BUILT_IN.iter().any(|(name, _)| *name == profile.name).then(|| Finding {
        code: String::from("profile.name"),
        severity: String::from("warning"),
        message: format!(
            "the profile in {} is called {} as a built-in one is; the file's is used",
            file.name(),
            profile.name
        ),
        at: At { member: Some(file.name().to_owned()), ..At::default() },
    })
}

/// A finding if a profile is for another generation than the program.
fn other_generation(profile: &Profile, generation: Generation) -> Vec<Finding> {
    if profile.generation == generation {
        return Vec::new();
    }
    let (name, of) = (&profile.name, profile.generation.name());
    vec![Finding {
        code: String::from("profile.generation"),
        severity: String::from("warning"),
        message: format!("{name} is a profile for {of}, the program is for {}", generation.name()),
        at: At::default(),
    }]
}

fn built_in(name: &str, findings: Vec<Finding>) -> Result<Choice, ApiError> {
    let profile = built_in_profile(name).map_err(|_| unknown_profile(name))?;
    Ok(Choice { profile, key: name.to_owned(), findings })
}

/// The error for a profile name that is not known.
fn unknown_profile(name: &str) -> ApiError {
    let names: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
    let shown: String = name.chars().take(64).collect();
    ApiError::new(
        ErrorKind::NotFound,
        "profile.unknown",
        format!(
            "there is no profile `{shown}`; the profiles are {}, and those that the session holds",
            names.join(" ")
        ),
    )
}
