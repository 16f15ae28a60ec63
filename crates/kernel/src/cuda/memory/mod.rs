//! The machine's memory, and who has which part of it.
//!
//! `ledger` is its owner: three tenants, one limit, copies from and to the host. `arena` is what a tenant has, `pools` how a
//! call shares it out, `plan` what users are told.

mod arena;
mod ledger;
mod plan;
mod pools;

pub(super) use ledger::{Lease, MemoryLedger, Tenant};
pub use plan::{MemoryPlan, MemoryUse, Purpose};
pub(super) use pools::{MemoryPool, Regions};
