//! Compares what kernels are given with what they read: the text of the kernels is compiled, without being run, with assertions
//! about the fields of its `Arguments` and about its constants.

use super::given::{Given, Laid};
use super::region::{DeviceNumber, Region};
use super::stand_in::RUNTIME;
use std::fmt::Write;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// A field of a struct that kernels are given.
pub(crate) struct ArgumentField {
    pub(crate) name: &'static str,
    pub(crate) offset: usize,
    pub(crate) bytes: usize,
    /// What it must be in C++, with `Type` for its type.
    pub(crate) read: &'static str,
}

/// What kernels read a field as.
pub(crate) trait Read {
    const AS: &'static str;
}

impl Read for f64 {
    const AS: &'static str = "std::is_same_v<Type, double>";
}

impl Read for u64 {
    const AS: &'static str = "std::is_integral_v<Type>";
}

impl Read for Region<f64> {
    const AS: &'static str = "points_to<Type, double>";
}

impl Read for Region<DeviceNumber> {
    const AS: &'static str = "points_to<Type, number>";
}

impl Read for Region<u64> {
    const AS: &'static str = "points_to<Type, long long>";
}

impl Read for Region<i32> {
    const AS: &'static str = "points_to<Type, int>";
}

impl<T: Read, const COUNT: usize> Read for [T; COUNT] {
    const AS: &'static str = T::AS;
}

/// What assertions ask: whether a type is the address of another, whoever may write there.
const POINTS_TO: &str = "template <typename Pointer, typename To> constexpr bool points_to = \
    std::is_pointer_v<Pointer> && std::is_same_v<std::remove_const_t<std::remove_pointer_t<Pointer>>, To>;";

/// What the compiler says to assertions about a text: nothing where all of them hold.
fn complaints(text: &str, assertions: &str) -> String {
    let mut compiler = Command::new("c++")
        .args(["-std=c++17", "-w", "-fsyntax-only", "-x", "c++", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a C++ compiler");
    let whole = format!("#include <type_traits>\n{RUNTIME}\n{text}\n{POINTS_TO}\n{assertions}");
    compiler.stdin.take().expect("a pipe").write_all(whole.as_bytes()).expect("a compiler that reads");
    let output = compiler.wait_with_output().expect("a compiler that ends");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.success(), said.is_empty(), "{said}");
    said
}

/// Assertions about every field of `Arguments`, and about their number.
fn about<T: Laid>() -> String {
    let mut assertions = format!("static_assert(sizeof(Arguments) == {}, \"size\");\n", size_of::<T>());
    for ArgumentField { name, offset, bytes, read } in T::fields() {
        let read = read.replace("Type", &format!("std::remove_all_extents_t<decltype(Arguments::{name})>"));
        _ = writeln!(
            assertions,
            "static_assert(__builtin_offsetof(Arguments, {name}) == {offset}, \"place of {name}\");\n\
             static_assert(sizeof(Arguments::{name}) == {bytes} && {read}, \"type of {name}\");"
        );
    }
    assertions
}

/// Fails where a text has other fields, at other places or of other types, than its kernels are given, or where one of its
/// constants is not what the host believes.
pub(crate) fn assert_twins<T: Given>(text: &str, constants: &[(&str, usize)]) {
    let mut assertions = about::<T::Words>();
    for (name, value) in constants {
        _ = writeln!(assertions, "static_assert({name} == {value}, \"{name}\");");
    }
    assert_eq!(complaints(text, &assertions), "");
    // Two neighbours that change places are noticed: otherwise nothing above would mean anything.
    let names: Vec<&str> = T::Words::fields().iter().map(|field| field.name).collect();
    let [first, second] = [names[names.len() - 2], names[names.len() - 1]];
    let swapped = assertions
        .replace(&format!("Arguments, {first})"), "Arguments, \u{0})")
        .replace(&format!("Arguments, {second})"), &format!("Arguments, {first})"))
        .replace("Arguments, \u{0})", &format!("Arguments, {second})"));
    assert!(complaints(text, &swapped).contains(&format!("place of {first}")));
}
