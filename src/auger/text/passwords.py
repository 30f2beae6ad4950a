"""Texts without the passwords in them."""

from __future__ import annotations

import re

_PASSWORD = re.compile(r"(?<=://)([^:/@\s]*):\S*@")  # up to the last @: a password may hold one by mistake
_NO_PORT = re.compile(r"(?<=://)([^:/@\s\[]*):(?!\d*(?:[/?\s]|$))[^/?@\s]+")  # a password whose @host was forgotten
_NO_SCHEME = re.compile(r"(?<![^:/@\s])([^:/@\s]+):[^/@\s][^@\s]*@")  # me:secret@host after a mistyped scheme
_PASSWORD_SETTING = re.compile(r"(?i)\b(password|sslpassword|passwd)=[^&\s]*")


def mask(text: str) -> str:
    """The text without passwords of URLs in it.

    Example:
        >>> mask("cannot reach postgresql://me:secret@host/db?sslpassword=x")
        'cannot reach postgresql://me:***@host/db?sslpassword=***'
    """
    return _PASSWORD_SETTING.sub(r"\1=***", _NO_PORT.sub(r"\1:***", _PASSWORD.sub(r"\1:***@", text)))


def mask_address(address: str) -> str:
    """What should be the address of a storage, without its password, also where its scheme is not quite right.

    Example:
        >>> mask_address("postgresql:/me:secret@host/db")
        'postgresql:/me:***@host/db'
    """
    return _NO_SCHEME.sub(r"\1:***@", mask(address))
