"""Learning curves: what a stopped trial would have come to, and whether a running one is worth going on."""
