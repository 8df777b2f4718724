//! The only door to Tera: built-in templates, embedded, and a user's folder that overrides them by name.
