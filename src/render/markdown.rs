//! An article as Markdown, laid out by a template.
