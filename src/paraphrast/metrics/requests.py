"""How a metric is asked for in one line of text: `name.part:option=value,option="a, b"`.

`name.part` is short for the option `part`: the score is that part of the metric.

A value that holds a comma, a space or a quotation mark, as a path may, stands in double quotes, and
a quotation mark inside them is written twice. A value is quoted only if it begins with one.
"""

from __future__ import annotations

import re

from paraphrast.errors import ConfigError

_QUOTED = r'"(?:[^"]|"")*+"'
_OPTION = re.compile(rf'\s*([^=,]*?)\s*=\s*({_QUOTED}|[^,"][^,]*|)\s*(?:,|\Z)')
_REQUEST = re.compile(rf"(?:=\s*{_QUOTED}|\S)+")


def split_requests(text: str) -> list[str]:
    """Return the requests of a text that separates them by spaces."""
    return _REQUEST.findall(text)


def parse_request(request: str) -> tuple[str, dict[str, str]]:
    """Return the metric's name, with a part if it names one, and its options as texts."""
    name, _, rest = request.partition(":")
    found: dict[str, str] = {}
    at = 0
    while at < len(rest):
        if rest[at] == ",":
            at += 1
            continue
        option = _OPTION.match(rest, at)
        if option is None:
            raise ConfigError(f"metric {request!r}: {_wrong(rest[at:])}")
        key, value = option[1], option[2]
        if key in found:
            raise ConfigError(f"metric {request!r}: option {key!r} is given twice")
        found[key] = value[1:-1].replace('""', '"') if value[:1] == '"' else value.strip()
        at = option.end()
    return name, found


def metric_name(request: str) -> str:
    """Return the name of the metric a request asks for, without part and options."""
    return parse_request(request)[0].partition(".")[0]


def _wrong(rest: str) -> str:
    """Say what is wrong with options that cannot be read."""
    if re.match(r'[^=,]*=\s*"', rest):
        return 'a quoted value ends with " before the next comma, and holds " only as ""'
    return "write options as name:option=value,option=value"
