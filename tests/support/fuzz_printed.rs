//! Fuzz body of the printer's text: any text is read without harm, and a printed context comes back.

use device_image::firmware::reader::{PrintedContext, read};
use device_image::firmware::text::{TextForm, print};
use device_image::firmware::{FirmwareDump, tree};
use neff::Findings;
use records::collectives::ContextArch;

/// Name of the model in printed texts.
const NAME: &str = "a model";

/// Address of the context in printed texts.
const BASE: u64 = 0x8_0000_1000;

/// The first byte says what the rest is: a text, the memory of a context that is printed and read
/// back, or edits of such a text.
///
/// # Panics
///
/// When a reading differs from the one before, a place is outside of the text, a bit is told
/// otherwise than it was, or the text of what was read is another one.
#[allow(clippy::unwrap_used, clippy::panic, reason = "a fuzz body reports by panicking")]
pub fn run(data: &[u8]) {
    let Some((&mode, rest)) = data.split_first() else { return };
    if mode % 4 == 0 {
        read_any(&String::from_utf8_lossy(rest));
        return;
    }
    let arch = ContextArch::ALL[usize::from(mode >> 2) % ContextArch::ALL.len()];
    let (edits, memory) = match mode % 4 {
        1 => rest.split_at(0),
        _ => rest.split_at(rest.len().min(usize::from(mode >> 4) * 4)),
    };
    let mut bytes = memory.to_vec();
    bytes.resize(arch.context_bytes(), 0);
    let dump = FirmwareDump { bytes: &bytes, arch, offset: 0 };
    let tree = tree::context(&dump.context().unwrap(), NAME, BASE);
    let firmware = print(&tree, TextForm::Firmware).text;
    if mode % 4 == 1 {
        let strict = print(&tree, TextForm::Strict).text;
        let made = read_whole(&firmware, arch);
        assert_eq!(made, read_whole(&strict, arch), "both forms say the same");
        comes_back(&made, &bytes);
        let again = FirmwareDump { bytes: &made.bytes, arch, offset: 0 };
        let tree = tree::context(&again.context().unwrap(), NAME, BASE);
        assert_eq!(print(&tree, TextForm::Firmware).text, firmware);
        return;
    }
    // Two bytes of place, one of length, one that is put there.
    let mut text = firmware.into_bytes();
    for edit in edits.chunks_exact(4) {
        let &[low, high, length, byte] = edit else { continue };
        let at = (usize::from(low) + usize::from(high) * 256) * text.len() / 0x1_0000;
        let end = (at + usize::from(length % 8)).min(text.len());
        text.splice(at..end, std::iter::once(byte).filter(|byte| *byte != 0));
    }
    read_any(&String::from_utf8_lossy(&text));
}

/// Any text: the same twice, places inside, nothing told that is not known to be told.
#[allow(clippy::unwrap_used, reason = "a fuzz body reports by panicking")]
fn read_any(text: &str) {
    for asked in [None, Some(ContextArch::Sunda)] {
        let (mut findings, mut again) = (Findings::new(), Findings::new());
        let made = read(text, asked, &mut findings);
        assert_eq!(made, read(text, asked, &mut again));
        assert_eq!(findings, again);
        for one in findings.as_slice() {
            assert!(one.at.offset.unwrap() <= text.len() as u64, "{one:?}");
        }
        match made {
            Ok(made) => {
                assert_eq!(made.bytes.len(), made.arch.context_bytes());
                assert_eq!(made.known.len(), made.bytes.len());
                let open =
                    made.bytes.iter().zip(&made.known).all(|(byte, known)| byte & !known == 0);
                assert!(open, "a bit that is not told is 0");
                assert!(asked.is_none_or(|asked| made.arch == asked));
            }
            Err(error) => assert!(error.at <= text.len() && text.is_char_boundary(error.at)),
        }
    }
}

/// A whole printed text: nothing is odd about it.
#[allow(clippy::unwrap_used, reason = "a fuzz body reports by panicking")]
fn read_whole(text: &str, arch: ContextArch) -> PrintedContext {
    let mut findings = Findings::new();
    let made = read(text, Some(arch), &mut findings).unwrap();
    assert_eq!(findings.as_slice(), []);
    assert!(made.tells_arch);
    assert_eq!((made.arch, made.base), (arch, Some(BASE)));
    assert_eq!(made.model_name.as_deref(), Some(NAME));
    made
}

/// Each bit that a text tells is that of the memory it was printed from.
fn comes_back(made: &PrintedContext, memory: &[u8]) {
    assert_eq!(made.bytes.len(), memory.len());
    let told = made.bytes.iter().zip(&made.known).zip(memory).enumerate();
    for (at, ((byte, known), stored)) in told {
        assert_eq!(*byte, stored & known, "byte {at:#x}");
    }
}
