//! The attribute `d` of a path: `M L H V Z C S Q T A`, and the same in small letters from where the pen is.

use super::super::OutlineError;
use super::curve::Curve;
use super::numbers::Numbers;

/// The pen, and what it has drawn.
struct Pen {
    done: Vec<Curve>,
    now: Option<Curve>,
    here: [f64; 2],
    /// Where the line at hand began.
    start: [f64; 2],
    /// The last control point of a cubic or a quadratic before, which smooth ones mirror.
    cubic: Option<[f64; 2]>,
    quadratic: Option<[f64; 2]>,
}

/// All lines of a path. What is not closed is closed by a straight line, as for filling.
pub(super) fn curves(text: &str, line: usize) -> Result<Vec<Curve>, OutlineError> {
    let mut numbers = Numbers::new(text, line);
    let origin = [0.0; 2];
    let mut pen =
        Pen { done: Vec::new(), now: None, here: origin, start: origin, cubic: None, quadratic: None };
    let mut command = None;
    while !numbers.is_done() {
        let letter = match (numbers.letter(), command) {
            (Some(letter), _) => letter,
            // Without a letter the one before goes on; moves go on as lines.
            (None, Some('M')) => 'L',
            (None, Some('m')) => 'l',
            (None, Some('Z' | 'z') | None) => {
                return Err(numbers.unexpected("a letter of a path, such as `M`"));
            }
            (None, Some(letter)) => letter,
        };
        if command.is_none() && !matches!(letter, 'M' | 'm') {
            return Err(numbers.unexpected("a path that begins with `M`"));
        }
        pen.draw(letter, &mut numbers)?;
        command = Some(letter);
    }
    pen.lift();
    Ok(pen.done)
}

impl Pen {
    fn lift(&mut self) {
        self.done.extend(self.now.take().filter(|curve| !curve.is_point()));
    }

    fn curve(&mut self, line: usize) -> &mut Curve {
        let here = self.here;
        self.now.get_or_insert_with(|| Curve::new(line, here))
    }

    fn draw(&mut self, letter: char, numbers: &mut Numbers<'_>) -> Result<(), OutlineError> {
        let line = numbers.line();
        let from = if letter.is_ascii_lowercase() { self.here } else { [0.0; 2] };
        let point = |numbers: &mut Numbers<'_>| {
            let [x, y] = numbers.pair()?;
            Ok::<_, OutlineError>([from[0] + x, from[1] + y])
        };
        let mirrored = |control: Option<[f64; 2]>, here: [f64; 2]| match control {
            Some([x, y]) => [2.0 * here[0] - x, 2.0 * here[1] - y],
            None => here,
        };
        let (mut cubic, mut quadratic) = (None, None);
        let end = match letter.to_ascii_uppercase() {
            'M' => {
                self.lift();
                let place = point(numbers)?;
                self.start = place;
                place
            }
            'Z' => {
                self.lift();
                self.start
            }
            'L' => {
                let end = point(numbers)?;
                self.curve(line).straight(end);
                end
            }
            'H' => {
                let end = [from[0] + numbers.number()?, self.here[1]];
                self.curve(line).straight(end);
                end
            }
            'V' => {
                let end = [self.here[0], from[1] + numbers.number()?];
                self.curve(line).straight(end);
                end
            }
            kind @ ('C' | 'S') => {
                let first = if kind == 'C' { point(numbers)? } else { mirrored(self.cubic, self.here) };
                let (second, end) = (point(numbers)?, point(numbers)?);
                self.curve(line).cubic(first, second, end);
                cubic = Some(second);
                end
            }
            kind @ ('Q' | 'T') => {
                let control = if kind == 'Q' { point(numbers)? } else { mirrored(self.quadratic, self.here) };
                let end = point(numbers)?;
                self.curve(line).quadratic(control, end);
                quadratic = Some(control);
                end
            }
            'A' => {
                let (radii, turned) = (numbers.pair()?, numbers.number()?);
                let flags = [numbers.flag()?, numbers.flag()?];
                let end = point(numbers)?;
                self.curve(line).arc(radii, turned, flags, end);
                end
            }
            _ => {
                let what =
                    format!("there is no `{letter}` in paths: they are written with M L H V Z C S Q T A");
                return Err(OutlineError::Unsupported { line, what });
            }
        };
        (self.cubic, self.quadratic, self.here) = (cubic, quadratic, end);
        Ok(())
    }
}
