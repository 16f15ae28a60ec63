//! Where points lie, as the file describes it.

/// How points are chosen: a sequence, and what moves them.
#[derive(Clone, PartialEq, Debug)]
pub struct Sampling {
    /// The sequence that points, or candidates for them, come from.
    pub sampler: Sampler,
    /// How they follow what training leaves.
    pub adaptive: Adaptive,
    /// Whether early times come first.
    pub causal: bool,
    /// What takes a bad move back, if anything does.
    pub veto: Option<Veto>,
}

/// How points follow what training leaves.
#[derive(Clone, PartialEq, Debug)]
pub enum Adaptive {
    /// They do not: they lie as their sequence has them.
    Even,
    /// All are chosen anew among candidates, by chances that grow with priorities.
    Chosen {
        /// What the chances are made of; at least one.
        priorities: Vec<Priority>,
        /// Candidates per point.
        candidates: usize,
    },
    /// Points stay, and more are added among candidates (RAR: Lu, Meng, Mao, Karniadakis 2021; RAR-D: Wu and others 2023).
    Added {
        /// Which candidates.
        choice: Addition,
        /// How many at a time, if stated.
        add: Option<usize>,
        /// Candidates per point that is there.
        candidates: usize,
    },
    /// Points with residuals above the mean stay, the others are drawn anew (R3: Daw, Bu, Wang, Perdikaris, Karpatne 2023).
    Retained,
    /// All are chosen anew, as many in each cell of a tree that splits where residuals are large.
    Cells {
        /// A cell splits whose residuals are so many times the mean of all.
        split: f64,
        /// Two halves join whose residuals are less than so many times the mean of all.
        merge: f64,
        /// Candidates per point.
        candidates: usize,
    },
}

/// What makes a candidate more likely: its number to the `power`, over the mean of that, plus the `floor`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Priority {
    /// Which number.
    pub criterion: Criterion,
    /// Above 0.
    pub power: f64,
    /// How often a candidate of no priority is taken, against one of mean priority; at least 0.
    pub floor: f64,
}

/// What a candidate is judged by.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Criterion {
    /// The size of its residuals (RAD: Wu, Zhu, Tan, Kartha, Lu 2023).
    Residual,
    /// The size of the gradient in space of something.
    Gradient(Steepness),
    /// How far the network's last layer has to reach beyond the points at hand: the variance of its linear model there.
    Uncertainty {
        /// What is added to the model's matrix, in multiples of its mean diagonal; above 0.
        damping: f64,
    },
}

/// Whose gradient.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Steepness {
    /// Of the unknowns.
    Field,
    /// Of the residuals.
    Residual,
}

/// Which candidates are added.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Addition {
    /// Those with the largest residuals.
    Largest,
    /// By chance: residuals to the `power` over the mean of that, plus the `floor`.
    ByChance {
        /// Above 0.
        power: f64,
        /// At least 0.
        floor: f64,
    },
}

/// Takes a move back after which residuals at fixed points have grown.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Veto {
    /// How many fixed points.
    pub points: usize,
    /// By how much the mean square may grow; above 1.
    pub factor: f64,
}

/// How points are spread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sampler {
    /// The Sobol sequence, scrambled (Owen 1995).
    Sobol,
    /// Independent of each other.
    Uniform,
    /// Latin hypercubes (McKay, Beckman, Conover 1979).
    LatinHypercube,
    /// Halton's sequence, randomly shifted.
    Halton,
    /// Hammersley's set, randomly shifted.
    Hammersley,
    /// The middles of equal cells, in every draw the same.
    Grid,
    /// Chebyshev's nodes along every coordinate, in every draw the same.
    Chebyshev,
}

impl Sampler {
    /// All of them, in the order of the documentation.
    pub const ALL: [Sampler; 7] = [
        Sampler::Sobol,
        Sampler::Uniform,
        Sampler::LatinHypercube,
        Sampler::Halton,
        Sampler::Hammersley,
        Sampler::Grid,
        Sampler::Chebyshev,
    ];

    /// As written in a problem file.
    pub fn name(self) -> &'static str {
        match self {
            Sampler::Sobol => "sobol",
            Sampler::Uniform => "uniform",
            Sampler::LatinHypercube => "latin-hypercube",
            Sampler::Halton => "halton",
            Sampler::Hammersley => "hammersley",
            Sampler::Grid => "grid",
            Sampler::Chebyshev => "chebyshev",
        }
    }
}

impl Adaptive {
    /// Candidates per point where nothing else is stated.
    pub const CANDIDATES: usize = 4;

    /// What `adaptive = true` means: half of the chances follow residuals, half stay even.
    pub fn usual() -> Self {
        let priorities = vec![Priority { criterion: Criterion::Residual, power: 1.0, floor: 1.0 }];
        Adaptive::Chosen { priorities, candidates: Adaptive::CANDIDATES }
    }

    /// Whether points move at all.
    pub fn moves(&self) -> bool {
        *self != Adaptive::Even
    }

    /// Candidates per point among which points are chosen; `None` where points are taken as they are drawn.
    pub fn candidates(&self) -> Option<usize> {
        match *self {
            Adaptive::Even => None,
            Adaptive::Retained => Some(1),
            Adaptive::Chosen { candidates, .. }
            | Adaptive::Added { candidates, .. }
            | Adaptive::Cells { candidates, .. } => Some(candidates),
        }
    }

    /// Whether points stay for good, so that there are more and more.
    pub fn grows(&self) -> bool {
        matches!(self, Adaptive::Added { .. })
    }

    /// The entries of a list, as a problem file writes them.
    fn entries(&self) -> Vec<String> {
        match self {
            Adaptive::Even => Vec::new(),
            Adaptive::Chosen { priorities, candidates } => {
                priorities.iter().map(|priority| priority.written(*candidates)).collect()
            }
            Adaptive::Added { choice, add, candidates } => {
                let add = add.map_or_else(String::new, |add| format!(", add = {add}"));
                let entry = match choice {
                    Addition::Largest => "\"rar\"".to_owned(),
                    Addition::ByChance { power, floor } => {
                        format!("\"rar-d\", power = {power:?}, floor = {floor:?}")
                    }
                };
                vec![format!("{{ kind = {entry}{add}, candidates = {candidates} }}")]
            }
            Adaptive::Retained => vec!["\"r3\"".to_owned()],
            Adaptive::Cells { split, merge, candidates } => vec![format!(
                "{{ kind = \"hierarchical\", split = {split:?}, merge = {merge:?}, candidates = {candidates} }}"
            )],
        }
    }
}

impl Priority {
    fn written(self, candidates: usize) -> String {
        let Priority { criterion, power, floor } = self;
        let kind = match criterion {
            Criterion::Residual => "\"rad\"".to_owned(),
            Criterion::Gradient(Steepness::Field) => "\"gradient\", of = \"field\"".to_owned(),
            Criterion::Gradient(Steepness::Residual) => "\"gradient\", of = \"residual\"".to_owned(),
            Criterion::Uncertainty { damping } => format!("\"uncertainty\", damping = {damping:?}"),
        };
        format!("{{ kind = {kind}, power = {power:?}, floor = {floor:?}, candidates = {candidates} }}")
    }
}

impl Sampling {
    /// The list, as a problem file writes it.
    pub fn written(&self) -> String {
        let mut entries = vec![format!("\"{}\"", self.sampler.name())];
        entries.extend(self.adaptive.entries());
        entries.extend(self.causal.then(|| "\"causal\"".to_owned()));
        let veto = |Veto { points, factor }: Veto| {
            format!("{{ kind = \"veto\", points = {points}, factor = {factor:?} }}")
        };
        entries.extend(self.veto.map(veto));
        format!("[{}]", entries.join(", "))
    }
}
