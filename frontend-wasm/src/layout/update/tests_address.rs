//! Parts of an address, and texts of the go-to box, that lead nowhere: each is said, with the reason.

use super::tests::Page1;
use crate::layout::action::{Action, Arrived};
use crate::layout::state::{About, Notice, Purpose, State};
use debug_api::answer::GotoAnswer;
use std::rc::Rc;

fn fail(page: &mut Page1, code: &str, message: &str) {
    let asked = page.state.asked.get(&Purpose::Regions).copied().unwrap_or(0);
    let (severity, code) = ("error".to_owned(), code.to_owned());
    let notice = Notice { about: About::Regions, severity, code, message: message.to_owned() };
    page.act(Action::Failed { asked, notice });
}

fn told(state: &State) -> Vec<(&str, &str)> {
    state.notices.iter().map(|one| (one.code.as_str(), one.message.as_str())).collect()
}

#[test]
fn parts_that_name_nothing_are_left_out_and_said() {
    let mut page = Page1::open("profile=nope&s=sg99&core=99&e=QQ&slot=abc");
    fail(&mut page, "subgraph.unknown", "there is no subgraph `sg99`; the file has sg00");
    fail(&mut page, "profile.unknown", "there is no profile `nope`; the profiles are a b");
    fail(&mut page, "core.unknown", "known up to core 7");
    assert_eq!(page.state.build, Default::default());
    assert_eq!((page.state.selection.s.as_str(), page.state.wanted.e.as_str()), ("", "PE"));
    assert!(page.state.asked.contains_key(&Purpose::Regions), "the images are asked for again");
    let message = "In the address, e=QQ is no engine; the engines are PE ACT POOL DVE SP; slot=abc \
                   is no slot number; s=sg99 is not used: there is no subgraph `sg99`; the file has \
                   sg00; profile=nope is not used: there is no profile `nope`; the profiles are a b; \
                   core=99 is not used: known up to core 7. The rest of it is used.";
    assert_eq!(told(&page.state), [("address.part", message)]);
    // What no part is to blame for stays an error of the pane.
    fail(&mut page, "neff.gzip", "damaged");
    assert_eq!(told(&page.state)[1], ("neff.gzip", "damaged"));
}

#[test]
fn a_place_outside_is_said_beside_another_part() {
    let page = Page1::ready("core=x&ip=999");
    let codes: Vec<&str> = told(&page.state).iter().map(|(code, _)| *code).collect();
    assert_eq!(codes, ["address.part", "address.place"]);
}

#[test]
fn enter_on_a_text_that_fits_nothing_says_why() {
    let mut page = Page1::ready("");
    page.act(Action::GotoOpen(true));
    page.act(Action::GotoText("ip 99999".to_owned()));
    page.act(Action::GotoEnter(None));
    let answer = GotoAnswer {
        schema: 1,
        text: "ip 99999".to_owned(),
        targets: Vec::new(),
        hint: "NEFF IP 99999 is not in the stream of PE, which has the IPs 1 to 4.".to_owned(),
    };
    page.answer(Purpose::Goto, Arrived::Goto(Rc::new(answer)));
    let why = "Nothing fits `ip 99999`: NEFF IP 99999 is not in the stream of PE, which has the IPs \
               1 to 4.";
    assert_eq!(told(&page.state), [("goto.none", why)]);
    page.act(Action::GotoText("ip 4".to_owned()));
    assert!(page.state.notices.is_empty());
}
