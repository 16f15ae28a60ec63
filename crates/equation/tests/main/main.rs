//! Text to plan, and the interpreter: one binary for all tests, which links once.

mod channels;
mod constrain;
mod decide;
mod oracle;
mod parse;
