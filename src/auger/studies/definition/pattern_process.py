"""The process in which patterns are matched, as a script, and the cutting of texts into lines.

Run as a script, it imports nothing of auger, which takes longer than most texts. Its standard input and output are one
socket: questions come in, and answers go out. A process that takes too long for an answer is ended by the system.
"""

from __future__ import annotations

import marshal
import os
import re
import signal
import sys

TYPE_CHECKING = False  # type checkers take it for True; importing `typing` would cost milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterator

    # Of a match: where its line begins and ends in the text; in the line, where the match and its value begin and end;
    # and the step.
    Hit = tuple[tuple[int, int], tuple[int, int], tuple[int, int], str | None]

LINE = re.compile(r"[^\r\n]+")


def lines_backwards(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a text with their positions, the last first; cut one by one, because few are read to the first."""
    text = text.replace("\r", "\n")
    end = len(text)
    while end > 0:
        start = text.rfind("\n", 0, end) + 1
        if start < end:
            yield start, text[start:end]
        end = start - 1


def hits(pattern: str, text: str, is_last: bool, progress: int | None = None) -> list[Hit]:
    """Where a pattern matches a text: its last match in the last line that has one, or the first in every line.

    Args:
        pattern: with a group called ``value``, or one group.
        text: to look at.
        is_last: whether only the last is asked for.
        progress: an open file, whose offset is set to where the line begins that is looked at.
    """
    regex = re.compile(pattern)
    group, has_step = "value" if "value" in regex.groupindex else 1, "step" in regex.groupindex
    lines = lines_backwards(text) if is_last else ((match.start(), match[0]) for match in LINE.finditer(text))
    answer: list[Hit] = []
    for start, line in lines:
        if progress is not None:
            os.lseek(progress, start, os.SEEK_SET)
        match = regex.search(line)
        if match is not None and is_last:
            *_, match = regex.finditer(line)
        if match is not None and match[group] is not None:
            step = match["step"] if has_step else None
            answer.append(((start, start + len(line)), match.span(), match.span(group), step))
            if is_last:
                break
    return answer


def main(progress: int) -> None:
    """Answer questions until there are no more."""
    while True:
        try:
            seconds, pattern, text, is_last = marshal.load(sys.stdin.buffer)  # noqa: S302  (our own process wrote it)
        except EOFError:
            return
        signal.setitimer(signal.ITIMER_PROF, seconds)  # of processor time; the signal ends the process
        answer = hits(pattern, text, is_last, progress)
        signal.setitimer(signal.ITIMER_PROF, 0)
        marshal.dump(answer, sys.stdout.buffer)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]))
