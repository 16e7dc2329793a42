//! Files that could not be opened: a banner for each, and how the banners reach the next page.

use super::format::count;
use super::state::{About, Notice};

/// Most banners of one opening; the files after them are named together.
const MOST: usize = 6;

/// The banner of a file that could not be opened: its name, the reason and what to do.
pub fn banner(name: &str, why: Notice) -> Notice {
    let reason = why.message.strip_prefix(&format!("{name}: ")).unwrap_or(&why.message);
    let reason = reason.trim_end_matches('.');
    let next = match why.code.as_str() {
        // Their own sentences say what to do.
        "file.kind" | "limit.upload" => "",
        "profile.text" => " Save it as UTF-8 text, then add it again.",
        "source.text" => " Save it as text, then add it again.",
        _ => " It may be cut or damaged: copy it again from where it was made, then open it.",
    };
    Notice { message: format!("{name} was not opened: {reason}.{next}"), ..why }
}

/// The banners of one opening, so few that the page stays visible below them.
pub fn shown(mut all: Vec<Notice>) -> Vec<Notice> {
    if all.len() > MOST {
        let rest = all.split_off(MOST - 1);
        let names = rest.iter().filter_map(|notice| notice.message.split(" was not opened").next());
        let names = names.take(64).collect::<Vec<_>>().join(", ");
        let message = format!(
            "{} were not opened either: {names}. Open one alone to see its reason.",
            count(rest.len() as u64, "further file")
        );
        all.extend(rest.into_iter().next().map(|first| Notice { message, ..first }));
    }
    all
}

/// Banners as text, for the page that is loaded next.
pub fn write(notices: &[Notice]) -> String {
    let line = |notice: &Notice| {
        let message: String =
            notice.message.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        format!("{}\t{message}\n", notice.code)
    };
    notices.iter().map(line).collect()
}

/// What [`write()`] has written. Lines of another form are left out.
pub fn read(text: &str) -> Vec<Notice> {
    let lines = text.lines().filter_map(|line| line.split_once('\t'));
    lines
        .map(|(code, message)| Notice {
            about: About::Open,
            severity: "error".to_owned(),
            code: code.to_owned(),
            message: message.to_owned(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notice(code: &str, message: &str) -> Notice {
        let (severity, code) = ("error".to_owned(), code.to_owned());
        Notice { about: About::Open, severity, code, message: message.to_owned() }
    }

    #[test]
    fn a_banner_has_name_reason_and_next_step() {
        let cut = banner("t0.ntff", notice("ntff.short", "t0.ntff: the file ends at byte 0x0"));
        assert_eq!(
            cut.message,
            "t0.ntff was not opened: the file ends at byte 0x0. It may be cut or damaged: copy it \
             again from where it was made, then open it."
        );
        let log = banner("run.txt", notice("file.kind", "a log goes into the log box."));
        assert_eq!(log.message, "run.txt was not opened: a log goes into the log box.");
    }

    #[test]
    fn many_files_make_few_banners() {
        let all: Vec<Notice> =
            (0..9).map(|n| banner(&format!("{n}.ntff"), notice("ntff.short", "cut"))).collect();
        let shown = shown(all);
        assert_eq!(shown.len(), 6);
        assert_eq!(
            shown[5].message,
            "4 further files were not opened either: 5.ntff, 6.ntff, 7.ntff, 8.ntff. Open one \
             alone to see its reason."
        );
    }

    #[test]
    fn banners_survive_the_way_to_the_next_page() {
        let all = [banner("a\n\tb.toml", notice("profile.text", "byte 0x1 is no text"))];
        let read = read(&write(&all));
        assert_eq!(read.len(), 1);
        assert!(read[0].message.starts_with("a  b.toml was not opened: byte 0x1"));
        assert_eq!(read[0].code, "profile.text");
    }
}
