//! Where the parts of a drawing are moved to: `transform` attributes.

use super::super::OutlineError;
use super::numbers::Numbers;

/// `(x, y) ↦ (a x + c y + e, b x + d y + f)`, as drawings write it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Affine([f64; 6]);

impl Affine {
    pub(super) const HERE: Affine = Affine([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    pub(super) fn of(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let [a, b, c, d, e, f] = self.0;
        [a * x + c * y + e, b * x + d * y + f]
    }

    /// The inner one first.
    fn after(&self, inner: &Affine) -> Affine {
        let [a, b, c, d, _, _] = self.0;
        let [p, q, r, s, e, f] = inner.0;
        let [e, f] = self.of([e, f]);
        Affine([a * p + c * q, b * p + d * q, a * r + c * s, b * r + d * s, e, f])
    }

    /// This, and what an attribute states within it.
    pub(super) fn with(&self, text: &str, line: usize) -> Result<Affine, OutlineError> {
        let mut whole = *self;
        let mut numbers = Numbers::new(text, line);
        while let Some(name) = numbers.word() {
            numbers.expect('(')?;
            let mut values = Vec::new();
            while !numbers.take(')') {
                if values.len() > 6 {
                    return Err(numbers.unexpected("`)`"));
                }
                values.push(numbers.number()?);
            }
            let angle = values.first().copied().unwrap_or(0.0).to_radians();
            let ((sine, cosine), tangent) = (angle.sin_cos(), angle.tan());
            let own = match (name.as_str(), values.as_slice()) {
                ("matrix", &[a, b, c, d, e, f]) => Affine([a, b, c, d, e, f]),
                ("translate", &[x]) => Affine([1.0, 0.0, 0.0, 1.0, x, 0.0]),
                ("translate", &[x, y]) => Affine([1.0, 0.0, 0.0, 1.0, x, y]),
                ("scale", &[both]) => Affine([both, 0.0, 0.0, both, 0.0, 0.0]),
                ("scale", &[x, y]) => Affine([x, 0.0, 0.0, y, 0.0, 0.0]),
                ("rotate", &[_]) => Affine([cosine, sine, -sine, cosine, 0.0, 0.0]),
                ("rotate", &[_, x, y]) => {
                    let (e, f) = (x - cosine * x + sine * y, y - sine * x - cosine * y);
                    Affine([cosine, sine, -sine, cosine, e, f])
                }
                ("skewX", &[_]) => Affine([1.0, 0.0, tangent, 1.0, 0.0, 0.0]),
                ("skewY", &[_]) => Affine([1.0, tangent, 0.0, 1.0, 0.0, 0.0]),
                (name, values) => {
                    let what = format!("there is no transform `{name}` of {} numbers", values.len());
                    return Err(OutlineError::Unsupported { line, what });
                }
            };
            whole = whole.after(&own);
            numbers.take(',');
        }
        numbers.end()?;
        Ok(whole)
    }
}
