//! The UUID field of a capture, which is not always sixteen bytes.

use records::neff_header::uuid_text as hyphenated;

/// The field as text: the first 16 bytes with hyphens, or all bytes as bare hexadecimal digits if
/// there are fewer.
/// Spec: docs/format/ntff.md "Pairing" [observed].
pub fn uuid_text(field: &[u8]) -> String {
    match field.first_chunk::<16>() {
        Some(bytes) => hyphenated(bytes),
        None => field.iter().map(|byte| format!("{byte:02x}")).collect(),
    }
}

/// Whether the field of a capture is a copy of a NEFF's UUID.
///
/// The copy stops at the first zero byte of the UUID; without one it runs on into bytes that mean
/// nothing.
/// Spec: docs/format/ntff.md "Pairing" [observed].
pub fn uuid_matches(neff_uuid: &[u8; 16], field: &[u8]) -> bool {
    match neff_uuid.split(|byte| *byte == 0).next() {
        Some(copied) if copied.len() < neff_uuid.len() => field == copied,
        _ => field.get(..neff_uuid.len()) == Some(&neff_uuid[..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A UUID with its first zero byte at an index; 16 for none.
    fn uuid(zero: usize) -> [u8; 16] {
        std::array::from_fn(|i| if i == zero { 0 } else { 0xA0 + i as u8 })
    }

    #[test]
    fn a_copy_that_stopped_early_is_the_whole_field() {
        for length in [0, 4, 13, 15] {
            let own = uuid(length);
            assert!(uuid_matches(&own, &own[..length]), "{length}");
            assert!(!uuid_matches(&own, &own), "{length}: the zero is never copied");
            let longer = [&own[..length], &[0x55][..]].concat();
            assert!(!uuid_matches(&own, &longer), "{length}");
            assert!(!uuid_matches(&uuid(16), &own[..length]), "{length}: half a UUID");
        }
        assert!(!uuid_matches(&uuid(13), &uuid(13)[..4]));
    }

    #[test]
    fn a_copy_that_ran_on_is_compared_over_sixteen_bytes() {
        let own = uuid(16);
        assert!(uuid_matches(&own, &own));
        for length in [18, 20, 22] {
            let mut field = own.to_vec();
            field.resize(length, 0x77);
            assert!(uuid_matches(&own, &field), "{length}");
            field[15] ^= 1;
            assert!(!uuid_matches(&own, &field), "{length}");
        }
        assert!(!uuid_matches(&own, &own[..15]));
        assert!(!uuid_matches(&own, &[]));
    }

    #[test]
    fn text_has_hyphens_from_sixteen_bytes_on() {
        let own = uuid(16);
        assert_eq!(uuid_text(&own[..4]), "a0a1a2a3");
        assert_eq!(uuid_text(&own), "a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf");
        assert_eq!(uuid_text(&[&own[..], b"rest"].concat()), uuid_text(&own));
        assert_eq!(uuid_text(&[]), "");
    }
}
