"""Worked examples of the literature as ready objects, with their golden numbers.

The tables are those of the cited papers and slides; the stories are told in our own words.
Row numbers and class numbers count from 0.
"""

from __future__ import annotations

from functools import cache

from core.data.schemas.schema import Schema
from core.data.schemas.taxonomy import Taxonomy
from core.examples.worked.worked_example import WorkedExample, publish, read_text, rows_of


@cache
def worked_examples() -> tuple[WorkedExample, ...]:
    """All worked examples, created at the first call.

    Returns
    -------
    tuple of WorkedExample
    """
    return (two_hospitals(), hospitals_a_and_b(), bobs_class())


def two_hospitals() -> WorkedExample:
    """Alice visits two hospitals, and only one illness is on both lists.

    Returns
    -------
    WorkedExample
        [Ganta 2008, Table 1]; the source has no original tables.
    """
    columns = ("Zip code", "Age", "Nationality", "Condition")
    first, first_labels = publish(
        columns,
        [
            (("130**", "<30", "*"), ("AIDS", "Heart Disease", "Viral Infection", "Viral Infection")),
            (("130**", "≥40", "*"), ("Cancer", "Heart Disease", "Viral Infection", "Viral Infection")),
            (("130**", "3*", "*"), ("Cancer", "Cancer", "Cancer", "Cancer")),
        ],
    )
    under_35 = ("AIDS", "Tuberculosis", "Flu", "Tuberculosis", "Cancer", "Cancer")
    from_35 = ("Cancer", "Cancer", "Cancer", "Tuberculosis", "Viral Infection", "Viral Infection")
    second, second_labels = publish(columns, [(("130**", "<35", "*"), under_35), (("130**", "≥35", "*"), from_35)])
    return WorkedExample(
        name="two_hospitals",
        title="Two hospitals",
        story=(
            "Alice is 28, lives in zip code 13012 and has been to two hospitals; her employer knows that "
            "much. Each published table leaves her several illnesses, but only AIDS is possible in both."
        ),
        source="Ganta, Kasiviswanathan, Smith, KDD 2008, Table 1",
        tables=(),
        published=(first, second),
        schema=Schema(
            columns[:3],
            "Condition",
            column_types={"Zip code": "numeric", "Age": "numeric", "Nationality": "categorical"},
        ),
        target={"Zip code": "13012", "Age": "28"},
        target_classes=(rows_of(first_labels, 0), rows_of(second_labels, 0)),
        labels=(first_labels, second_labels),
        expected={
            "k": (4, 6),
            "distinct_l": (1, 3),
            "sizes": (4, 6),
            "prior": (3, 4),
            "candidates": ("AIDS",),
            "posterior": 1,
            "drop": 2,
            "confidence": 1.0,
        },
    )


HOSPITAL_A = """\
Name,Age,Sex,Zip Code,Diagnosis
Emu,25,m,5095,A
Alex,24,m,5085,B
Clark,20,m,5001,C
Hafiz,23,m,5005,D
Alice,22,f,5095,E
Mina,25,f,5201,F
Sofia,20,f,5002,B
Anju,21,f,5087,F
Bob,38,m,5195,B
Lalin,35,m,5087,D
Thuc,28,m,5102,G
Abed,31,m,5202,F
"""

HOSPITAL_B = """\
Name,Age,Sex,Zip Code,Diagnosis
Hussy,25,m,5095,H
Michel,24,m,5085,H
Bokul,20,m,5031,C
Safiq,23,m,5025,C
Alice,22,f,5095,E
Lima,25,f,5065,D
Nima,20,f,5202,B
Fami,21,f,5177,C
Bob,38,m,5195,B
Lalin,35,m,5187,E
Kona,28,f,5042,D
Bipa,31,f,5032,F
"""


def hospitals_a_and_b() -> WorkedExample:
    """Two hospitals share Alice, Bob and Lalin, and publish groups of four and of six.

    Returns
    -------
    WorkedExample
        [Sattar 2018, Tables 1 and 2]: the records of Table 1 in the groups of Table 2.
    """
    first, second = read_text(HOSPITAL_A), read_text(HOSPITAL_B)
    columns = ("Age", "Sex", "Zip Code", "Diagnosis")
    a, b = (tuple(table.column("Diagnosis").texts()) for table in (first, second))
    published_a, labels_a = publish(
        columns, [(("15-25", "m", "50**"), a[:4]), (("15-25", "f", "5***"), a[4:8]), (("26-40", "m", "5***"), a[8:])]
    )
    published_b, labels_b = publish(columns, [(("10-30", "*", "50**"), b[:6]), (("31-50", "*", "5***"), b[6:])])
    zips = sorted({*first.column("Zip Code").labels, *second.column("Zip Code").labels})
    return WorkedExample(
        name="hospitals_a_and_b",
        title="Hospitals A and B",
        story=(
            "Alice, Bob and Lalin are patients of both hospitals. Alice's group allows three diagnoses in A "
            "and four in B, but only E is possible in both; three stay possible for Bob."
        ),
        source="Sattar, Helal, 2018, Tables 1 and 2",
        erratum=(
            "The source prints diagnosis C in row 8 of its published table A, where the patient has F in "
            "the original; with C, Alice would keep two candidates, C and E. It also prints the age range "
            "31-50 over a group of B that holds patients of 20, 21 and 28. Here the diagnoses are those of "
            "the original tables; the groups and their ranges stay as printed, so these three patients are "
            "outside their range."
        ),
        tables=(first, second),
        published=(published_a, published_b),
        schema=Schema(
            columns[:3],
            "Diagnosis",
            identifiers=["Name"],
            column_types={"Age": "numeric", "Sex": "categorical"},
            taxonomies={"Zip Code": Taxonomy.from_prefixes(zips, keep=(2, 1))},
        ),
        target={"Age": "22", "Sex": "f", "Zip Code": "5095"},
        target_classes=(rows_of(labels_a, 1), rows_of(labels_b, 0)),
        labels=(labels_a, labels_b),
        expected={
            "k": (4, 6),
            "distinct_l": (3, 4),
            "rows": (4, 4),
            "sizes": (4, 6),
            "prior": (3, 4),
            "candidates": ("E",),
            "posterior": 1,
            "drop": 2,
            "confidence": 1.0,
            "Bob": {
                "rows": (8, 8),
                "sizes": (4, 6),
                "prior": (4, 5),
                "candidates": ("B", "D", "F"),
                "posterior": 3,
                "drop": 1,
                "confidence": 1 / 3,
            },
        },
    )


PATIENTS = """\
Name,Zip,Age,Disease
Bob,75001,22,Cold
Bill,75002,29,Flu
Don,75003,22,Cold
Sue,75010,28,HIV
"""


def bobs_class() -> WorkedExample:
    """Four patients published in two classes of two.

    Returns
    -------
    WorkedExample
        [Allard 2023]: one release, with no second one to compare it with.
    """
    table = read_text(PATIENTS)
    published, labels = publish(
        ("Zip", "Age", "Disease"),
        [(("[75001, 75002]", "[22, 29]"), ("Cold", "Flu")), (("[75003, 75010]", "[22, 29]"), ("Cold", "HIV"))],
    )
    return WorkedExample(
        name="bobs_class",
        title="Bob's class",
        story=(
            "Bob, Bill, Don and Sue are published two by two. Anyone who knows Bob's zip code and age finds two "
            "records and cannot tell whether he has a cold or the flu."
        ),
        source="Allard, lecture on partition-based models, 2023",
        erratum=(
            "The second class is printed with the ages 22 to 29, though its oldest patient is 28. "
            "The printed range is kept."
        ),
        tables=(table,),
        published=(published,),
        schema=Schema(
            ["Zip", "Age"], "Disease", identifiers=["Name"], column_types={"Zip": "numeric", "Age": "numeric"}
        ),
        target={"Zip": "75001", "Age": "22"},
        target_classes=(rows_of(labels, 0),),
        labels=(labels,),
        expected={
            "k": (2,),
            "distinct_l": (2,),
            "rows": (0,),
            "sizes": (2,),
            "prior": (2,),
            "candidates": ("Cold", "Flu"),
            "posterior": 2,
            "drop": 0,
            "confidence": 0.5,
            "Don": {
                "rows": (2,),
                "sizes": (2,),
                "prior": (2,),
                "candidates": ("Cold", "HIV"),
                "posterior": 2,
                "drop": 0,
                "confidence": 0.5,
            },
        },
    )
