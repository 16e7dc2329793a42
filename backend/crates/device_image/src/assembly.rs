//! The images of all five engines of a subgraph, and what becomes of the patch lists.
//!
//! Engines are built in the order of their codes, so SP comes last. One that cannot be built is a
//! finding with its place; the others are there all the same.
//! Spec: docs/format/image.md "Stages" [observed].

use neff::{Findings, Place, Severity};
use records::{Engine, Slot};

use crate::assemble::{AssembleError, Options, assemble};
use crate::image::Image;
use crate::inputs::Inputs;
use crate::profile::Profile;
use crate::program::{Program, Subgraph};

/// Findings with which the runtime's builder gives up.
/// Spec: docs/format/image.md "Rooms" [inferred].
const GIVES_UP: [&str; 5] = [
    "image.function-unknown",
    "image.postamble-large",
    "image.profile",
    "image.scratch-large",
    "image.too-large",
];

/// What becomes of the patch lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatchLists {
    /// They are kept with the model.
    Kept,
    /// An error frees all of them. Execution does not need them, so the images are not affected;
    /// the runtime's own reading of a PC then finds no row.
    Freed {
        /// Engine whose error it is.
        engine: Engine,
        /// Code of that error.
        code: &'static str,
    },
}

/// The images of a subgraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assembly {
    /// By engine code. One that could not be built is [`Image::none`].
    pub images: [Image; 5],
    /// What becomes of the patch lists.
    pub patch_lists: PatchLists,
}

/// Builds the five images. Streams are in the order of the engine codes.
pub fn assemble_all(
    profile: &Profile,
    subgraph: &Subgraph,
    streams: [&[Slot]; 5],
    inputs: &Inputs,
    options: Options<'_>,
    findings: &mut Findings,
) -> Assembly {
    let mut patch_lists = PatchLists::Kept;
    let mut build = |engine: Engine, slots: &[Slot]| {
        let program = Program { subgraph, engine, slots };
        let before = findings.as_slice().len();
        let made = assemble(profile, program, inputs, options, findings);
        let image = made.unwrap_or_else(|error| {
            let (code, at) = match &error {
                AssembleError::TooLarge { record, .. } => {
                    ("image.too-large", program.place(*record))
                }
                AssembleError::Recipe(_) => ("image.profile", program.whole_place()),
            };
            findings.push(Severity::Error, code, at, format!("no image of {engine}: {error}"));
            Image::none(engine, &profile.name)
        });
        let new = findings.as_slice().get(before..).unwrap_or(&[]);
        let error = new.iter().find(|finding| GIVES_UP.contains(&finding.code));
        if let (Some(error), PatchLists::Kept) = (error, &patch_lists) {
            patch_lists = PatchLists::Freed { engine, code: error.code };
        }
        image
    };
    let [pe, act, pool, dve, sp] = streams;
    let images = [
        build(Engine::Pe, pe),
        build(Engine::Act, act),
        build(Engine::Pool, pool),
        build(Engine::Dve, dve),
        build(Engine::Sp, sp),
    ];
    if let PatchLists::Freed { engine, code } = &patch_lists {
        findings.push(
            Severity::Warning,
            "image.patches-freed",
            Place { engine: None, ..Place::engine(subgraph.name.clone(), engine.name()) },
            format!(
                "after {code} on {engine} the runtime frees the patch lists of all engines: its own \
                 reading of a PC finds no row; the images and the exact reading are not affected"
            ),
        );
    }
    Assembly { images, patch_lists }
}
