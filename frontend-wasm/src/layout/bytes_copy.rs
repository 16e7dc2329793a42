//! Selected bytes as a text to copy.

use debug_api::plain::range;

/// Bytes as digits in pairs.
pub fn as_hex(bytes: &[u8]) -> String {
    let pairs: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    pairs.join(" ")
}

/// Bytes as a C array with a name made of what they are of.
pub fn as_c(bytes: &[u8], label: &str, at: u64) -> String {
    let mut name: String = label
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' })
        .take(48)
        .collect();
    if name.chars().next().is_none_or(|c| c.is_ascii_digit()) {
        name.insert(0, '_');
    }
    let own = range(at, at + bytes.len() as u64);
    let mut out = format!("/* {label}, {own} */\n");
    out.push_str(&format!("static const uint8_t {name}_{at:x}[{}] = {{\n", bytes.len()));
    for line in bytes.chunks(12) {
        let pairs: Vec<String> = line.iter().map(|byte| format!("0x{byte:02x}")).collect();
        out.push_str(&format!("    {},\n", pairs.join(", ")));
    }
    out + "};\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_say_what_they_are() {
        assert_eq!(as_hex(&[1, 0xAB]), "01 ab");
        let c = as_c(&[0x5A; 13], "sg00/PE.bin", 0x40);
        assert!(c.starts_with("/* sg00/PE.bin, 0x40..0x4d, 13 bytes */\n"));
        assert!(c.contains("static const uint8_t sg00_pe_bin_40[13] = {\n    0x5a, "));
        assert!(c.ends_with("0x5a,\n    0x5a,\n};\n"));
        assert!(as_c(&[0], "0.bin", 0).contains(" _0_bin_0[1]"));
    }
}
