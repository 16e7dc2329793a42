//! A plan of device memory as the rows of its answer.

use super::lifetimes::{Lifetimes, order};
use super::memory_model::OwnedModel;
use crate::answer::{
    MemoryCategory, MemoryFailure, MemoryHbm, MemoryPage, MemorySlice, MemorySubgraph,
    MemoryVariable, OverlapPair, PlacedVariable, PlacedVariables, Provenance,
};
use crate::convert::{hex, provenance};
use device_image::Generation;
use device_image::dmem::driver::FIRMWARE_BYTES;
use device_image::dmem::{HbmShape, Usage};
use device_image::memory::plan::Plan;
use device_image::memory::{Model, Place, SliceKind, Total, VirtualVariable};
use records::Provenance as Sureness;
use records::memory::NOT_STAGED;
use std::collections::BTreeSet;

/// A plan with the files that it is about.
pub struct Shown<'a> {
    /// The files.
    pub models: &'a [OwnedModel],
    /// The same, as they were planned.
    pub plain: &'a [Model<'a>],
    /// The plan.
    pub plan: &'a Plan,
    /// Generation of the chip.
    pub generation: Generation,
    /// Uses of the listed variables, by subgraph over all files.
    pub lifetimes: &'a [Lifetimes],
    /// Usages of which something is not known, by subgraph over all files.
    pub lower: &'a [BTreeSet<Usage>],
}

impl Shown<'_> {
    /// Model and subgraph of a place among all subgraphs.
    fn flat(&self, mut at: usize) -> Option<(&OwnedModel, usize)> {
        for model in self.models {
            if at < model.indices.len() {
                return Some((model, at));
            }
            at -= model.indices.len();
        }
        None
    }

    /// A virtual variable of the plan.
    pub fn at(&self, at: usize) -> Option<MemoryVariable> {
        self.variable(self.plan.variables.get(at)?)
    }

    fn variable(&self, one: &VirtualVariable) -> Option<MemoryVariable> {
        let (model, at) = self.flat(one.subgraph)?;
        let name = model.variables.get(at)?.get(one.id).map(|one| one.name.clone());
        let uses = self.lifetimes.get(one.subgraph);
        Some(MemoryVariable {
            spans: uses.map(|uses| uses.spans(one.id)).unwrap_or_default(),
            file: model.file,
            subgraph: model.names.get(at)?.clone(),
            id: one.id,
            name: name.unwrap_or_default(),
            offset: one.offset,
            size: one.size,
            slice: match one.slice {
                SliceKind::Shared => "shared",
                SliceKind::Local(_) => "local",
            }
            .to_owned(),
        })
    }

    /// The pages of the core that is shown.
    pub fn pages(&self) -> Vec<MemoryPage> {
        let carrier = self.plan.carriers.get(&self.plan.core);
        let carrier = carrier.and_then(|at| self.flat(*at));
        let subgraph = carrier.and_then(|(model, at)| model.names.get(at).cloned());
        let subgraph = subgraph.unwrap_or_default();
        let pages = self.plan.layout.pages.iter().map(|page| MemoryPage {
            index: page.index,
            subgraph: subgraph.clone(),
            offset: page.offset,
            used_bytes: page.used_bytes,
            variables: page.variables.iter().filter_map(|at| self.at(*at)).collect(),
            n_variables: page.n_variables,
            references: usize::try_from(page.index)
                .ok()
                .and_then(|at| self.plan.references.get(at).copied())
                .unwrap_or(0),
        });
        pages.collect()
    }

    /// The pairs that share bytes.
    pub fn pairs(&self) -> Vec<OverlapPair> {
        let pairs = self.plan.pairs.iter().filter_map(|(a, b)| {
            let (a, b) = (self.at(*a)?, self.at(*b)?);
            let end = |one: &MemoryVariable| one.offset.saturating_add(one.size);
            let bytes = end(&a).min(end(&b)).saturating_sub(a.offset.max(b.offset));
            let order = order(&a.spans, &b.spans).to_owned();
            Some(OverlapPair { a, b, bytes, order })
        });
        pairs.collect()
    }

    /// The slices of the core that is shown.
    pub fn slices(&self) -> Vec<MemorySlice> {
        let slices = self.plan.slices.iter().map(|one| MemorySlice {
            file: self.models.get(one.model).map_or(0, |model| model.file),
            subgraph: one.subgraph.and_then(|flat| {
                let (model, at) = self.flat(flat)?;
                model.names.get(at).cloned()
            }),
            offset: one.offset,
            bytes: one.bytes,
            padding_bytes: one.padding_bytes,
        });
        slices.collect()
    }

    /// The HBMs after loading, with what the subgraphs on each ask for.
    pub fn hbms(&self, subgraphs: &[MemorySubgraph]) -> Vec<MemoryHbm> {
        let bases = HbmShape::of(self.generation).bases;
        let load = &self.plan.load;
        let hbms = (0..).zip(bases).zip(&load.free);
        hbms.map(|((index, base), (free, largest))| MemoryHbm {
            index,
            base: hex(*base),
            firmware_bytes: FIRMWARE_BYTES,
            categories: sums(subgraphs.iter().filter(|one| one.hbm == index)),
            used_bytes: load.counters.channel(index),
            set_up_bytes: load.kept_bytes.get(&index).copied().unwrap_or(0),
            free_bytes: *free,
            largest_free_bytes: *largest,
            at_least: subgraphs.iter().any(|one| {
                one.hbm == index && one.categories.iter().any(|category| category.at_least)
            }),
        })
        .collect()
    }

    /// What cannot be loaded.
    pub fn failures(&self) -> Vec<MemoryFailure> {
        let failures = self.plan.load.failures.iter().map(|one| {
            let model = self.models.get(one.model);
            MemoryFailure {
                file: model.map_or(0, |model| model.file),
                subgraph: one.subgraph.and_then(|at| model?.names.get(at).cloned()),
                what: one.what.clone(),
                status: one.status.map(|status| status.0),
                status_name: one.status.map(|status| status.name().to_owned()),
                hbm: one.hbm,
                bytes: one.bytes,
                alignment: one.alignment,
                free_bytes: one.free_bytes,
                largest_free_bytes: one.largest_free_bytes,
                short_bytes: one.short_bytes(),
            }
        });
        failures.collect()
    }

    /// What each subgraph needs.
    pub fn subgraphs(&self) -> Vec<MemorySubgraph> {
        let shape = HbmShape::of(self.generation);
        let subgraphs = self.plain.iter().flat_map(|model| &model.subgraphs);
        let needs = self.plan.needs.iter().enumerate().zip(subgraphs);
        let rows = needs.filter_map(|((flat, need), subgraph)| {
            let (model, at) = self.flat(flat)?;
            let measured = model.measured.get(at)?.as_ref();
            let code = *model.code.get(at)?;
            let lower = self.lower.get(flat);
            let lower = |usage: &Usage| lower.is_some_and(|all| all.contains(usage));
            // Of what is wholly unknown there are at least 0 bytes.
            let none = Total::default();
            let unknown = self.lower.get(flat).into_iter().flatten();
            let unknown: Vec<Usage> =
                unknown.filter(|one| !need.categories.contains_key(one)).copied().collect();
            let mut categories: Vec<MemoryCategory> = need
                .categories
                .iter()
                .chain(unknown.iter().map(|usage| (usage, &none)))
                .map(|(usage, sum)| {
                    let name = usage.words().unwrap_or("unknown").to_owned();
                    let is_code = matches!(usage.0, 1..=3 | 9 | 10);
                    let at_least = sum.exceeds || lower(usage);
                    let sure = match at_least {
                        true => Sureness::Modelled,
                        false if need.padding.contains_key(usage) => Sureness::Modelled,
                        false if is_code => code,
                        false => Sureness::Observed,
                    };
                    MemoryCategory {
                        measured_bytes: measured.map(|all| all.get(&name).copied().unwrap_or(0)),
                        name,
                        bytes: Some(sum.bytes),
                        exceeds: sum.exceeds,
                        at_least,
                        provenance: Some(provenance(sure)),
                    }
                })
                .collect();
            for (name, bytes) in measured.into_iter().flatten() {
                if !categories.iter().any(|one| one.name == *name) {
                    categories.push(MemoryCategory {
                        name: name.clone(),
                        bytes: None,
                        exceeds: false,
                        at_least: false,
                        provenance: None,
                        measured_bytes: Some(*bytes),
                    });
                }
            }
            Some(MemorySubgraph {
                file: model.file,
                subgraph: subgraph.name.clone(),
                core: subgraph.core,
                hbm: shape.default_channel(subgraph.core),
                local_bytes: need.local_bytes.bytes,
                shared_bytes: need.shared_bytes.bytes,
                n_virtual: need.n_virtual,
                virtual_bytes: need.virtual_bytes.bytes,
                overlaps: need.overlaps,
                io_bytes: need.io_bytes.bytes,
                file_bytes: need.file_bytes.bytes,
                categories,
            })
        });
        rows.collect()
    }

    /// Where variables are.
    pub fn places(&self, from: usize, count: usize) -> PlacedVariables {
        let mut total = 0;
        let mut rows = Vec::new();
        for (model, placed) in self.models.iter().zip(&self.plan.load.placed) {
            for (at, list) in placed.iter().enumerate() {
                // Rows before and behind the wanted ones are only counted.
                let first = from.saturating_sub(total);
                total += list.len();
                let room = count.saturating_sub(rows.len());
                let wanted = list.iter().skip(first).take(room);
                rows.extend(wanted.filter_map(|one| place(model, at, one)));
            }
        }
        PlacedVariables { total: total as u64, from: from as u64, rows }
    }
}

/// Sums by category, in the order of their first appearance.
fn sums<'a>(subgraphs: impl Iterator<Item = &'a MemorySubgraph>) -> Vec<MemoryCategory> {
    let mut sums: Vec<MemoryCategory> = Vec::new();
    // Gives whether the sum exceeds 2^64.
    let add = |sum: &mut Option<u64>, more: Option<u64>| {
        let Some(more) = more else { return false };
        let both = sum.unwrap_or(0).checked_add(more);
        *sum = Some(both.unwrap_or(u64::MAX));
        both.is_none()
    };
    for one in subgraphs.flat_map(|subgraph| &subgraph.categories) {
        match sums.iter_mut().find(|sum| sum.name == one.name) {
            Some(sum) => {
                sum.exceeds |= add(&mut sum.bytes, one.bytes) | one.exceeds;
                sum.at_least |= one.at_least | sum.exceeds;
                add(&mut sum.measured_bytes, one.measured_bytes);
                // A sum is as sure as its least sure part.
                sum.provenance = sum.provenance.max(one.provenance);
                if sum.exceeds {
                    sum.provenance = sum.provenance.max(Some(Provenance::Modelled));
                }
            }
            None => sums.push(one.clone()),
        }
    }
    sums
}

/// A placed variable as a row.
pub fn place(
    model: &OwnedModel,
    at: usize,
    one: &device_image::memory::Placed,
) -> Option<PlacedVariable> {
    let variable = model.variables.get(at)?.get(one.id)?;
    let (page, in_page_offset) = match one.place {
        Place::Page { page, in_page } => (Some(page), Some(in_page)),
        _ => (None, None),
    };
    Some(PlacedVariable {
        file: model.file,
        subgraph: model.names.get(at)?.clone(),
        id: one.id,
        name: variable.name.clone(),
        size: variable.size,
        place: match one.place {
            Place::StateBuffer => "state-buffer",
            Place::Own => "own",
            Place::Private => "private",
            Place::Page { .. } => "page",
            Place::AtExecute => "at-execute",
            Place::Table => "table",
            Place::Cell => "cell",
            Place::Remote => "remote",
            Place::NotStaged => "not-staged",
        }
        .to_owned(),
        category: match one.place {
            Place::Page { .. } => Usage::SCRATCHPAD.words(),
            Place::AtExecute => Usage::TENSOR.words(),
            _ => one.usage.and_then(Usage::words),
        }
        .map(str::to_owned),
        page,
        in_page_offset,
        address: (one.address != NOT_STAGED).then(|| hex(one.address)),
        reason: (one.address == NOT_STAGED).then(|| no_address(one.place).to_owned()),
        provenance: provenance(one.provenance),
    })
}

/// Why what is placed so has no device address.
const fn no_address(place: Place) -> &'static str {
    match place {
        Place::AtExecute => "bound-at-execution",
        Place::Table => "table-of-the-host",
        Place::Cell => "cell-not-published",
        Place::Remote => "remote-not-placed",
        _ => "type-unknown",
    }
}
