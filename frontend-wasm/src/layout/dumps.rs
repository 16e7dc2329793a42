//! Structs of a memory dump, as the Structs view lists and shows records.

use debug_api::answer::{DumpAnswer, RecordAnswer, RecordInfo};
use debug_api::{Request, Scope};

/// What the names of a dump's structs begin with here, so that they are told from others.
pub const DUMP: &str = "dump";

/// The question for a page of structs, or for one of them.
pub fn dump_request(
    scope: Scope,
    name: Option<String>,
    from: u32,
    find: Option<String>,
) -> Request {
    Request::Dump {
        scope,
        generation: None,
        offset: 0,
        names_only: name.is_none(),
        name,
        from: u64::from(from),
        count: None,
        find,
    }
}

/// The structs of a dump as the view lists records; their place is that in the context.
pub fn dump_list(answer: &DumpAnswer) -> Vec<RecordInfo> {
    let structs = answer.structs.iter();
    structs
        .map(|one| RecordInfo {
            name: format!("{DUMP}.{}", one.name),
            kind: one.kind.clone(),
            bytes: one.bytes,
            model_offset: Some(one.context_offset),
            hit: one.hit.clone(),
            total_hits: 0,
            hits: Vec::new(),
            rows: None,
            part: None,
        })
        .collect()
}

/// One struct of a dump as the view shows records.
pub fn of_dump(answer: &DumpAnswer) -> Option<RecordAnswer> {
    let record = dump_list(answer).into_iter().next()?;
    let one = answer.structs.first()?.clone();
    Some(RecordAnswer {
        schema: answer.schema,
        subgraph: String::new(),
        engine: String::new(),
        profile: String::new(),
        record,
        spec: one.spec,
        links: Vec::new(),
        hex: one.hex.unwrap_or_default(),
        fields: one.fields,
    })
}
