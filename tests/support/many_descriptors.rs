//! A program that is large in descriptors, for measurements.

use anyhow::Result;

use crate::case::{Case, MemberText};
use crate::neff_builder::build;

/// A file whose program has so many descriptors, as older compilers made them: one in a block.
pub fn many_descriptors(count: usize) -> Result<Vec<u8>> {
    let block = |id: usize| {
        format!(
            r#"{{"queue": "q", "id": {id}, "desc": [{{"from": "x", "from_off": 0, "from_sizes": [64, 32], "from_steps": [1, 128], "from_dtype": "float32", "to": "SB", "to_off": {}, "to_sizes": [64, 32], "to_steps": [1, 262144], "to_dtype": "float32"}}]}}"#,
            id % 1024 * 64
        )
    };
    let blocks: Vec<String> = (0..count).map(block).collect();
    let member = |name: &str, text: String| MemberText {
        name: name.to_owned(),
        text: Some(text),
        ..MemberText::default()
    };
    let case = Case {
        members: vec![
            member("kelf-0.json", r#"{"graphs": [{"definition": "sg00/def.json", "name": "sg00"}], "version": "0.5", "target": "cayman"}"#.to_owned()),
            member("sg00/def.json", r#"{"sp": "sp.json", "var": {"SB": {"type": "state-buffer", "var_id": 0}, "x": {"type": "output", "size": 8192, "var_id": 1}}, "dma_queue": {"q": {"owner": "sp", "type": "data", "semaphore": 8}}}"#.to_owned()),
            member("sg00/sp.json", format!(r#"{{"dma": [{}]}}"#, blocks.join(","))),
        ],
        ..Case::default()
    };
    build(&case)
}
