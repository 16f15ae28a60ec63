//! ordination
