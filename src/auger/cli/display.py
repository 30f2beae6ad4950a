"""How a study goes, for people and programs: a live display in a terminal, lines elsewhere, or JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from auger.studies.events import Event, Listener

if TYPE_CHECKING:
    from auger.studies.study import Study


@contextmanager
def listener_for(study: Study, *, is_json: bool) -> Iterator[Listener]:
    """Whoever shows what happens."""

    def say(event: Event) -> None:
        if is_json:
            print(json.dumps(event.to_json()), flush=True)
        else:
            print(event, file=sys.stderr)

    yield say
