#!/usr/bin/env bash
# What one GPU makes of the preset `gpu`, from scratch, in at most 8 minutes: decisions per second of collecting and of
# learning apart, and the margins against the rungs. Run it from the root of the repository:
#     experiments/gpu_report.sh                 # leaves experiments/results/gpu.json
#     DRY=1 experiments/gpu_report.sh           # the same with small numbers on the CPU, to see that it runs
# PYTHON names the interpreter, OUT the folder of the run, REPORT the result.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python="${PYTHON:-.venv/bin/python}"
out="${OUT:-runs/gpu-report}"
report="${REPORT:-experiments/results/gpu.json}"
settings=(--preset gpu --minutes 6 --eval-every 60 --eval-pairs 1024 --final-pairs 4096)
if [ -n "${DRY:-}" ]; then
    settings=(--preset gpu --updates 2 --device cpu --threads 2 --precision fp32 --deals 8 --width 16 --blocks 1
        --minibatch 256 --eval-pairs 4 --final-pairs 4)
    report="${REPORT:-$out/gpu.json}"
fi
[ ! -e "$out" ] || { echo "$out: there is a run in it already; remove it or name another folder by OUT" >&2; exit 1; }
"$python" -m train.selfplay "${settings[@]}" --seed 1 --out "$out"
gpu="$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -1 || true)"
"$python" -m experiments.gpu_report "$out" --report "$report" --gpu "$gpu"
