"""The paper's experiments: baselines behind one ask/tell door, a runner that survives kills, tables and figures."""
