"""A worker in a process of its own: ``worker.py PORT RUN_ID FOLDER [MISBEHAVIOUR]``.

It leaves a file for each job it begins in FOLDER. ``die`` makes it kill itself in its first job; ``slow`` makes a job
take half a second.
"""

import logging
import os
import signal
import sys
import time
from pathlib import Path

from hpbandster.core.worker import Worker

PORT, RUN, FOLDER, HOW = int(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), (*sys.argv[4:], "")[0]


class Square(Worker):
    def compute(self, config_id, config, budget, working_directory):
        (FOLDER / f"{os.getpid()}-{time.monotonic_ns()}").touch()
        if HOW == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if HOW == "slow":
            time.sleep(0.5)
        return {"loss": (config["x"] - 0.3) ** 2 + 0.1 / budget, "info": {}}


logger = logging.getLogger("worker")
logger.setLevel(logging.CRITICAL)
Square(RUN, nameserver="127.0.0.1", nameserver_port=PORT, host="127.0.0.1", logger=logger).run()
