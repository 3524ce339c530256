"""The commands whose text is kept, with its numbers, and the tables that they read."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.data import ADULT_QIDS, IPUMS_QIDS, adult_bytes, folder, ipums_bytes
from core import Schema, agree, examples
from tests.source import ROOT

CITY = "--data city.csv --qids 'age,sex,zip code' --sensitive diagnosis --drop-unassigned"
KEPT = "--agreement agreement.json"
VISITS = "--data visits.csv --qids age,sex --sensitive diagnosis --person who"
TWO = "--data city.csv --qids 'age,sex,zip code' --sensitive diagnosis,stay --drop-unassigned"
TWO_VISITS = "--data stays.csv --qids age,sex --sensitive diagnosis,stay --person who"
WARDS = "--data wards.csv --qids age,sex --sensitive diagnosis --provider ward"
ADULT = f"--data adult.csv --qids {','.join(ADULT_QIDS)} --sensitive occupation --drop-unassigned --missing-tokens '?'"
IPUMS = f"--data ipums.csv --qids {','.join(IPUMS_QIDS)} --sensitive occ1950 --drop-unassigned"
ATTACK = "--overlap 200 --repeats 3 --seed 1"
ALGORITHMS = ("mondrian", "mondrian-tight", "least-loss", "mdav")
MODELS = {
    "distinct": "--l 3",
    "entropy": "--l 2.5 --diversity entropy",
    "recursive": "--l 2 --diversity recursive --c 3",
    "equal": "--t 0.6",
    "ordered": "--t 0.4 --distance ordered",
}

CASES: dict[str, str] = {
    "example, published": "measure --data published.csv --qids 'Age,Sex,Zip Code' --sensitive Diagnosis",
    **{f"city, {name}": f"measure {CITY} -k 5 --algorithm {name}" for name in ALGORITHMS},
    **{
        f"city, {model}, {algorithm}": f"measure {CITY} -k 4 {options} --algorithm {algorithm}"
        for model, options in MODELS.items()
        for algorithm in ("mondrian", "least-loss")
        if model != "ordered"
    },
    "city, attack": f"attack {CITY} -k 5 --algorithm least-loss --locate assumed {ATTACK}",
    "city, attack by regions": f"attack {CITY} -k 5 --algorithm mondrian --locate published {ATTACK}",
    "city, attack on three": f"attack {CITY} -k 5 --releases 3 --same-value-rate 0.8 --locate assumed {ATTACK}",
    "city, others larger": f"attack {CITY} -k 3 --their-size 3000 --their-k 9 --locate assumed {ATTACK}",
    "city, agreement": f"measure {CITY} -k 5 {KEPT}",
    "city, attack on agreements": f"attack {CITY} -k 5 {KEPT} --locate assumed {ATTACK}",
    "city, forecast": f"forecast {CITY} -k 5 --overlap 200",
    "visits": f"measure {VISITS} -k 4 --l 2",
    "visits, attack": f"attack {VISITS} -k 4 --locate assumed {ATTACK}",
    "visits, one record": f"attack {VISITS} --one-record first -k 4 --locate assumed {ATTACK}",
    "two protected": f"measure {TWO} -k 5 --l 3",
    "two protected, attack": f"attack {TWO} -k 5 --locate assumed {ATTACK}",
    "two protected, attack by regions": f"attack {TWO} -k 5 --algorithm mondrian --locate published {ATTACK}",
    "two protected, values differ": f"attack {TWO} -k 5 --same-value-rate 0.8 --locate assumed {ATTACK}",
    "two protected, visits": f"attack {TWO_VISITS} -k 4 --locate assumed {ATTACK}",
    "wards": f"measure {WARDS} -k 4 --m 1 --algorithm provider-aware",
    "wards, attack": f"attack {WARDS} -k 4 --m 1 --algorithm provider-aware --locate assumed {ATTACK}",
    "adult": f"measure {ADULT} -k 5 --l 2",
    "adult, attack": f"attack {ADULT} -k 5 --algorithm mondrian --locate assumed {ATTACK}",
    "adult, least loss": f"attack {ADULT} -k 10 --algorithm least-loss --locate assumed {ATTACK}",
    "ipums, attack": f"attack {IPUMS} -k 10 --algorithm mondrian --locate assumed {ATTACK}",
}
OF_PUBLIC_DATA = {name for name, command in CASES.items() if "adult.csv" in command or "ipums.csv" in command}


def lay_out(place: Path) -> bool:
    """Write the tables into a folder; whether those of the public data sets are among them."""
    rng = np.random.default_rng(3)
    city = examples.city(1500, seed=2).to_frame()
    city["diagnosis"] = city["diagnosis"].str[:1]
    stays = np.random.default_rng(4).geometric(0.4, len(city)).clip(max=6)
    city.assign(stay=stays).to_csv(place / "city.csv", index=False)
    public = examples.city(3000, seed=1).to_frame()
    public["diagnosis"] = public["diagnosis"].str[:1]
    schema = Schema(["age", "sex", "zip code"], "diagnosis", unassigned="drop")
    (place / "agreement.json").write_text(agree(public, schema, stable=["sex"], size=1500).to_json())
    visits = city.assign(who=np.sort(rng.integers(0, 900, len(city))))[["age", "sex", "diagnosis", "who"]]
    visits.to_csv(place / "visits.csv", index=False)
    visits.assign(stay=stays).to_csv(place / "stays.csv", index=False)
    city.assign(ward=rng.choice(["a", "b", "c", "d"], len(city)))[["age", "sex", "diagnosis", "ward"]].to_csv(
        place / "wards.csv", index=False
    )
    published = ROOT / "assets" / "examples" / "hospitals_a_and_b_published_a.csv"
    (place / "published.csv").write_bytes(published.read_bytes())
    public = folder()
    if public is None:
        return False
    ipums = ipums_bytes(public)
    for name, raw in (("adult.csv", adult_bytes(public).replace(b", ", b",")), ("ipums.csv", ipums or b"")):
        lines = raw.splitlines()
        (place / name).write_bytes(b"\n".join([lines[0], *lines[1:5001]]) + b"\n")
    return ipums is not None
