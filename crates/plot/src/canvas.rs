//! Pixels, and what is drawn into them.

use super::Colour;

/// A point of the canvas, in pixels from the left and from the top.
pub(super) type Spot = (f64, f64);

/// A rectangle of the canvas, in pixels.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Area {
    pub(super) fn right(&self) -> f64 {
        self.left + self.width
    }

    pub(super) fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// Whether a spot lies in it or on its edge.
    pub(super) fn holds(&self, (x, y): Spot) -> bool {
        (self.left..=self.right()).contains(&x) && (self.top..=self.bottom()).contains(&y)
    }

    /// As whole pixels: first column and row, one past the last column and row.
    fn pixels(&self) -> [usize; 4] {
        [self.left, self.top, self.right(), self.bottom()].map(|edge| edge.round().max(0.0) as usize)
    }
}

/// How a line is drawn.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pen {
    /// Its colour.
    pub colour: Colour,
    /// Its width in pixels.
    pub width: f64,
    /// Lengths of a dash and of the gap after it, in pixels; `None` draws through.
    pub dash: Option<(f64, f64)>,
}

impl Pen {
    /// A continuous line.
    pub fn solid(colour: Colour, width: f64) -> Self {
        Pen { colour, width, dash: None }
    }

    /// A line of dashes.
    pub fn dashed(colour: Colour, width: f64) -> Self {
        Pen { colour, width, dash: Some((3.6 * width, 3.4 * width)) }
    }
}

/// A picture in the making: white paper.
#[derive(Clone, Debug)]
pub(super) struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<Colour>,
}

impl Canvas {
    pub(super) fn new(width: usize, height: usize) -> Self {
        Canvas { width, height, pixels: vec![Colour::WHITE; width * height] }
    }

    /// The whole of it.
    pub(super) fn area(&self) -> Area {
        Area { left: 0.0, top: 0.0, width: self.width as f64, height: self.height as f64 }
    }

    /// Gives every whole pixel of `area` the colour that `paint` finds for it, from the shares of the way to
    /// the right and downwards: 0 at the first pixel's centre, 1 at the last one's.
    pub(super) fn paint(&mut self, area: Area, paint: impl Fn(f64, f64) -> Colour) {
        let [left, top, right, bottom] = area.pixels();
        let share = |place: usize, first: usize, end: usize| match end - first {
            1 => 0.5,
            length => (place - first) as f64 / (length - 1) as f64,
        };
        for y in top..bottom.min(self.height) {
            for x in left..right.min(self.width) {
                self.pixels[y * self.width + x] = paint(share(x, left, right), share(y, top, bottom));
            }
        }
    }

    /// Draws lines through the points of each path, with round ends and joints, inside `clip` only. Where
    /// they cross, they cover once.
    pub(super) fn stroke(&mut self, paths: &[Vec<Spot>], pen: Pen, clip: Area) {
        let dashes;
        let paths = match pen.dash {
            Some(dash) => {
                dashes = paths.iter().flat_map(|path| dashed(path, dash)).collect::<Vec<_>>();
                &dashes
            }
            None => paths,
        };
        let Some(window) = self.window(paths, pen.width, clip) else { return };
        let [left, top, right, bottom] = window;
        let columns = right - left;
        let mut cover = vec![0.0f32; columns * (bottom - top)];
        // A line thinner than a pixel is a pale line of one pixel.
        let (reach, strength) = (pen.width.max(1.0) / 2.0 + 0.5, pen.width.min(1.0) as f32);
        for segment in paths.iter().flat_map(|path| segments(path)) {
            let [(ax, ay), (bx, by)] = segment;
            let span = |a: f64, b: f64, first: usize, end: usize| {
                let bound = |edge: f64| (edge.max(first as f64) as usize).min(end);
                bound((a.min(b) - reach).floor())..bound((a.max(b) + reach).ceil() + 1.0)
            };
            for y in span(ay, by, top, bottom) {
                for x in span(ax, bx, left, right) {
                    let away = distance(segment, (x as f64 + 0.5, y as f64 + 0.5));
                    // In sixteenths: nobody sees more, and files of fewer shades are smaller.
                    let covered = ((reach - away).clamp(0.0, 1.0) * 16.0).round() as f32 / 16.0 * strength;
                    let cell = &mut cover[(y - top) * columns + x - left];
                    *cell = cell.max(covered);
                }
            }
        }
        for (row, covers) in cover.chunks_exact(columns).enumerate() {
            let start = (top + row) * self.width + left;
            for (pixel, &cover) in self.pixels[start..start + columns].iter_mut().zip(covers) {
                if cover > 0.0 {
                    *pixel = pen.colour.over(*pixel, cover);
                }
            }
        }
    }

    /// The pixels that the paths can touch, as [`Area::pixels`].
    fn window(&self, paths: &[Vec<Spot>], width: f64, clip: Area) -> Option<[usize; 4]> {
        let spots = || paths.iter().flatten().filter(|(x, y)| x.is_finite() && y.is_finite());
        let reach = width.max(1.0) / 2.0 + 1.0;
        let least = |coordinate: fn(&Spot) -> f64| spots().map(coordinate).reduce(f64::min);
        let most = |coordinate: fn(&Spot) -> f64| spots().map(coordinate).reduce(f64::max);
        let [left, top, right, bottom] = clip.pixels();
        let from = |edge: f64, first: usize| (edge - reach).floor().max(first as f64) as usize;
        let to = |edge: f64, end: usize| (edge + reach).ceil().clamp(0.0, end as f64) as usize;
        let window = [
            from(least(|spot| spot.0)?, left),
            from(least(|spot| spot.1)?, top),
            to(most(|spot| spot.0)?, right.min(self.width)),
            to(most(|spot| spot.1)?, bottom.min(self.height)),
        ];
        (window[0] < window[2] && window[1] < window[3]).then_some(window)
    }

    #[cfg(test)]
    pub(super) fn pixel(&self, x: usize, y: usize) -> Colour {
        self.pixels[y * self.width + x]
    }

    /// The picture as a PNG file.
    pub(super) fn png(&self) -> Result<Vec<u8>, png::EncodingError> {
        // Differences of neighbours suit maps, plain colours suit lines on paper: the smaller file is as good.
        let [plain, differences] =
            [png::Filter::NoFilter, png::Filter::Adaptive].map(|filter| self.encoded(filter));
        let (plain, differences) = (plain?, differences?);
        Ok(if plain.len() < differences.len() { plain } else { differences })
    }

    fn encoded(&self, filter: png::Filter) -> Result<Vec<u8>, png::EncodingError> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Balanced);
        encoder.set_filter(filter);
        let pixels: Vec<u8> = self.pixels.iter().flat_map(|pixel| pixel.0).collect();
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&pixels)?;
        writer.finish()?;
        Ok(bytes)
    }
}

/// The segments of a path, without those that touch a spot that is no number; a lone spot is one, too.
fn segments(path: &[Spot]) -> impl Iterator<Item = [Spot; 2]> {
    let lone = if let &[spot] = path { Some([spot, spot]) } else { None };
    let finite = |[(ax, ay), (bx, by)]: &[Spot; 2]| [ax, ay, bx, by].iter().all(|part| part.is_finite());
    path.windows(2).map(|pair| [pair[0], pair[1]]).chain(lone).filter(finite)
}

fn distance([(ax, ay), (bx, by)]: [Spot; 2], (x, y): Spot) -> f64 {
    let (dx, dy) = (bx - ax, by - ay);
    let square = dx * dx + dy * dy;
    let share = if square > 0.0 { (((x - ax) * dx + (y - ay) * dy) / square).clamp(0.0, 1.0) } else { 0.0 };
    (ax + share * dx - x).hypot(ay + share * dy - y)
}

/// A path cut into dashes. Its round ends lengthen every dash by the pen's width.
fn dashed(path: &[Spot], (dash, gap): (f64, f64)) -> Vec<Vec<Spot>> {
    let mut dashes: Vec<Vec<Spot>> = Vec::new();
    // Where the current dash or gap began, along the path.
    let (mut left, mut drawing) = (dash, true);
    let mut current: Vec<Spot> = Vec::new();
    for [start, end] in segments(path) {
        let length = (end.0 - start.0).hypot(end.1 - start.1);
        let at = |along: f64| {
            let share = if length > 0.0 { along / length } else { 0.0 };
            (start.0 + share * (end.0 - start.0), start.1 + share * (end.1 - start.1))
        };
        if drawing && current.last() != Some(&start) {
            dashes.push(std::mem::take(&mut current));
            current.push(start);
        }
        let mut along = 0.0;
        while length - along > left {
            along += left;
            if drawing {
                current.push(at(along));
                dashes.push(std::mem::take(&mut current));
            } else {
                current.push(at(along));
            }
            drawing = !drawing;
            left = if drawing { dash } else { gap };
        }
        left -= length - along;
        if drawing {
            current.push(end);
        }
    }
    dashes.push(current);
    dashes.retain(|dash| !dash.is_empty());
    dashes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_cover_what_they_touch_and_no_more() {
        let mut canvas = Canvas::new(20, 20);
        let clip = canvas.area();
        let path = vec![(2.0, 10.5), (18.0, 10.5)];
        canvas.stroke(&[path.clone(), path], Pen::solid(Colour([0, 0, 0]), 3.0), clip);
        assert_eq!([9, 10, 11].map(|y| canvas.pixel(10, y)), [Colour([0, 0, 0]); 3]);
        assert_eq!([7, 13].map(|y| canvas.pixel(10, y)), [Colour::WHITE; 2]);
    }

    #[test]
    fn half_covered_pixels_are_grey_even_where_lines_cross() {
        let mut canvas = Canvas::new(20, 20);
        let path = vec![(2.0, 10.0), (18.0, 10.0)];
        let clip = canvas.area();
        canvas.stroke(&[path.clone(), path], Pen::solid(Colour([0, 0, 0]), 1.0), clip);
        assert_eq!(canvas.pixel(10, 9), Colour([128, 128, 128]));
    }

    #[test]
    fn nothing_is_drawn_outside_of_the_clip() {
        let mut canvas = Canvas::new(20, 20);
        let clip = Area { left: 5.0, top: 0.0, width: 10.0, height: 20.0 };
        canvas.stroke(&[vec![(-50.0, 10.0), (50.0, 10.0)]], Pen::solid(Colour::INK, 4.0), clip);
        assert_eq!([4, 15].map(|x| canvas.pixel(x, 10)), [Colour::WHITE; 2]);
        assert_eq!([5, 14].map(|x| canvas.pixel(x, 10)), [Colour::INK; 2]);
    }

    #[test]
    fn dashes_and_gaps_have_their_lengths_around_corners() {
        let dashes = dashed(&[(0.0, 0.0), (3.0, 0.0), (3.0, 5.0)], (2.0, 2.0));
        assert_eq!(dashes, [vec![(0.0, 0.0), (2.0, 0.0)], vec![(3.0, 1.0), (3.0, 3.0)]]);
    }
}
