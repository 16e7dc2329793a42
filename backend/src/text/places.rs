//! The places of variables as rows of text.

use crate::format::{clean, line};
use debug_api::answer::{MemoryAnswer, PlacedVariable};
use std::fmt::Write;

/// The rows of `memory --from N --count M`: one for each variable.
pub fn places_text(answer: &MemoryAnswer) -> String {
    let mut out = String::new();
    let places = &answer.variables;
    let end = places.from.saturating_add(places.rows.len() as u64);
    line!(out, "{} scratchpad, pages of {} bytes", answer.mode, answer.page_size);
    if places.rows.is_empty() {
        line!(out, "no rows from {} on: there are {} variables", places.from, places.total);
        return out;
    }
    line!(out, "rows {}..{end} of {}", places.from, places.total);
    let files = answer.files.len() > 1;
    line!(
        out,
        "{:>18}  {:>20}  {:<18}  {:<13}  {:<17}  {:<10}  variable",
        "address",
        "bytes",
        "page",
        "place",
        "category",
        "provenance"
    );
    for row in &places.rows {
        let file = answer.files.iter().find(|one| one.file == row.file).filter(|_| files);
        let file = file.map_or(String::new(), |one| format!("{} ", clean(&one.name)));
        // Why a variable has no address stands behind its name.
        let reason = row.reason.as_ref();
        let reason = reason.map_or(String::new(), |why| format!("  {}", clean(why)));
        line!(
            out,
            "{:>18}  {:>20}  {:<18}  {:<13}  {:<17}  {:<10}  {file}{} {} {}{reason}",
            row.address.as_deref().unwrap_or("-"),
            row.size,
            page(row),
            row.place,
            row.category.as_deref().unwrap_or("-"),
            row.provenance.name(),
            clean(&row.subgraph),
            row.id,
            clean(&row.name)
        );
    }
    if end < places.total {
        line!(out, "{} more: --from {end}", places.total - end);
    }
    out
}

/// Page and byte of it.
fn page(row: &PlacedVariable) -> String {
    match (row.page, row.in_page_offset) {
        (Some(page), Some(at)) => format!("{page} + {at:#x}"),
        _ => "-".to_owned(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use debug_api::answer::Answer;
    use debug_api::{Limits, OpenFile, Session};
    use std::sync::Arc;

    fn answer(names: &[&str], from: u32, count: u32) -> MemoryAnswer {
        let files = names.iter().map(|name| {
            let path =
                format!("{}/../fixtures/cases/memory/input.neff", env!("CARGO_MANIFEST_DIR"));
            let bytes = std::fs::read(path).unwrap();
            Arc::new(OpenFile::open(name, bytes, &Limits::default()).unwrap())
        });
        let session = Session::new(files.collect());
        let question = format!(r#"{{"ask":"memory","from":{from},"count":{count}}}"#);
        match session.ask(&serde_json::from_str(&question).unwrap()).unwrap() {
            Answer::Memory(answer) => *answer,
            other => panic!("{other:?}"),
        }
    }

    fn cells(text: &str, name: &str) -> Vec<String> {
        let split = |row: &str| -> Vec<String> {
            let cells = row.split("  ").map(str::trim).filter(|cell| !cell.is_empty());
            cells.map(str::to_owned).collect()
        };
        let named =
            |row: &Vec<String>| row.get(6).is_some_and(|cell| cell.ends_with(&format!(" {name}")));
        text.lines().map(split).find(named).unwrap()
    }

    #[test]
    fn each_variable_is_a_row() {
        let text = places_text(&answer(&["m"], 0, 256));
        assert!(text.contains("\nrows 0..14 of 14\n"), "{text}");
        // scores: the first variable of sg00, whose slice starts with page 1; the address is page 1
        // of HBM 2 of the case, with 200 MiB.
        assert_eq!(
            cells(&text, "scores"),
            [
                "0x800021000000",
                "209715200",
                "1 + 0x0",
                "page",
                "shared scratchpad",
                "modelled",
                "sg00 4 scores"
            ]
        );
        // packed crosses a page: memory of its own, which is no shared scratchpad.
        let packed = cells(&text, "packed");
        assert_eq!(packed[1..5], ["314572800", "-", "private", "scratchpad"]);
        // x is bound at each execution.
        let x = cells(&text, "x");
        assert_eq!((x[0].as_str(), x[3].as_str(), x[4].as_str()), ("-", "at-execute", "tensor"));
        assert_eq!(text.lines().count(), 3 + 14);
    }

    #[test]
    fn pages_of_rows_say_where_they_are() {
        let text = places_text(&answer(&["m"], 2, 3));
        assert!(text.contains("\nrows 2..5 of 14\n"), "{text}");
        assert!(text.ends_with("\n9 more: --from 5\n"), "{text}");
        assert_eq!(text.lines().count(), 3 + 3 + 1);
        let text = places_text(&answer(&["m"], 11, 100));
        assert!(text.contains("\nrows 11..14 of 14\n") && !text.contains("more"), "{text}");
        let text = places_text(&answer(&["m"], 99, 100));
        assert!(text.ends_with("\nno rows from 99 on: there are 14 variables\n"), "{text}");
    }

    #[test]
    fn rows_of_several_files_name_their_file() {
        let text = places_text(&answer(&["a.neff", "b.neff"], 13, 2));
        let rows: Vec<&str> = text.lines().skip(3).take(2).collect();
        assert!(rows[0].contains("  a.neff sg01 ") && rows[1].contains("  b.neff sg00 "), "{text}");
    }
}
