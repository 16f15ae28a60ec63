//! Calls on points: loss and gradient, whole steps of training, work on single terms.
//!
//! `room` finds room for a call and `prepare` brings there what it needs; `evaluate` launches loss and gradient, `run` keeps whole
//! steps on the device (`places`: where; `next` brings points while one is under way; `clip` makes gradients shorter), `draw` draws points there, `search` looks for them inside shapes, `tune` tries which tiles are fastest; `terms` is work on one term.

mod clip;
mod draw;
mod evaluate;
mod next;
mod places;
mod prepare;
mod room;
mod run;
mod search;
mod terms;
mod tune;

pub(super) use clip::text;
pub(super) use prepare::Step;
pub(super) use search::text as search_text;
