"""Where studies are stored: journal files, SQLite and PostgreSQL, their locks, and waiting out an outage."""

from auger.studies.storage.outages import GaveUpError, Outages, error_line, is_outage
from auger.studies.storage.storage import Storage, open_storage

__all__ = ["GaveUpError", "Outages", "Storage", "error_line", "is_outage", "open_storage"]
