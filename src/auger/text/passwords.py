"""Texts without the passwords in them."""

from __future__ import annotations

import re

# How long a password may be. Without a bound, a long text of many colons would take minutes.
_LONGEST = 500

_PASSWORD = re.compile(
    rf"(?<=://)([^:/@\s]*):\S{{0,{_LONGEST}}}@"
)  # up to the last @: a password may hold one by mistake
_NO_PORT = re.compile(r"(?<=://)([^:/@\s\[]*):(?!\d*(?:[/?\s]|$))[^/?@\s]+")  # a password whose @host was forgotten
_MISTYPED = re.compile(  # a URL whose :// is not quite right
    rf"(?i)\b((?:postgres|mysql|mariadb|sqlite|mongodb|redis|amqp|https?|ftp)[\w+]*[:;/]{{1,5}}[^:/@\s]{{0,{_LONGEST}}})"
    rf":[^/@\s][^@\s]{{0,{_LONGEST}}}@"
)
_NO_SCHEME = re.compile(r"(?<![^:/@\s])([^:/@\s]+):[^/@\s][^@\s]*@")  # me:secret@host after a mistyped scheme
_NAMES = "password|passwd|passphrase|pgpass|(?:api|access|secret)[_-]?key|(?:access|auth)[_-]?token"
_SETTING = re.compile(  # password=secret, PGPASSWORD='my secret', "password": "secret", --password secret
    rf"""(?i)((?:{_NAMES})(?:=|["']\s*[:=]\s*|\s*[:=]\s*(?=["']))|--(?:{_NAMES})\s+)("[^"]*"|'[^']*'|[^&\s,;"']+)"""
)


def mask(text: str) -> str:
    """The text without passwords of URLs in it, and without those of settings named so.

    Example:
        >>> mask("cannot reach postgresql://me:secret@host/db?sslpassword=x")
        'cannot reach postgresql://me:***@host/db?sslpassword=***'
        >>> mask("dsn: host=h password='my secret', or postgresql:/me:secret@h")
        'dsn: host=h password=***, or postgresql:/me:***@h'
    """
    for pattern, shown in (
        (_PASSWORD, r"\1:***@"),
        (_NO_PORT, r"\1:***"),
        (_MISTYPED, r"\1:***@"),
        (_SETTING, r"\1***"),
    ):
        text = pattern.sub(shown, text)
    return text


def mask_address(address: str) -> str:
    """What should be the address of a storage, without its password, also where its scheme is not quite right.

    Example:
        >>> mask_address("postgresql:/me:secret@host/db")
        'postgresql:/me:***@host/db'
    """
    return _NO_SCHEME.sub(r"\1:***@", mask(address))
