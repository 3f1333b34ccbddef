//! Says where the protoc is that the build of the crate `agones` asks for, and its own messages.

fn main() {
    println!("{}", protoc_bin_vendored::protoc_bin_path().expect("protoc").display());
    println!("{}", protoc_bin_vendored::include_path().expect("include").display());
}
