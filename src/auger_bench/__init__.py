"""The benchmark beside `auger`: problems with known answers, other optimizers, and what compares them.

`auger bench` and `auger figures` are its commands. Nothing is exported here; import from the rooms:

- `auger_bench.problems`: `problem(name)`, `PROBLEMS`, and the wrappers `noisy`, `shifted` and `crashing`
- `auger_bench.methods`: `method(name)` and `METHODS`, the optimizers behind one ask/tell interface
- `auger_bench.experiments`: `EXPERIMENTS`, which methods run on which problems for how long
- `auger_bench.runner`: runs in parallel processes; a killed benchmark continues where it was
- `auger_bench.statistics`, `comparison`, `tables`, `regret_plot`: what the runs show
- `auger_bench.paper`: the figures of the paper
"""
