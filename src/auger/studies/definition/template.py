"""The study file that `auger init` writes: it runs as it is, and shows every other key in a comment."""

from __future__ import annotations

TEMPLATE = '''\
# A study: what to run, what to tune, and for how long.
#
#     auger tune study.toml      runs it, or goes on with it
#     auger best study.toml      prints the best settings
#
# It runs as it is, with a simple sum instead of a program worth tuning. Lines behind a # are other keys you can set.

[study]
name = "example"             # the journal and the folder with the trials' outputs are named after it
direction = "minimize"       # or "maximize"
trials = 30                  # in all, however often it is interrupted
# time = "2h"                # the study ends after this time, too
# workers = 2                # how many trials run at once
seed = 0                     # leave it out for other suggestions each time
# storage = "example.journal"  # or "sqlite:///example.db", or "postgresql://user@host/database" for many machines
# retries = 1                # how often a trial runs again after its worker died
# recipe = "auto"            # what suggests the settings; options may follow: "auto gamma=0.2", "bore-mlp ensemble=5"
# constraints = ["rate * layers <= 0.5"]  # what every suggestion must satisfy
# initial = [{ rate = 0.1, layers = 1, solver = "adam" }]  # what to try before any suggestion
# pruner = "auger"           # ends trials that fall behind early; needs [report]

[command]
# A list: the program, then its arguments one by one. No shell reads them, so no value needs quotes.
# {rate} is the value of the parameter `rate`; {{ and }} are literal braces. An argument with an inactive parameter is
# left out; arguments in a list of their own are left out together.
run = [
  "python", "-c", """
import sys
rate, layers, momentum = float(sys.argv[1]), int(sys.argv[2]), float(sys.argv[-1]) if "--momentum" in sys.argv else 0.5
print("loss", abs(rate - 0.01) + abs(layers - 3) + abs(momentum - 0.9))
""",
  "{rate}", "{layers}", "--solver={solver}", ["--momentum", "{momentum}"],
]
# function = "package.module:name"  # instead of `run`: a function of the settings, a dict, that returns the value
# environment = { THREADS = "1", RATE = "{rate}" }  # variables; placeholders are possible
# config = true              # the program reads its settings from AUGER_CONFIG, a variable with JSON in it
# folder = "example.trials"  # holds one folder per trial, with what it printed
# time_limit = "10m"         # per trial; a trial that takes longer counts as failed
# memory_limit = "2GB"       # per process of a trial: address space, so leave room

[value]
# Where the value of a trial is in the output of its program. The default is the last number.
read = "last number"
# read = "json"              # the last line that is a JSON object with this key
# key = "loss"
# read = "regex"             # the last line that matches this pattern; the group is the value
# pattern = 'loss: (\\S+)'
# read = "file"              # in a file that the program writes into the folder AUGER_FOLDER
# path = "result.json"       # together with `key` or `pattern`; the last number without them
# stream = "stderr"          # read this stream instead of "stdout"

# [report]                   # intermediate values, one per line, for the pruner
# read = "json"              # or "regex", with groups named step and value
# key = "loss"
# step = "epoch"

# [ray]                      # what each trial reserves with `auger tune --engine ray`; ignored otherwise
# cpus = 2
# gpus = 1                   # or a share, such as 0.5
# memory = "8GB"
# resources = { fast_disk = 1 }  # custom resources that nodes were started with

[space]
rate = { type = "float", low = 1e-4, high = 1.0, log = true }
layers = { type = "int", low = 1, high = 8 }
solver = { type = "categorical", choices = ["adam", "sgd"] }
momentum = { type = "float", low = 0.0, high = 0.99, when = { solver = ["sgd"] } }  # exists only for sgd
# batch = { type = "ordinal", choices = [16, 32, 64, 128] }  # choices that have an order
# dropout = { type = "float", low = 0.0, high = 0.5, step = 0.1 }

[defaults]
# The settings in use today: tried first, and the best is compared with them.
rate = 0.1
layers = 1
solver = "adam"
'''
