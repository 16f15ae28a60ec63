#!/usr/bin/env bash
# What docs/stability.md and docs/train.md say of guards and weights, measured; one JSON line per run:
# benches/stability.sh features|overhead|balance|library [PATH OF pinnace [SEED ...]] > benches/runs/DATE-stability-KIND.jsonl
# features: small problems without and with a guard, clipping, a schedule, a comparison with f64: compare their errors.
# overhead: the same steps of Adam without guard, with it, and with clipping, in turn: compare their seconds.
# balance: the two-scale wave by penalties alone in one window, with weights of 1 and by the rules: compare their errors.
# library: every built-in problem for a few steps of what it is trained with, and of Adam, at every level: none may diverge.
# Seeds are 0 1 2 if not given (of overhead: 0).
set -euo pipefail
kind=$1
pinnace=${2:-target/release/pinnace}
seeds=(0 1 2)
if [ "$kind" = overhead ]; then
    seeds=(0)
fi
if [ $# -gt 2 ]; then
    seeds=("${@:3}")
fi

# What is kept of a report: all of it would be megabytes.
kept='import json, sys
run = json.load(sys.stdin)
keys = "steps seconds stopped loss relative_l2 relative_residual optimizer precision width depth incidents steadiness fallbacks warnings"
print(json.dumps({key: run.get(key) for key in keys.split()}))'

# A run as one line, told apart by words. A run that diverged or failed has its exit code.
line() {
    local words=$1 code=0 run
    shift
    run=$("$pinnace" train "$@" --no-run --no-estimate --quiet --json 2>/dev/null) || code=$?
    run=$(python3 -c "$kept" <<<"$run" 2>/dev/null) || run=null
    echo "{\"kind\":\"$kind\",$words,\"exit\":$code,\"run\":$run}"
}

# A rod with a source, trained by Adam; `feature` names a pair of runs that differ in one choice.
rod() {
    local feature=$1 choice=$2 seed=$3 source=$4
    shift 4
    line "\"feature\":\"$feature\",\"choice\":\"${choice//\"/}\",\"seed\":$seed" - --seed "$seed" "$@" --set "training.$choice" <<END
[domain]
t = [0, 1]
x = [-1, 1]
[unknowns]
u = {}
[equations]
heat = "u_t = 0.1*u_xx $source"
[conditions]
start = { on = "t = 0", equation = "u = sin(pi*x)" }
walls = { on = "x = -1, x = 1", equation = "u = 0" }
[network]
width = 20
depth = 3
[training]
optimizer = "adam"
points = 500
steps = 2000
learning_rate = 3e-3
schedule = "cosine"
[reference]
u = "exp(-0.1*pi^2*t)*sin(pi*x)"
END
}

features() {
    local nowhere='+ where(abs(x - 0.3) < 0.0005, sqrt(-1 - x^2), 0)' choice
    for choice in 'guard="stop"' 'guard="adaptive"'; do
        rod 'a point without a value' "$choice" "$1" "$nowhere" --set training.resample=1
        rod 'a learning rate of 30' "$choice" "$1" '' --set training.learning_rate=30 --set training.schedule=constant --set network.width=6 --set network.depth=2 --set training.points=100
    done
    for choice in 'clip=false' 'clip="global-norm"' 'clip="adaptive"' 'clip="percentile"'; do
        rod 'SGD with a learning rate of 0.3' "$choice" "$1" '' --set training.optimizer=sgd --set training.learning_rate=0.3 --set training.guard=stop
    done
    for choice in 'schedule="constant"' 'schedule="exponential"' 'schedule="cosine"' 'schedule="one-cycle"' 'schedule="plateau"'; do
        rod 'schedules of Adam from 5e-2' "$choice" "$1" '' --set training.learning_rate=5e-2 --steps 6000
    done
    for choice in 'gradient_check=false' 'gradient_check={ every = 500 }'; do
        rod 'differences of large numbers in f32' "$choice" "$1" '+ 1e5*(cos(u)^2 + sin(u)^2 - 1)' --precision f32
    done
}

overhead() {
    local adam=(--set training.optimizer=adam --set network.width=64 --set network.depth=4 --set training.points=10000)
    for turn in $(seq "${TURNS:-5}"); do
        for choice in 'guard="stop"' 'guard="adaptive"' 'clip="global-norm"' 'clip="percentile"'; do
            line "\"choice\":\"${choice//\"/}\",\"turn\":$turn" burgers "${adam[@]}" --steps 300 --seed "$1" --set "training.$choice"
        done
    done
}

balance() {
    local wave=(--set training.optimizer=adam --set training.hard_constraints=off --set training.windows=1
        --set training.learning_rate=2e-3 --set training.schedule=cosine --set network.width=64 --set network.depth=3
        --set training.points=1000 --steps "${STEPS:-40000}")
    for rule in ${RULES:-false gradient-norm ntk self-adaptive softadapt relobralo}; do
        line "\"rule\":\"$rule\",\"seed\":$1" wave "${wave[@]}" --seed "$1" --set "training.balance=$rule"
    done
}

library() {
    local folder problem level method
    for folder in "$(dirname "$0")"/../examples/[0-9]*/; do
        problem=$(basename "$folder")
        problem=${problem#*-}
        for level in ${LEVELS:-basic advanced}; do
            for method in stated adam; do
                local choices=(--level "$level" --seed "$1" --steps "${STEPS:-30}")
                if [ "$method" = adam ]; then
                    choices+=(--set training.optimizer=adam)
                fi
                line "\"problem\":\"$problem\",\"level\":\"$level\",\"method\":\"$method\",\"seed\":$1" "$problem" "${choices[@]}"
            done
        done
    done
}

for seed in "${seeds[@]}"; do
    "$kind" "$seed"
done
