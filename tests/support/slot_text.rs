//! 64-byte records from short texts: `c1 10 @0c 'q_in' @30 01`.
//!
//! Tokens are separated by blanks: hexadecimal bytes, `@` with a hexadecimal offset, and ASCII
//! text in quotes. What is not written is zero.

use anyhow::{Context as _, Result, bail, ensure};

/// The record that a text describes.
pub fn slot(text: &str) -> Result<[u8; 64]> {
    let mut record = [0_u8; 64];
    let mut at = 0;
    let mut write = |at: &mut usize, bytes: &[u8]| -> Result<()> {
        let end = *at + bytes.len();
        ensure!(end <= 64, "`{text}` writes past the 64th byte");
        record[*at..end].copy_from_slice(bytes);
        *at = end;
        Ok(())
    };
    for token in text.split_whitespace() {
        if let Some(offset) = token.strip_prefix('@') {
            at = usize::from_str_radix(offset, 16).with_context(|| format!("bad `{token}`"))?;
        } else if let Some(quoted) = token.strip_prefix('\'') {
            let ascii = quoted.strip_suffix('\'').with_context(|| format!("bad `{token}`"))?;
            write(&mut at, ascii.as_bytes())?;
        } else if token.len() == 2 {
            let byte = u8::from_str_radix(token, 16).with_context(|| format!("bad `{token}`"))?;
            write(&mut at, &[byte])?;
        } else {
            bail!("`{token}` is no byte, offset or quoted text");
        }
    }
    Ok(record)
}

#[cfg(test)]
mod tests {
    #[test]
    fn tokens_write_where_they_stand() -> anyhow::Result<()> {
        let record = super::slot("c1 10 @0c 'ab' @3f 7f")?;
        assert_eq!(record[..2], [0xC1, 0x10]);
        assert_eq!(&record[0x0C..0x0F], b"ab\0");
        assert_eq!(record[63], 0x7F);
        assert!(super::slot("@3f 'ab'").is_err());
        assert!(super::slot("123").is_err());
        Ok(())
    }
}
