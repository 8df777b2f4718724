//! Paths as logs write them: of any system, never resolved.

/// The last part of a path, whichever way its slashes lean; a path that ends in `/` is named by the folder before it.
///
/// ```
/// use turnpoint::base::path::base_name;
/// assert_eq!((base_name("/w/src/a.rs"), base_name(r"C:\w\b.py"), base_name("dir/")), ("a.rs", "b.py", "dir"));
/// ```
pub fn base_name(path: &str) -> &str {
    path.trim_end_matches('/').rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Whether two paths may name one file: the same, or one of them written from further up.
///
/// ```
/// use turnpoint::base::path::same_file;
/// assert!(same_file("/w/src/a.rs", "src/a.rs") && same_file("./a.rs", "a.rs"));
/// assert!(!same_file("/w/a.rs", "/v/a.rs") && !same_file("data.rs", "a.rs"));
/// ```
pub fn same_file(a: &str, b: &str) -> bool {
    let (a, b) = (a.trim_start_matches("./"), b.trim_start_matches("./"));
    let (long, short) = if a.len() < b.len() { (b, a) } else { (a, b) };
    long.strip_suffix(short).is_some_and(|before| before.is_empty() || before.ends_with(['/', '\\']))
}
