//! Triangles put together to faces, so that parts of a surface have names.

use super::weld::Welded;
use super::{MeshError, twice_area};
use crate::vector::{Vector, dot, unit};

/// More of them would be no names that anybody writes, and each is looked at by itself.
pub const MOST_FACES: usize = 256;

/// Which triangles make a face.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum FaceRule {
    /// All of them: the surface has the name of its part.
    Whole,
    /// Those of a `solid` of a text file, which is called as that is.
    Solids,
    /// Neighbours whose normals differ by at most so many degrees: `face1`, `face2` and so on, in the order of the file.
    Edges(f64),
}

/// Which face each triangle belongs to, by its number, and what faces are called.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Division {
    pub(super) faces: Vec<u32>,
    pub(super) names: Vec<String>,
}

impl Division {
    /// Of a closed surface, whose text has solids of these names. An only face is called as its part is.
    pub(super) fn of(welded: &Welded, solids: &[String], rule: FaceRule) -> Result<Division, MeshError> {
        let mut division = match rule {
            FaceRule::Whole => Division { faces: Vec::new(), names: vec![String::new()] },
            FaceRule::Solids => by_solids(welded, solids)?,
            FaceRule::Edges(degrees) => by_edges(welded, degrees),
        };
        match &mut division.names[..] {
            [only] => only.clear(),
            names if names.len() > MOST_FACES => return Err(MeshError::TooManyFaces { found: names.len() }),
            _ => {}
        }
        Ok(division)
    }
}

fn by_solids(welded: &Welded, solids: &[String]) -> Result<Division, MeshError> {
    if solids.is_empty() {
        return Err(MeshError::NoSolids);
    }
    // Of some solids no triangle may have been kept.
    let mut own = vec![None; solids.len()];
    let mut names: Vec<String> = Vec::new();
    let mut faces = Vec::with_capacity(welded.solids.len());
    for &solid in &welded.solids {
        let solid = solid as usize;
        let face = match own[solid] {
            Some(face) => face,
            None => {
                let name = written(&solids[solid], solid);
                if names.contains(&name) {
                    return Err(MeshError::SameFaceName { name });
                }
                names.push(name);
                *own[solid].insert(names.len() as u32 - 1)
            }
        };
        faces.push(face);
    }
    Ok(Division { faces, names })
}

/// A solid's name as conditions can write it.
fn written(name: &str, number: usize) -> String {
    let kept: String =
        name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect();
    match kept.trim_matches('_') {
        "" => format!("solid{}", number + 1),
        kept if kept.starts_with(|letter: char| letter.is_ascii_digit()) => format!("solid_{kept}"),
        kept => kept.to_owned(),
    }
}

fn by_edges(welded: &Welded, degrees: f64) -> Division {
    let Welded { vertices, triangles, .. } = welded;
    let normals: Vec<Option<Vector>> = triangles
        .iter()
        .map(|corners| unit(twice_area(corners.map(|corner| vertices[corner as usize]))))
        .collect();
    let least = degrees.to_radians().cos();
    // Triangles without area have no normal: they belong to any of their neighbours.
    let meets = |one: u32, other: u32| match (normals[one as usize], normals[other as usize]) {
        (Some(one), Some(other)) => dot(one, other) >= least,
        (None, _) | (_, None) => true,
    };
    let mut edges: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * triangles.len());
    for (number, [a, b, c]) in triangles.iter().enumerate() {
        let sides = [[*a, *b], [*b, *c], [*c, *a]];
        edges.extend(sides.map(|[from, to]| ([from.min(to), from.max(to)], number as u32)));
    }
    edges.sort_unstable();
    let mut groups = Groups::of(triangles.len());
    for same in edges.chunk_by(|one, other| one.0 == other.0) {
        // Where more than two meet, nobody says which of them are one surface.
        if let [(_, one), (_, other)] = same
            && meets(*one, *other)
        {
            groups.join(*one, *other);
        }
    }
    let mut numbers = vec![None; triangles.len()];
    let mut count = 0;
    let faces = (0..triangles.len() as u32).map(|triangle| {
        *numbers[groups.first_of(triangle) as usize].get_or_insert_with(|| {
            count += 1;
            count - 1
        })
    });
    let faces = faces.collect();
    Division { faces, names: (1..=count).map(|number: u32| format!("face{number}")).collect() }
}

/// Triangles in groups: each points to another of its group or is its first.
struct Groups(Vec<u32>);

impl Groups {
    /// Each alone.
    fn of(count: usize) -> Self {
        Groups((0..count as u32).collect())
    }

    fn first_of(&mut self, mut triangle: u32) -> u32 {
        while self.0[triangle as usize] != triangle {
            let next = self.0[self.0[triangle as usize] as usize];
            self.0[triangle as usize] = next;
            triangle = next;
        }
        triangle
    }

    fn join(&mut self, one: u32, other: u32) {
        let (one, other) = (self.first_of(one), self.first_of(other));
        self.0[one.max(other) as usize] = one.min(other);
    }
}
