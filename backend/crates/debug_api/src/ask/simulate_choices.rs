//! What a question about a run chooses, as the simulator takes it.

use crate::convert::number;
use crate::error::{ApiError, ErrorKind};
use crate::request::SimulateRequest;
use device_sim::input::{DEFAULT_EVENTS, MAX_EVENTS, MAX_INFERENCES, Setting, WhatIf};
use device_sim::timing::Timing;

/// Things that can be broken on purpose at once.
const MAX_WHAT_IF: usize = 256;
/// Most nanoseconds by which a core starts late.
const MAX_DELAY_NS: u64 = 1_000_000_000;

/// The choices of a run.
///
/// # Errors
/// `request.invalid` for a choice that makes no sense.
pub fn setting(request: &SimulateRequest) -> Result<Setting, ApiError> {
    let inferences = request.inferences.unwrap_or(1);
    if inferences == 0 || inferences > MAX_INFERENCES {
        let message = format!("a run has 1 to {MAX_INFERENCES} inferences, not {inferences}");
        return Err(ApiError::bad_request(message));
    }
    let max_events = request.max_events.unwrap_or(DEFAULT_EVENTS);
    if max_events == 0 || max_events > MAX_EVENTS {
        let message = format!("a run has 1 to {MAX_EVENTS} events, not {max_events}");
        return Err(ApiError::bad_request(message));
    }
    let until_main_end = match request.until.as_deref() {
        None => false,
        Some("main-end") => true,
        Some(other) => {
            let message = format!("`until` is main-end, not `{}`", shown(other));
            return Err(ApiError::bad_request(message));
        }
    };
    if request.stall.len() + request.drop.len() + request.delay.len() > MAX_WHAT_IF {
        let message = format!("at most {MAX_WHAT_IF} things are broken at once");
        return Err(ApiError::bad_request(message));
    }
    let stalls = request.stall.iter().map(|text| stall(text));
    let drops = request.drop.iter().map(|text| drop_post(text));
    let delays = request.delay.iter().map(|text| delay(text));
    let what_if = stalls.chain(drops).chain(delays).collect::<Result<_, _>>()?;
    Ok(Setting { inferences, seed: request.seed, max_events, until_main_end, what_if })
}

/// The timing model.
///
/// # Errors
/// `timing.invalid` with what is wrong.
pub fn timing(request: &SimulateRequest) -> Result<Timing, ApiError> {
    let made = match &request.timing {
        None => Timing::built_in(),
        Some(text) => Timing::parse(text),
    };
    made.map_err(|error| {
        let line = error.at.zip(request.timing.as_deref()).map(|(at, text)| {
            let before = text.get(..at).unwrap_or_default();
            (before.matches('\n').count() + 1) as u64
        });
        let place = line.map_or_else(String::new, |line| format!("line {line}: "));
        let message = format!("the timing model cannot be read: {place}{}", error.message);
        let mut made = ApiError::new(ErrorKind::Undecodable, "timing.invalid", message);
        made.at.line = line;
        made.at.offset = error.at.map(|at| at as u64);
        made
    })
}

fn stall(text: &str) -> Result<WhatIf, ApiError> {
    let wrong = || {
        ApiError::bad_request(format!(
            "`{}` is no ring: QUEUE:RING, with a ring from 0 to 15",
            shown(text)
        ))
    };
    let (queue, ring) = text.rsplit_once(':').ok_or_else(wrong)?;
    let ring = number("ring", ring)?;
    let ring = u8::try_from(ring).ok().filter(|ring| *ring < 16).ok_or_else(wrong)?;
    Ok(WhatIf::StallRing { queue: queue.to_owned(), ring })
}

fn delay(text: &str) -> Result<WhatIf, ApiError> {
    let wrong = || {
        ApiError::bad_request(format!(
            "`{}` is no delay: SUBGRAPH:NS, rankN:NS or rankN/SUBGRAPH:NS, at most {MAX_DELAY_NS} ns",
            shown(text)
        ))
    };
    let (whom, ns) = text.rsplit_once(':').ok_or_else(wrong)?;
    let ns = Some(number("delay", ns)?).filter(|ns| *ns <= MAX_DELAY_NS).ok_or_else(wrong)?;
    let (rank, subgraph) = whom_of(whom);
    Ok(WhatIf::Delay { rank, subgraph, ns })
}

/// Rank and subgraph of `rankN`, `rankN/SUBGRAPH` or `SUBGRAPH`.
pub fn whom_of(text: &str) -> (Option<u32>, Option<String>) {
    let (first, rest) = match text.split_once('/') {
        Some((first, rest)) => (first, Some(rest)),
        None => (text, None),
    };
    let rank = first.strip_prefix("rank").and_then(|rank| rank.parse().ok());
    match (rank, rest) {
        (Some(rank), rest) => (Some(rank), rest.map(str::to_owned)),
        (None, _) => (None, Some(text.to_owned())),
    }
}

fn drop_post(text: &str) -> Result<WhatIf, ApiError> {
    let wrong = || {
        ApiError::bad_request(format!(
            "`{}` is no post: [SUBGRAPH:]semaphore:ID[:NTH], [SUBGRAPH:]event:ID[:NTH], with rankN/ \
             before the subgraph for one rank, or rankN:link[:NTH]",
            shown(text)
        ))
    };
    let parts: Vec<&str> = text.split(':').collect();
    let kind = parts.iter().position(|part| matches!(*part, "semaphore" | "event" | "link"));
    let at = kind.filter(|at| *at <= 1).ok_or_else(wrong)?;
    let (whom, rest) = (parts.get(..at).unwrap_or_default(), parts.get(at..));
    let (rank, subgraph) = whom.first().map_or((None, None), |whom| whom_of(whom));
    let nth = |text: &str| -> Result<u64, ApiError> {
        Some(number("number of the post", text)?).filter(|nth| *nth > 0).ok_or_else(wrong)
    };
    if let Some(["link", rest @ ..]) = rest {
        let nth = match rest {
            [] => 1,
            [one] => nth(one)?,
            _ => return Err(wrong()),
        };
        let rank = rank.filter(|_| subgraph.is_none()).ok_or_else(wrong)?;
        return Ok(WhatIf::DropLink { rank, nth });
    }
    let (event, id, number_of_it) = match rest {
        Some([kind, id]) => (*kind == "event", *id, "1"),
        Some([kind, id, nth]) => (*kind == "event", *id, *nth),
        _ => return Err(wrong()),
    };
    let id = u8::try_from(number("id", id)?).map_err(|_| wrong())?;
    Ok(WhatIf::DropPost { rank, subgraph, event, id, nth: nth(number_of_it)? })
}

fn shown(text: &str) -> String {
    text.chars().take(64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_by_hand() {
        let request = SimulateRequest {
            stall: vec!["q:a:3".to_owned()],
            drop: vec![
                "sg01:event:6".to_owned(),
                "rank3:semaphore:0x18:4".to_owned(),
                "rank1:link:2".to_owned(),
            ],
            delay: vec!["sg01:5000".to_owned(), "rank2:7".to_owned()],
            until: Some("main-end".to_owned()),
            ..SimulateRequest::default()
        };
        let setting = setting(&request).unwrap();
        assert!(setting.until_main_end);
        assert_eq!(
            setting.what_if,
            [
                WhatIf::StallRing { queue: "q:a".to_owned(), ring: 3 },
                WhatIf::DropPost {
                    rank: None,
                    subgraph: Some("sg01".to_owned()),
                    event: true,
                    id: 6,
                    nth: 1
                },
                WhatIf::DropPost { rank: Some(3), subgraph: None, event: false, id: 24, nth: 4 },
                WhatIf::DropLink { rank: 1, nth: 2 },
                WhatIf::Delay { rank: None, subgraph: Some("sg01".to_owned()), ns: 5000 },
                WhatIf::Delay { rank: Some(2), subgraph: None, ns: 7 },
            ]
        );
    }

    #[test]
    fn choices_without_sense_are_refused() {
        let base = SimulateRequest::default;
        let wrong = [
            SimulateRequest { inferences: Some(0), ..base() },
            SimulateRequest { max_events: Some(0), ..base() },
            SimulateRequest { max_events: Some(MAX_EVENTS + 1), ..base() },
            SimulateRequest { until: Some("end".to_owned()), ..base() },
            SimulateRequest { stall: vec!["q".to_owned()], ..base() },
            SimulateRequest { stall: vec!["q:16".to_owned()], ..base() },
            SimulateRequest { drop: vec!["a:b:event:1".to_owned()], ..base() },
            SimulateRequest { delay: vec!["sg00".to_owned()], ..base() },
            SimulateRequest { delay: vec!["sg00:1000000001".to_owned()], ..base() },
            SimulateRequest { drop: vec!["event:256".to_owned()], ..base() },
            SimulateRequest { drop: vec!["event:1:0".to_owned()], ..base() },
            SimulateRequest { drop: vec!["event:1:1:1".to_owned()], ..base() },
            SimulateRequest { drop: vec!["link:1".to_owned()], ..base() },
            SimulateRequest { drop: vec!["rank0:link:0".to_owned()], ..base() },
        ];
        for request in wrong {
            assert_eq!(setting(&request).unwrap_err().code, "request.invalid", "{request:?}");
        }
        let request = SimulateRequest { timing: Some("name = 1".to_owned()), ..base() };
        assert_eq!(timing(&request).unwrap_err().code, "timing.invalid");
    }
}
