//! What each question is about.

use super::{Request, Scope};

impl Request {
    /// What it is about; `None` for questions about files and profiles.
    pub fn scope(&self) -> Option<&Scope> {
        match self {
            Self::Info { .. }
            | Self::Ntff { .. }
            | Self::Files {}
            | Self::Scratchpad { .. }
            | Self::Schedule(_)
            | Self::Tsync(_)
            | Self::DumpRead { .. }
            | Self::SpadCtrl { .. }
            | Self::SpadCtrlEncode { .. }
            | Self::Printers {}
            | Self::Profiles {} => None,
            Self::Collectives(request) => Some(&request.scope),
            Self::Simulate(request) => Some(&request.scope),
            Self::Timeline(request) => Some(&request.scope),
            Self::TimelineEvents(request) => Some(&request.scope),
            Self::TimelineState(request) => Some(&request.scope),
            Self::Slots { scope, .. }
            | Self::Image { scope }
            | Self::Records { scope, .. }
            | Self::Record { scope, .. }
            | Self::Members { scope, .. }
            | Self::Bytes { scope, .. }
            | Self::Kbin { scope, .. }
            | Self::Variable { scope, .. }
            | Self::Queue { scope, .. }
            | Self::Index { scope, .. }
            | Self::Transfer { scope, .. }
            | Self::Regions { scope }
            | Self::Diff { scope, .. }
            | Self::Pc { scope, .. }
            | Self::Ip { scope, .. }
            | Self::Slot { scope, .. }
            | Self::Source { scope, .. }
            | Self::Log { scope, .. }
            | Self::Memory { scope, .. }
            | Self::Address { scope, .. }
            | Self::AddressMap { scope, .. }
            | Self::SpadTable { scope, .. }
            | Self::Dump { scope, .. }
            | Self::DumpText { scope, .. }
            | Self::Goto { scope, .. } => Some(scope),
        }
    }

    /// The same, to be changed.
    pub fn scope_mut(&mut self) -> Option<&mut Scope> {
        match self {
            Self::Info { .. }
            | Self::Ntff { .. }
            | Self::Files {}
            | Self::Scratchpad { .. }
            | Self::Schedule(_)
            | Self::Tsync(_)
            | Self::DumpRead { .. }
            | Self::SpadCtrl { .. }
            | Self::SpadCtrlEncode { .. }
            | Self::Printers {}
            | Self::Profiles {} => None,
            Self::Collectives(request) => Some(&mut request.scope),
            Self::Simulate(request) => Some(&mut request.scope),
            Self::Timeline(request) => Some(&mut request.scope),
            Self::TimelineEvents(request) => Some(&mut request.scope),
            Self::TimelineState(request) => Some(&mut request.scope),
            Self::Slots { scope, .. }
            | Self::Image { scope }
            | Self::Records { scope, .. }
            | Self::Record { scope, .. }
            | Self::Members { scope, .. }
            | Self::Bytes { scope, .. }
            | Self::Kbin { scope, .. }
            | Self::Variable { scope, .. }
            | Self::Queue { scope, .. }
            | Self::Index { scope, .. }
            | Self::Transfer { scope, .. }
            | Self::Regions { scope }
            | Self::Diff { scope, .. }
            | Self::Pc { scope, .. }
            | Self::Ip { scope, .. }
            | Self::Slot { scope, .. }
            | Self::Source { scope, .. }
            | Self::Log { scope, .. }
            | Self::Memory { scope, .. }
            | Self::Address { scope, .. }
            | Self::AddressMap { scope, .. }
            | Self::SpadTable { scope, .. }
            | Self::Dump { scope, .. }
            | Self::DumpText { scope, .. }
            | Self::Goto { scope, .. } => Some(scope),
        }
    }
}
