//! The variable table of `def.json`.

use crate::diagnostic::Severity;
use crate::json::Node;
use crate::reader::{Extra, Reader};

/// What a variable is, by its type text.
/// Spec: docs/format/documents.md "Variables" [observed; `dge-table` inferred].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum VarKind {
    /// `state-buffer`: the on-chip buffer.
    StateBuffer,
    /// `file` or `buffer`: filled from a member.
    File,
    /// `tmp-buf`.
    TmpBuf,
    /// `input`.
    Input,
    /// `output`.
    Output,
    /// `pointer` to another variable.
    Pointer,
    /// `virtual`: a range of the scratchpad.
    Virtual,
    /// `list` of variables.
    List,
    /// `dge-table`: a list of variables that descriptor generation indexes.
    DgeTable,
    /// `remote` and its forms `shared`, `sharded`, `main`: a variable of another subgraph.
    Remote,
    /// Any other text.
    Unknown,
}

impl VarKind {
    /// Understands a type text.
    pub fn parse(text: &str) -> Self {
        match text {
            "state-buffer" => Self::StateBuffer,
            "file" | "buffer" => Self::File,
            "tmp-buf" => Self::TmpBuf,
            "input" => Self::Input,
            "output" => Self::Output,
            "pointer" => Self::Pointer,
            "virtual" => Self::Virtual,
            "list" => Self::List,
            "dge-table" => Self::DgeTable,
            "remote" | "shared" | "sharded" | "main" => Self::Remote,
            _ => Self::Unknown,
        }
    }

    /// Number of the kind in a memory reference record; `None` if unknown. That a `dge-table` is
    /// a list is inferred.
    pub const fn mem_ref_type(self) -> Option<u32> {
        match self {
            Self::StateBuffer => Some(1),
            Self::File => Some(3),
            Self::TmpBuf => Some(4),
            Self::Input => Some(5),
            Self::Output => Some(6),
            Self::Pointer => Some(7),
            Self::Virtual => Some(8),
            Self::List | Self::DgeTable => Some(9),
            Self::Remote => Some(11),
            Self::Unknown => None,
        }
    }
}

/// One variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Name: free text, often long. Untrusted.
    pub name: String,
    /// Offset of its object in the member.
    pub offset: u64,
    /// Id; absent in the oldest files.
    pub var_id: Option<u32>,
    /// Kind.
    pub kind: VarKind,
    /// Type text as written; empty if absent.
    pub kind_text: String,
    /// Bytes; absent for the state buffer and for tables. May be 2^32 and more.
    pub size: Option<u64>,
    /// Alignment in bytes.
    pub alignment: Option<u64>,
    /// Bytes of an element.
    pub element_size: Option<u64>,
    /// Element type.
    pub dtype: Option<String>,
    /// Dimensions.
    pub shape: Option<Vec<u64>>,
    /// Member that fills it, relative to the subgraph's folder.
    pub file_name: Option<String>,
    /// Byte offset in the scratchpad, for virtual variables.
    pub backing_variable_off: Option<u64>,
    /// Kind of backing: `main`, `alt`, `sharded`.
    pub backing_buf: Option<String>,
    /// Ids of the listed variables.
    pub list: Option<Vec<u32>>,
    /// Id of the variable that a pointer refers to.
    pub referenced_var_id: Option<u32>,
    /// Subgraph of a remote variable.
    pub remote_subgraph: Option<String>,
    /// Name of a remote variable.
    pub remote_var: Option<String>,
    /// `fabric_path`.
    pub fabric_path: Option<String>,
    /// Other keys, and values of the wrong type.
    pub extra: Extra,
}

impl Variable {
    /// Reads one variable. Always yields one: a type that is missing or unknown is a finding.
    pub fn read(name: String, node: Node<'_>, reader: &mut Reader<'_>) -> Option<Self> {
        let what = format!("variable `{name}`");
        let mut fields = reader.object(node, &what)?;
        let at = fields.offset();
        let kind_text = reader.text(&mut fields, "type").unwrap_or_default();
        let kind = VarKind::parse(&kind_text);
        if kind == VarKind::Unknown {
            let message = if kind_text.is_empty() {
                format!("{what} has no type")
            } else {
                format!("{what} has the unknown type `{kind_text}`")
            };
            reader.report(Severity::Error, "var.type", at, message);
        }
        // Remote variables name their peer; for other kinds these keys mean nothing known.
        let is_remote = kind == VarKind::Remote;
        let variable = Self {
            offset: at,
            var_id: reader.bare_u32(&mut fields, "var_id"),
            kind,
            kind_text,
            size: reader.bare_u64(&mut fields, "size"),
            alignment: reader.bare_u64(&mut fields, "alignment"),
            element_size: reader.bare_u64(&mut fields, "element_size"),
            dtype: reader.text(&mut fields, "dtype"),
            shape: reader.u64_list(&mut fields, "shape"),
            file_name: reader.text(&mut fields, "file_name"),
            backing_variable_off: reader.bare_u64(&mut fields, "backing_variable_off"),
            backing_buf: reader.text(&mut fields, "backing_buf"),
            list: reader.u32_list(&mut fields, "list"),
            referenced_var_id: reader.bare_u32(&mut fields, "referenced_var_id"),
            remote_subgraph: is_remote.then(|| reader.text(&mut fields, "subgraph")).flatten(),
            remote_var: is_remote.then(|| reader.text(&mut fields, "var")).flatten(),
            fabric_path: reader.text(&mut fields, "fabric_path"),
            name,
            extra: reader.rest(fields),
        };
        variable.check(&what, reader);
        Some(variable)
    }

    fn check(&self, what: &str, reader: &mut Reader<'_>) {
        let needs_size = matches!(
            self.kind,
            VarKind::TmpBuf
                | VarKind::Input
                | VarKind::Output
                | VarKind::Pointer
                | VarKind::Virtual
        );
        if needs_size && self.size.is_none() && !self.extra.contains_key("size") {
            reader.report(
                Severity::Error,
                "var.size",
                self.offset,
                format!("{what} of type `{}` has no size", self.kind_text),
            );
        }
        if let Some(alignment) = self.alignment
            && !alignment.is_power_of_two()
        {
            reader.report(
                Severity::Error,
                "var.alignment",
                self.offset,
                format!("{what} has alignment {alignment}, expected a power of two"),
            );
        }
        let end = self.backing_variable_off.unwrap_or(0).checked_add(self.size.unwrap_or(0));
        if end.is_none() {
            reader.report(
                Severity::Error,
                "var.range",
                self.offset,
                format!("{what} ends beyond 2^64"),
            );
        }
    }
}
