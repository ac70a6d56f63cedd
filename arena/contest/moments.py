"""Moments that an organiser writes, always with a time zone: the server may be in another one."""

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BeforeValidator

_YEARS = range(2000, 3000)
_FORM = "a time with its zone, such as 2026-12-01 18:00 Europe/Paris or 2026-12-01T18:00+01:00"
_LOCAL = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d?:\d\d(?::\d\d)?) ?(Z|[+-]\d\d:?\d\d|[A-Za-z][\w+/-]*)?")


def read_moment(value: object) -> datetime:
    """The moment of a text, in its time zone.

    Raises:
        ValueError: The value is not a moment, or has no zone.
    """
    found = _LOCAL.fullmatch(value.strip()) if isinstance(value, str) else None
    if not found:
        raise ValueError(f"should be {_FORM}, not {value!r:.60}")
    day, clock, zone = found.groups()
    if not zone:
        raise ValueError(f"{value} has no time zone; should be {_FORM}")
    try:
        return _in_zone(_checked_year(datetime.fromisoformat(f"{day}T{clock.zfill(5)}")), zone)
    except ZoneInfoNotFoundError:
        raise ValueError(f"there is no time zone {zone}; should be {_FORM}") from None
    except (ValueError, OSError) as error:
        raise ValueError(f"{value}: {error}") from None


def _checked_year(moment: datetime) -> datetime:
    """The moment itself.

    Raises:
        ValueError: The year is outside `_YEARS`, which is a typing error.
    """
    if moment.year not in _YEARS:  # the first and the last years that exist overflow in some zones
        raise ValueError(f"the year should be from {_YEARS[0]} to {_YEARS[-1]}, not {moment.year}")
    return moment


def _in_zone(local: datetime, zone: str) -> datetime:
    if zone == "Z":
        return local.replace(tzinfo=UTC)
    if zone[0] in "+-":
        return datetime.fromisoformat(f"{local.isoformat()}{zone}")
    try:
        place = ZoneInfo(zone)
    except OSError:  # it is the name of a folder of zones, such as Europe
        raise ZoneInfoNotFoundError(zone) from None
    early, late = (local.replace(tzinfo=place, fold=fold) for fold in (0, 1))
    if early.utcoffset() != late.utcoffset():  # the clocks are changed
        is_there = early.astimezone(UTC).astimezone(place).replace(tzinfo=None) == local
        problem = "comes twice" if is_there else "does not exist"
        raise ValueError(
            f"this time {problem} in {zone}, where the clocks change; give an offset such as +01:00"
        )
    return early


def show_moment(moment: datetime) -> str:
    """The moment in an organiser's form: `2026-12-01 18:00 Europe/Paris`."""
    zone = moment.tzinfo.key if isinstance(moment.tzinfo, ZoneInfo) else _offset(moment)
    form = "%Y-%m-%d %H:%M:%S" if moment.second else "%Y-%m-%d %H:%M"
    return f"{moment.strftime(form)} {zone}"


def _offset(moment: datetime) -> str:
    offset = moment.utcoffset() or timedelta()
    return "UTC" if not offset else moment.strftime("%z")[:3] + ":" + moment.strftime("%z")[3:5]


Moment = Annotated[datetime, BeforeValidator(read_moment)]
