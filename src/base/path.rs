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
