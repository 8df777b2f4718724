//! Units: spellings, canonical tokens, dimensions and factors; quantities and how numbers are read.
