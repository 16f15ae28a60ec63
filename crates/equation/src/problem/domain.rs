//! Coordinates.

/// The box on which the problem is posed.
#[derive(Clone, Debug)]
pub struct Domain {
    /// In the file's order, which is the network's input order.
    pub coordinates: Vec<Coordinate>,
}

/// One coordinate.
#[derive(Clone, Debug)]
pub struct Coordinate {
    /// Its name in expressions.
    pub name: String,
    /// Lower end; finite.
    pub low: f64,
    /// Upper end; finite and above `low`.
    pub high: f64,
    /// What operators such as `laplacian` take it for.
    pub role: Role,
    /// The file says that its ends need no condition.
    pub open: bool,
}

/// What a coordinate stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Space: `laplacian`, `grad`, `div` and `curl` act on it.
    Space,
    /// Time: the coordinate named `t`.
    Time,
    /// A parameter of a family of problems, given to the network as an input.
    Parameter,
}

impl Domain {
    /// How many coordinates there are.
    pub fn len(&self) -> usize {
        self.coordinates.len()
    }

    /// Whether there are none; never true of a checked problem.
    pub fn is_empty(&self) -> bool {
        self.coordinates.is_empty()
    }

    /// The coordinate of this name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.coordinates.iter().position(|coordinate| coordinate.name == name)
    }

    /// The space coordinates, in order.
    pub fn space(&self) -> Vec<usize> {
        let is_space = |&axis: &usize| self.coordinates[axis].role == Role::Space;
        (0..self.len()).filter(is_space).collect()
    }
}
