//! Time in windows: which problems can be cut, and what the pieces are.

use crate::parse::files::{BURGERS, POISSON};
use crate::parse::mistakes::reject;
use equation::constrain::constrain;
use equation::decide::decide;
use equation::expression::Leaf;
use equation::parse::{parse, parse_with};
use equation::problem::{Place, Problem};

const START: &str = "start = { on = \"t = 0\", equation = \"u = -sin(pi*x)\" }";

/// Checks that a file of which some text is replaced cannot be cut into windows for a reason.
fn refuse(good: &str, bad: &str, reason: &str) {
    assert!(BURGERS.contains(good), "{good} is in the file");
    refuse_file(&BURGERS.replacen(good, bad, 1), reason);
}

fn refuse_file(file: &str, reason: &str) {
    parse(file).unwrap_or_else(|mistakes| panic!("{}", mistakes.render("file")));
    let text = file.replacen("[training]", "[training]\nwindows = 4", 1);
    let mistakes = reject(&text);
    let [found] = mistakes.list() else { panic!("one mistake\n{}", mistakes.render("file")) };
    assert_eq!(found.message, format!("this problem cannot be divided into time windows: {reason}"));
    assert_eq!(&text[found.span.start..found.span.end], "4");
    assert!(found.hint.is_some());
}

#[test]
fn times_that_belong_together_are_not_cut_and_the_reason_is_said() {
    refuse_file(&format!("{POISSON}\n[training]\n"), "there is no time");
    let end = format!("{START}\nend = {{ on = \"t = 1\", equation = \"u = 0\" }}");
    refuse(START, &end, "condition `end` refers to a later time");
    let early = "on = \"x = -1, x = 1 where t < 0.5\"";
    refuse("on = \"x = -1, x = 1\"", early, "condition `walls` holds at some times only");
    refuse(START, "turn = { periodic = \"t\" }", "time is periodic and has no start");
    refuse("width = 20", "width = 20\nperiodic = [\"t\"]", "time is periodic and has no start");
    let ansatz = "[ansatz]\nu = \"-sin(pi*x) + t*N\"\n[network]";
    refuse(
        "[network]",
        ansatz,
        "the ansatz of `u` depends on time, but later time windows have other initial times",
    );
    let data = "[data]\nprobe = { file = \"a.csv\", columns = [\"t\", \"x\", \"u\"] }\n[network]";
    refuse("[network]", data, "[data] may belong to any time");
    let scalar = BURGERS.replace("[equations]", "[parameters]\nspeed = { start = 1 }\n[equations]");
    refuse_file(&scalar.replace("u*u_x =", "speed*u*u_x ="), "[parameters] are trained over all of time");
    let open = BURGERS.replace("t = [0, 1]", "t = { range = [0, 1], open = true }").replace(START, "");
    refuse_file(&open, "there is no initial condition");
}

#[test]
fn one_window_is_no_window() {
    for file in [BURGERS, POISSON] {
        let problem = parse_with(file, &["training.windows=1".to_owned()]).expect("a good file");
        assert_eq!(problem.windows(), None);
    }
}

fn cut(overrides: &[&str]) -> Problem {
    let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
    constrain(parse_with(BURGERS, &overrides).expect("a good file"))
}

#[test]
fn windows_cover_time_and_where_two_meet_the_earlier_one_answers() {
    let windows = cut(&["training.windows=4", "domain.t=[0, 4]"]).windows().expect("four");
    assert_eq!((windows.axis, windows.count(), &*windows.cuts), (0, 4, &[0.0, 1.0, 2.0, 3.0, 4.0][..]));
    let times = [-9.0, 0.0, 1.0, 1.001, 2.0, 3.5, 4.0, 9.0];
    assert_eq!(times.map(|time| windows.at(time)), [0, 0, 0, 1, 1, 3, 3, 3]);
}

#[test]
fn windows_may_meet_at_stated_times_which_ascend_inside_of_time() {
    let windows = cut(&["training.windows=[0.01, 0.1, 0.5]"]).windows().expect("four");
    assert_eq!(&*windows.cuts, &[0.0, 0.01, 0.1, 0.5, 1.0]);
    assert_eq!(cut(&["training.windows=[]"]).windows(), None);
    let refuse = |times: &str, reason: &str| {
        let mistakes = reject(&BURGERS.replacen("[training]", &format!("[training]\nwindows = {times}"), 1));
        let [found] = mistakes.list() else { panic!("one mistake\n{}", mistakes.render("file")) };
        assert_eq!(found.message, reason);
    };
    refuse("[0.5, 0.2]", "expected times between 0.5 and 1, found 0.2");
    refuse("[0, 0.5]", "expected times between 0 and 1, found 0");
    refuse("[0.5, 1.0]", "expected times between 0.5 and 1, found 1");
    refuse("[\"soon\"]", "expected a number, found a string");
}

#[test]
fn a_window_has_its_own_start_which_its_points_bring_along() {
    let whole = cut(&["training.windows=5"]);
    let windows = whole.windows().expect("five");
    let third = whole.window(&windows, 2);
    assert_eq!(third.windows(), None, "it is a problem as any other");
    let time = &third.domain.coordinates[0];
    assert_eq!((time.low, time.high), (0.4, 0.6));
    let [start] = &third.conditions[..] else { panic!("the walls are exact, the start is not") };
    let Place::Pieces(pieces) = &start.place else { panic!("a face") };
    assert_eq!(pieces[0].fixed, [(0, time.low)]);
    let leaves = third.pool.leaves(&[start.equations[0].residual]);
    assert!(leaves.contains(&Leaf::Column(0)), "{leaves:?}");
}

#[test]
fn of_what_is_stated_for_the_whole_the_first_window_gets_three_shares_and_others_one_to_the_last_step() {
    let budget = "training.budget={ steps = 23, seconds = 3, loss = 1e-9 }";
    let whole = cut(&["training.windows=4", budget, "training.steps=10"]);
    let windows = whole.windows().expect("four");
    let training: Vec<_> = (0..4).map(|number| whole.window(&windows, number).training).collect();
    let budgets: Vec<_> = training.iter().filter_map(|training| training.phases[0].budget).collect();
    assert_eq!(budgets.iter().filter_map(|budget| budget.steps).collect::<Vec<_>>(), [11, 4, 4, 4]);
    assert_eq!(budgets.iter().filter_map(|budget| budget.seconds).collect::<Vec<_>>(), [1.5, 0.5, 0.5, 0.5]);
    assert!(budgets.iter().all(|budget| budget.loss == Some(1e-9)));
    assert_eq!(training.iter().filter_map(|training| training.steps).collect::<Vec<_>>(), [5, 1, 2, 2]);
}

/// The number of windows of a spring that goes through ten periods.
fn chosen(training: &str) -> usize {
    let text = format!(
        "[domain]\nt = [0, 20]\n[unknowns]\nu = {{}}\n[equations]\nspring = \"u_tt + pi^2*u = 0\"\n[conditions]\n\
         start = {{ on = \"t = 0\", equations = [\"u = 1\", \"u_t = 0\"] }}\n[training]\n{training}\n"
    );
    decided(&text).training.windows.count()
}

fn decided(text: &str) -> Problem {
    let problem = parse(text).unwrap_or_else(|mistakes| panic!("{}", mistakes.render("file")));
    decide(problem).expect("it can be").0
}

#[test]
fn many_periods_are_cut_where_the_file_leaves_it_open() {
    assert_eq!(
        (chosen(""), chosen("windows = \"auto\""), chosen("optimizer = \"gauss-newton\"")),
        (10, 10, 10)
    );
    assert_eq!(
        (chosen("windows = 1"), chosen("windows = [3, 5]"), chosen("optimizer = \"adam\"")),
        (1, 3, 1)
    );
    assert_eq!(decided(BURGERS).training.windows.count(), 1);
}

#[test]
fn where_small_changes_grow_fast_windows_double_in_length() {
    let grown = |rate: &str| {
        let text = format!(
            "[domain]\nt = [0, 2]\n[unknowns]\nu = {{}}\n[equations]\na = \"u_t = {rate}*u*(1 - u)\"\n\
             [conditions]\nstart = {{ on = \"t = 0\", equation = \"u = 1e-9\" }}\n"
        );
        decided(&text).windows()
    };
    assert_eq!(grown("7"), None);
    let windows = grown("40").expect("it is cut");
    assert_eq!(windows.cuts, [0.0, 0.1, 0.2, 0.4, 0.8, 2.0]);
}
