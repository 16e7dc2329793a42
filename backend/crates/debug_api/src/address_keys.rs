//! The keys of a view's address, for the pages of the server and for the application alike.

/// Every key that a view's address may have, whichever view reads it.
pub const KEYS: &[&str] = &[
    // The place and how its image is built.
    "v",
    "s",
    "e",
    "slot",
    "ip",
    "pc",
    "profile",
    "core",
    "base",
    "ntff",
    "image",
    "from",
    // Regions, Code and Source.
    "theme",
    "cores",
    "slots",
    "src",
    "compare",
    "marks",
    "bytes",
    // Structs and Bytes.
    "rec",
    "of",
    "name",
    "f",
    "at",
    "len",
    "as",
    "device",
    "library",
    // Memory.
    "part",
    "mode",
    "page",
    "gen",
    "hbm",
    "load",
    "scale",
    "bank",
    "var",
    "addr",
    // Collectives.
    "side",
    "alg",
    "world",
    "pernode",
    "channels",
    "names",
    "topsp",
    "rank",
    "entry",
    "field",
    "step",
    "who",
    "word",
    // Timeline.
    "trace",
    "t",
    "range",
    "unit",
    "rows",
    "pin",
    "tm",
    // Run.
    "run",
    "inferences",
    "seed",
    "ranks",
    "calibrate",
    "events",
    "stall",
    "drop",
    "delay",
    "alone",
    "until",
];

/// What to say about a key that no view reads, with the one that may be meant; `None` for a known
/// key. It may be of a later version, so the rest of the address is used.
pub fn unknown(key: &str) -> Option<String> {
    if KEYS.contains(&key) {
        return None;
    }
    let shown: String = key.chars().take(40).collect();
    let begins = |known: &&&str| {
        let same = key.to_ascii_lowercase().starts_with(**known);
        known.len() > 2 && (same || known.starts_with(&key.to_ascii_lowercase()) && key.len() > 2)
    };
    let meant = KEYS.iter().filter(begins).max_by_key(|known| known.len());
    let meant = meant.map_or(String::new(), |known| format!("; `{known}` may be meant"));
    Some(format!("`{shown}` is no key that this version knows{meant}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_run_chooses_is_known() {
        for field in crate::request::RUN_FIELDS {
            assert_eq!(unknown(field.key), None);
        }
    }

    #[test]
    fn an_unknown_key_is_named_with_the_one_that_may_be_meant() {
        assert_eq!(unknown("page"), None);
        let said = |key: &str| unknown(key).unwrap_or_default();
        assert_eq!(said("foo"), "`foo` is no key that this version knows");
        for (key, meant) in [
            ("page-size", "page"),
            ("page_size", "page"),
            ("generation", "gen"),
            ("HBM", "hbm"),
            ("prof", "profile"),
        ] {
            assert_eq!(
                said(key),
                format!("`{key}` is no key that this version knows; `{meant}` may be meant")
            );
        }
        // Two letters begin too much.
        assert_eq!(said("ip2"), "`ip2` is no key that this version knows");
        assert!(said(&"x".repeat(500)).len() < 100);
    }
}
