//! rarefaction
