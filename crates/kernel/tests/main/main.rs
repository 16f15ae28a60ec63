//! Every engine against the interpreter: one binary for all, which links once.

mod agreement;
mod cases;
mod conformance;
mod cuda;
mod cuda_compile;
mod cuda_stand_in;
mod jacobian;
mod reference;
mod skips;
mod weighing;
