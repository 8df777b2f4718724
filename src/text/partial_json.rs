//! JSON that was cut: read as far as it goes.
