"""The program that is tuned: by its trial number it fails, takes too long, says nothing, or waits to be killed."""

import json
import math
import os
import sys
import time

config = json.loads(os.environ["AUGER_CONFIG"])
number = int(os.environ["AUGER_TRIAL"])
special = {int(n): what for n, what in (word.split("=") for word in sys.argv[1:])}.get(number, "")
score = 1.0 - abs(math.log10(config["rate"]) + 2) / 5 - abs(config["layers"] - 3) / 10
score -= 0.1 if config["solver"] == "adam" else abs(config["momentum"] - 0.9) / 5

if special == "fail":
    sys.exit("the loss is not a number")
if special in ("long", "wait"):
    time.sleep(30)
if special == "silent":
    sys.exit()
if special != "plain":
    print("\n".join(json.dumps({"epoch": i, "so far": score - 0.5 / i}) for i in range(1, 10)), flush=True)
time.sleep(0.3)  # the pruner has seen all of them by then
print(json.dumps({"score": score}))
