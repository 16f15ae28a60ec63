//! The list of `sampling`: what it may hold, what contradicts, and that it is written as it is read.

use crate::parse::files::BURGERS;
use crate::parse::mistakes::{Mistake, check, mistake};
use equation::parse::parse;
use equation::problem::{Adaptive, Addition, Criterion, Phase, Priority, Sampler, Sampling, Steepness, Veto};

fn phases(lines: &str) -> Vec<Phase> {
    let text = BURGERS.replace("optimizer = \"adam\"", lines);
    let problem = parse(&text).unwrap_or_else(|mistakes| panic!("{lines}\n{mistakes}"));
    problem.training.phases
}

fn list(list: &str) -> Sampling {
    let phases = phases(&format!("sampling = {list}"));
    phases[0].sampling.clone().expect("it is stated")
}

fn chosen(priorities: &[Priority], candidates: usize) -> Adaptive {
    Adaptive::Chosen { priorities: priorities.to_vec(), candidates }
}

const RAD: Priority = Priority { criterion: Criterion::Residual, power: 1.0, floor: 1.0 };

#[test]
fn words_and_tables_say_how_points_move() {
    assert_eq!(list("[\"rad\"]").adaptive, Adaptive::usual());
    assert_eq!(list("\"rad\"").adaptive, Adaptive::usual(), "one entry needs no brackets");
    let steep = Priority { power: 2.0, floor: 0.5, ..RAD };
    let table = "{ kind = \"rad\", power = 2, floor = 0.5, candidates = 10 }";
    assert_eq!(list(table).adaptive, chosen(&[steep], 10));
    let field = Priority { criterion: Criterion::Gradient(Steepness::Field), ..RAD };
    let sure = Priority { criterion: Criterion::Uncertainty { damping: 1e-6 }, ..RAD };
    let several = "[\"rad\", { kind = \"gradient\", candidates = 6 }, \"uncertainty\"]";
    assert_eq!(list(several).adaptive, chosen(&[RAD, field, sure], 6));
    let rar = Adaptive::Added { choice: Addition::Largest, add: Some(10), candidates: 4 };
    assert_eq!(list("[{ kind = \"rar\", add = 10 }]").adaptive, rar);
    let choice = Addition::ByChance { power: 2.0, floor: 0.0 };
    assert_eq!(list("[\"rar-d\"]").adaptive, Adaptive::Added { choice, add: None, candidates: 4 });
    let cells = Adaptive::Cells { split: 3.0, merge: 0.5, candidates: 8 };
    assert_eq!(list("[{ kind = \"hierarchical\", split = 3 }]").adaptive, cells);
    let all = Sampling {
        sampler: Sampler::Halton,
        adaptive: Adaptive::Retained,
        causal: true,
        veto: Some(Veto { points: 500, factor: 1.5 }),
    };
    assert_eq!(
        list("[\"r3\", \"causal\", { kind = \"veto\", points = 500, factor = 1.5 }, \"halton\"]"),
        all
    );
    let none = Sampling { sampler: Sampler::Sobol, adaptive: Adaptive::Even, causal: false, veto: None };
    assert_eq!(list("[]"), none);
}

#[test]
fn a_list_is_written_as_it_is_read() {
    for text in [
        "[]",
        "[\"grid\", \"rad\"]",
        "[\"rad\", { kind = \"gradient\", of = \"residual\", power = 0.5 }, { kind = \"uncertainty\", damping = 1e-3 }]",
        "[{ kind = \"rar\", add = 7 }]",
        "[\"rar\"]",
        "[{ kind = \"rar-d\", power = 3, floor = 0.1, candidates = 9 }]",
        "[\"r3\", \"causal\", \"veto\"]",
        "[{ kind = \"hierarchical\", split = 1.5, merge = 0.25 }, { kind = \"veto\", points = 9, factor = 3 }]",
    ] {
        let read = list(text);
        assert_eq!(list(&read.written()), read, "{text}: {}", read.written());
    }
}

#[test]
fn a_phase_has_its_own_list_or_that_of_all() {
    let text = BURGERS.replace("optimizer = \"adam\"\n", "");
    let text = format!("{text}\n[[training.phase]]\nsampling = \"rad\"\n[[training.phase]]\n");
    let own = parse(&text).map(|problem| problem.training.phases);
    let own = own.unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let lists: Vec<_> = own.iter().map(|phase| phase.sampling.as_ref().map(|list| &list.adaptive)).collect();
    assert_eq!(lists, [Some(&Adaptive::usual()), None]);
    let text = text.replace("points = 4096", "points = 4096\nsampling = \"r3\"");
    let own = parse(&text).unwrap_or_else(|mistakes| panic!("{mistakes}")).training.phases;
    let lists: Vec<_> = own.iter().map(|phase| phase.sampling.as_ref().map(|list| &list.adaptive)).collect();
    assert_eq!(lists, [Some(&Adaptive::usual()), Some(&Adaptive::Retained)]);
    let text =
        text.replace("sampling = \"r3\"", "adaptive = false").replace("sampling = \"rad\"", "sampling = []");
    assert!(parse(&text).is_ok(), "a phase's list comes before the short forms of all phases");
}

const LIST: &str = "optimizer = \"adam\"";

const MISTAKES: &[Mistake] = &[
    mistake(BURGERS, LIST, "sampling = [«\"rat\"»]", "unknown value `rat`", "did you mean `rad`?"),
    mistake(
        BURGERS,
        LIST,
        "sampling = [«5»]",
        "expected a word, a table or a list of them, found an integer",
        "such as [\"r3\", \"causal\"] or [{ kind = \"rad\", power = 2 }]",
    ),
    mistake(
        BURGERS,
        LIST,
        "sampling = [«{ power = 2 }»]",
        "this entry has no `kind`",
        "such as `{ kind = \"rad\", power = 2 }`",
    ),
    mistake(
        BURGERS,
        LIST,
        "sampling = [{ kind = \"r3\", «power» = 2 }]",
        "unknown key `power`",
        "known: `kind`",
    ),
    mistake(BURGERS, LIST, "sampling = [{ kind = \"rad\", power = «0» }]", "expected a number above 0", ""),
    mistake(
        BURGERS,
        LIST,
        "sampling = [{ kind = \"rad\", floor = «-1» }]",
        "expected a number of at least 0",
        "",
    ),
    mistake(
        BURGERS,
        LIST,
        "sampling = [{ kind = \"rad\", candidates = «1» }]",
        "expected an integer from 2 to 1000, found 1",
        "",
    ),
    mistake(
        BURGERS,
        LIST,
        "sampling = [{ kind = \"hierarchical\", merge = «3» }]",
        "`merge` is 3 and `split` is 2: cells would join as they split",
        "make `merge` smaller than `split`",
    ),
    mistake(
        BURGERS,
        LIST,
        "sampling = [\"rad\", { kind = \"veto\", factor = «0.9» }]",
        "expected a number above 1",
        "residuals fall slowly and not always: `factor = 2` takes back what doubles them",
    ),
    mistake(
        BURGERS,
        LIST,
        "sampling = [\"rad\", «\"r3\"»]",
        "`rad` and `r3` both decide which points stay",
        "state one of them; only \"rad\", \"gradient\" and \"uncertainty\" add up",
    ),
    mistake(BURGERS, LIST, "sampling = [\"rad\", «\"rad\"»]", "`rad` is in the list twice", "state it once"),
    mistake(
        BURGERS,
        LIST,
        "sampling = [\"sobol\", «\"grid\"»]",
        "`sobol` and `grid` are two sequences, and points come from one",
        "state one of them",
    ),
    mistake(
        BURGERS,
        LIST,
        "sampling = [\"grid\", «\"r3\"»]",
        "`grid` and `r3`: a grid has no new points beside those that stay",
        "use another sequence, such as \"sobol\"",
    ),
    mistake(
        BURGERS,
        LIST,
        "sampling = [\"causal\", «\"rar\"»]",
        "`rar` never moves its first points, and `causal` begins with early times only",
        "use \"r3\" or \"rad\" with \"causal\"",
    ),
    mistake(
        BURGERS,
        LIST,
        "sampling = «[\"veto\"]»",
        "there are no moves that `veto` could take back",
        "add a method that moves points, such as \"rad\"",
    ),
    mistake(
        BURGERS,
        LIST,
        "sampling = [\"rad\"]\n«adaptive» = true",
        "`adaptive` and `sampling` both say where points lie",
        "state one of them: `adaptive = true` is the entry \"rad\" of the list",
    ),
    mistake(
        BURGERS,
        LIST,
        "sampling = [\"rad\"]\n«causal» = false",
        "`causal` and `sampling` both say where points lie",
        "state one of them: `causal = true` is the entry \"causal\" of the list",
    ),
    mistake(
        BURGERS,
        LIST,
        "sampling = [\"rad\"]\n«sampler» = \"halton\"",
        "`sampler` and `sampling` both say where points lie",
        "state one of them: a sequence may be an entry of the list, as in [\"halton\", \"rad\"]",
    ),
    mistake(
        BURGERS,
        LIST,
        "sampling = «[\"rad\"]»\nresample = 0",
        "adaptive sampling moves points, and `resample = 0` keeps them where they are",
        "state how many steps lie between two moves: `resample = 100`",
    ),
    mistake(
        BURGERS,
        LIST,
        "sampling = «\"causal\"»\nresample = 0",
        "causal training moves points, and `resample = 0` keeps them where they are",
        "state how many steps lie between two moves: `resample = 100`",
    ),
    mistake(
        BURGERS,
        LIST,
        "optimizer = \"lbfgs\"\n«batch» = 100",
        "`batch` belongs to another optimizer",
        "state it beside `optimizer = \"adam\"`",
    ),
    mistake(
        BURGERS,
        "[reference]",
        "[performance]\nmemory_threshold = «1.5»\n[reference]",
        "1.5 is more than all of the memory",
        "1 never uses less of it; 0.8 is usual",
    ),
    mistake(
        BURGERS,
        LIST,
        "optimizer = \"lbfgs\"\n«accumulate» = 4",
        "`accumulate` belongs to another optimizer",
        "state it beside `optimizer = \"adam\"`",
    ),
    mistake(
        BURGERS,
        LIST,
        "optimizer = \"adam\"\nresidual_weights = true\n«batch» = \"auto\"",
        "`residual_weights` look at all points, and a `batch` has some of them",
        "state one of them",
    ),
    mistake(
        BURGERS,
        LIST,
        "optimizer = \"adam\"\nresidual_weights = true\n«batch» = 100",
        "`residual_weights` look at all points, and a `batch` has some of them",
        "state one of them",
    ),
    mistake(
        BURGERS,
        LIST,
        "sampling = [\"rar\"]\nmost_points = «4096»",
        "no point can be added: there are 4096 points, and at most 4096",
        "make `most_points` larger than `points`",
    ),
];

#[test]
fn contradictions_are_told_with_their_place_and_a_way_out() {
    MISTAKES.iter().for_each(check);
    let rod = "title = \"T\"\n[domain]\nx = [0, 1]\n[unknowns]\nu = {}\n[equations]\na = \"u_xx = 1\"\n[conditions]\n\
               ends = { on = \"boundary\", equation = \"u = 0\" }\n[training]\nsampling = [\"rad\", \"causal\"]\n";
    let said = parse(rod).expect_err("there is no time").to_string();
    assert!(said.contains("there is no time that could come first"), "{said}");
    let common = "points = 4096\nsampling = \"r3\"";
    let text = BURGERS.replace("points = 4096", common);
    let said =
        parse(&format!("{text}\n[[training.phase]]\nadaptive = false\n")).expect_err("both").to_string();
    assert!(said.contains("`adaptive` and `sampling` of [training] both say where points lie"), "{said}");
}
