"""Names under which a stored trial keeps what we know of it: Optuna's user attributes. Needs no host to be read."""

#: Who proposed a trial, and why.
ORIGIN, REASON = "auger:origin", "auger:reason"

#: A trial that was never run.
SURPLUS = "auger:surplus"

#: A failed trial with one of these was not evaluated to an end, through no fault of its own.
NO_ANSWER = (SURPLUS, "auger:stopped", "auger:died")

#: Storages may keep no more characters of an attribute than this.
MAX_TEXT = 2000
