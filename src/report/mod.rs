//! Session, facts and findings to articles.
