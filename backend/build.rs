//! Rebuilds the server when an embedded asset or a template changes.

fn main() {
    println!("cargo:rerun-if-changed=../static");
    println!("cargo:rerun-if-changed=templates");
}
