//! Printing an expression and reading it again gives the same expression.

use crate::parse::files;
use equation::expression::Expression;
use equation::parse::parse;
use equation::problem::Problem;
use proptest::prelude::*;

const FRAME: &str = r#"
[domain]
t = [0, 1]
x = [0, 1]
y = [0, 1]
[constants]
k = 2.5
[functions]
f = "x*y + t"
[unknowns]
u = {}
v = {}
[conditions]
all = { on = "boundary", equation = ["u = 0", "v = 0"] }
start = { on = "t = 0", equation = ["u = 0", "v = 0", "u_t = 0", "v_t = 0", "u_tt = 0", "v_tt = 0"] }
[equations]
frame = "u_t + v_t = 0"
"#;

/// The first residual of an equation that is added to the frame.
fn read(text: &str) -> Option<Problem> {
    parse(&format!("{FRAME}added = '{text} = 0'\n")).ok()
}

/// Reads `text`, prints it, and reads both in one file, where equal handles mean equal expressions.
fn survives(text: &str) -> Result<(), TestCaseError> {
    let Some(problem) = read(text) else { return Ok(()) };
    let printed = problem.pool.print(problem.equations[1].residual, &problem);
    let both = format!("{FRAME}added = '{text} = 0'\nagain = '{printed} = 0'\n");
    let both =
        parse(&both).map_err(|m| TestCaseError::fail(format!("{printed}\n{}", m.render("printed"))))?;
    let handles: Vec<Expression> = both.equations[1..].iter().map(|equation| equation.residual).collect();
    let again = both.pool.print(handles[1], &both);
    prop_assert_eq!(handles[0], handles[1], "{} is printed as {} and read as {}", text, printed, again);
    Ok(())
}

fn expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("u".to_owned()),
        Just("u_x".to_owned()),
        Just("v_xy".to_owned()),
        Just("x".to_owned()),
        Just("t".to_owned()),
        Just("k".to_owned()),
        Just("f".to_owned()),
        Just("f_x".to_owned()),
        Just("pi".to_owned()),
        (1u32..40).prop_map(|number| number.to_string()),
        (1u32..4000).prop_map(|number| format!("{}", f64::from(number) / 64.0)),
        (1u32..9).prop_map(|number| format!("{number}e-7")),
    ];
    leaf.prop_recursive(5, 40, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a} + {b}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a} - ({b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a})*({b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a})/({b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a})^({b})")),
            (inner.clone(), 2u32..5).prop_map(|(a, n)| format!("({a})^{n}")),
            inner.clone().prop_map(|a| format!("({a})^-0.5")),
            inner.clone().prop_map(|a| format!("-({a})")),
            inner.clone().prop_map(|a| format!("sin({a})")),
            inner.clone().prop_map(|a| format!("sqrt({a})")),
            inner.clone().prop_map(|a| format!("d({a}, x)")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("max({a}, {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} <= {b})")),
            (inner.clone(), inner.clone(), inner).prop_map(|(a, b, c)| format!("where({a} > {b}, {c}, 1)")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.max(1500), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_printed_expression_reads_back_as_itself(text in expression()) {
        survives(&format!("u + v + {text}"))?;
    }
}

#[test]
fn the_equations_of_all_good_files_read_back_as_themselves() {
    for (name, text) in files::FILES {
        let problem = parse(text).expect(name);
        for equation in &problem.equations {
            let printed = problem.pool.print(equation.residual, &problem);
            let more = text.replacen("[equations]\n", &format!("[equations]\nfirst = '{printed} = 0'\n"), 1);
            let again = parse(&more).unwrap_or_else(|mistakes| panic!("{}", mistakes.render(name)));
            let found = again.equations.iter().skip(1).any(|e| e.residual == again.equations[0].residual);
            assert!(found, "{name}: {printed}");
        }
    }
}
