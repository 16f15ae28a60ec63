// Points drawn where they are needed.

// Draws the points of the step that a launch was made for, if it has points of its own or if it is told to, unless steps
// have ended.
__device__ inline void draw_rows(const Arguments& arguments) {
    const Stage stage(arguments);
    if (ended(arguments, stage.step)) return;
    const unsigned long long step = arguments.progress[3] + stage.step;
    const unsigned long long interval = arguments.interval;
    if (!arguments.always && (interval == 0 || step % interval != 0)) return;
    const unsigned long long number = arguments.progress[4] + (interval ? step / interval : 0);
    const unsigned long long seed =
        number == 0 ? arguments.seed : random_bits(arguments.seed, arguments.renewal, number);
    const long long thread = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
    const long long threads = static_cast<long long>(gridDim.x) * THREADS;
    for (long long number_of_job = 0; number_of_job < arguments.job_count; ++number_of_job) {
        const Job job = reinterpret_cast<const Job*>(arguments.jobs)[number_of_job];
        const Part part = *reinterpret_cast<const Part*>(arguments.parts + job.part);
        const Column* columns = reinterpret_cast<const Column*>(arguments.parts + part.columns);
        const long long* directions = arguments.parts + part.directions;
        for (long long point = thread; point < job.count; point += threads) {
            double* row = const_cast<double*>(arguments.rows) + job.to + point * part.width;
            for (long long place = 0; place < part.width; ++place) {
                row[place] = number_of(seed, part, directions, unsigned(job.first + point), columns[place]);
            }
        }
    }
}
