"""A worker in a process of its own: ``worker.py PORT RUN_ID [die]``. With ``die`` it kills itself in its first job."""

import logging
import os
import signal
import sys

from hpbandster.core.worker import Worker

PORT, RUN, HOW = int(sys.argv[1]), sys.argv[2], (*sys.argv[3:], "")[0]


class Square(Worker):
    def compute(self, config_id, config, budget, working_directory):
        if HOW == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        return {"loss": (config["x"] - 0.3) ** 2 + 0.1 / budget, "info": {}}


logger = logging.getLogger("worker")
logger.setLevel(logging.CRITICAL)
Square(RUN, nameserver="127.0.0.1", nameserver_port=PORT, host="127.0.0.1", logger=logger).run()
