fn main() {
    let args: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&args[1]).unwrap();
    let problem =
        equation::parse::parse_with(&text, &args[3..]).unwrap_or_else(|m| panic!("{}", m.render("x")));
    let plan = equation::taylor::plan(&problem).unwrap();
    for name in args[2].split(',') {
        let p: kernel::Precision = name.parse().unwrap();
        std::fs::write(format!("/tmp/dump/{name}.cu"), kernel::cuda::kernel_text(&plan, p)).unwrap();
    }
}
