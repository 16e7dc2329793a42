//! What an address keeps of a run.

use super::*;

#[test]
fn an_address_runs_again_what_ran_and_only_that() {
    let mut view = RunBox::default();
    assert!(view.choices.read("stall", "q_load:3"));
    assert!(!RunAddress::of(&view).run);
    view.ran = Some(view.choices.clone());
    let mut query = Vec::new();
    RunAddress::of(&view).write(|key, value| {
        query.extend(value.map(|value| (key.to_owned(), value)));
    });
    assert_eq!(
        query,
        [("run".to_owned(), "1".to_owned()), ("stall".to_owned(), "q_load:3".to_owned())]
    );
    let mut read = RunAddress::default();
    assert!(query.iter().all(|(key, value)| read.read(key, value)));
    let mut again = RunBox::default();
    again.take_address(&read);
    assert_eq!(again.ran, view.ran);
    view.choices.read("seed", "4");
    assert!(view.is_stale());
    assert!(!RunAddress::of(&view).run);
}
