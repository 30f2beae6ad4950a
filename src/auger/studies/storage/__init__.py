"""Where studies are stored: journal files, SQLite and PostgreSQL, their locks, and waiting out an outage."""

from auger.studies.storage.outages import GaveUpError, Outages, error_line, is_outage, readable_refusals
from auger.studies.storage.storage import Storage, open_storage
from auger.studies.storage.turns import PATIENCE, Turn, TurnLostError

__all__ = [
    "PATIENCE",
    "GaveUpError",
    "Outages",
    "Storage",
    "Turn",
    "TurnLostError",
    "error_line",
    "is_outage",
    "open_storage",
    "readable_refusals",
]
