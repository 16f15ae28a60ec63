// What the kernels of a plan are given; field by field as in `machine.rs`.

struct Arguments {
    // Weights, then scalars, as the host has them.
    const double* parameters;
    // Of every residual in the gradient: 2 * weight / points.
    const double* factors;
    // Per term: where its rows start, its points, its first tile; then where the tiles end.
    const long long* table;
    const double* rows;
    // Packed by `pack`.
    number* weights;
    number* direction;
    // One piece per block.
    number* scratch;
    number* gradients;
    double* sums;
    // The gradient, then the sums of squares.
    double* result;
    const double* seeds;
    double* output;
    // Residuals that come along with the output.
    double* values;
    // Of the launches that work on one term.
    long long term;
    long long points;
    // Blocks whose pieces are added up.
    long long blocks;
    // Whether the blocks' sums start from zero.
    long long fresh;
    // Of the update: running means of the gradient, then of its square.
    const double* moments;
    // Where parameters and running means are after this step.
    double* next_parameters;
    double* next_moments;
    // One per step of a call: see `Step`; the loss that was found and the sums of squares.
    const double* lengths;
    double* history;
    // Steps of this call before this series; 1 + the step of this call that was refused, or 0; 1 + the step whose loss
    // was below the bound, or 0; the phase's steps before this call; the draw of the phase's first step.
    long long* progress;
    // The step within its series.
    long long index;
    long long decaying;
    double mean_decay, square_decay, floor, decay;
    // Steps end after one from a smaller loss.
    double bound;
    // Points that are drawn here: what, and how; steps between two draws or 0; whether a draw waits for its step.
    const long long* jobs;
    long long job_count;
    const long long* parts;
    unsigned long long seed, renewal;
    long long interval;
    long long always;
    // What adjoints and factors are multiplied by at the end.
    double unscale;
    // Sets of parameters whose residuals are wanted, and how many those of one set are.
    long long candidates;
    long long all_rows;
    // Of the launches that work on one layer of one term.
    long long layer;
    // How many times blocks that share a gradient have added to each layer's part of it; zero between launches.
    int* turns;
};
