//! Transcript text made safe for Markdown and terminals: escaping, fences, shortening, control characters.
