"""What the tour builds and what happens to it: two views, five scenes, each a change to the base tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from headwater.cli.demo.flights import LATE_WEATHER_STATION, YEAR, Arrivals, Date

DEPARTURES = """\
SELECT f.year, f.month, f.day, f.time_hour, f.carrier, a.name AS airline,
       f.flight, f.tailnum, f.origin, f.dest, d.name AS destination,
       p.manufacturer, p.year AS built, p.seats,
       f.dep_delay, f.arr_delay, f.air_time, f.distance,
       w.temp, w.wind_speed, w.precip, w.visib
FROM flights f
JOIN airlines a ON a.carrier = f.carrier
LEFT JOIN airports d ON d.faa = f.dest
LEFT JOIN planes p ON p.tailnum = f.tailnum
LEFT JOIN weather w ON w.origin = f.origin AND w.time_hour = f.time_hour"""

AIRLINE_MONTHS = """\
SELECT airline, year, month, count(*) AS flights, count(arr_delay) AS arrived,
       avg(dep_delay) AS average_delay, sum(distance) AS miles,
       sum(CASE WHEN precip > 0 THEN 1 ELSE 0 END) AS in_rain,
       sum(seats) AS seats
FROM departures
GROUP BY airline, year, month"""

VIEWS = {"departures": DEPARTURES, "airline_months": AIRLINE_MONTHS}


@dataclass(frozen=True)
class Scene:
    """One thing that happens: what a reader is told, and the change itself."""

    title: str
    happens: str
    why: str
    change: Callable[[Any], None]


def scenes(arrivals: Arrivals, days: int) -> tuple[Scene, ...]:
    today, wrong = Date.of(days + 1), Date.of(max(1, days - 2))
    return (
        Scene(
            "A new day",
            f"The flights and the weather of {today} arrive.",
            "New flights meet the other tables, new weather the flights of its hours; the rest is left alone.",
            lambda lake: append(lake, arrivals.next_day),
        ),
        Scene(
            "Late data",
            f"Flights of earlier days come in late, and {LATE_WEATHER_STATION}'s weather of yesterday with them.",
            "Late rows cost what new rows cost. Flights that had no weather get it: their old rows go, new ones come.",
            lambda lake: append(lake, arrivals.late),
        ),
        Scene(
            "A correction",
            f"EWR's clock was five minutes fast on {wrong}: its delays of that day are corrected.",
            "An update is a row out and a row in; counts, sums and averages move by the difference.",
            lambda lake: lake.table("flights").update(
                {"dep_delay": "dep_delay - 5"}, where=f"origin = 'EWR' AND {wrong.condition}"
            ),
        ),
        Scene(
            "A clean-up",
            f"The cancelled flights of {Date.of(days).month_name} are deleted.",
            "Deleted rows travel through the joins with weight -1 and are taken out of their groups.",
            lambda lake: lake.table("flights").delete(
                f"dep_time IS NULL AND year = {YEAR} AND month = {Date.of(days).month}"
            ),
        ),
        Scene(
            "A merger",
            "AirTran becomes Southwest: one row changes in the smallest table.",
            "One row reaches every AirTran flight there ever was, so it costs more; still not the whole.",
            lambda lake: lake.table("airlines").update({"name": "'Southwest Airlines Co.'"}, where="carrier = 'FL'"),
        ),
    )


def append(lake: Any, data: dict[str, Any]) -> None:
    for name, rows in data.items():
        lake.table(name).append(rows)
