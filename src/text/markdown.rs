//! The only door to pulldown-cmark: finished Markdown (ours or anybody's) as blocks, sentences, tables with byte spans.
