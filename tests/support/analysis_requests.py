"""A request for each analysis."""

# The survey of each analysis, its options, and the query of its page.
REQUESTS = {
    "crosstab": ("habits", "--rows drinks --columns mood", "rows=drinks&columns=mood&of=row"),
    "groups": (
        "habits",
        "--measure drinks:yes --group region --against first",
        "measure=drinks:0&group=region&against=first",
    ),
    "change": ("items", "--measure count --surveys treated", "measure=count:&surveys=treated"),
    "correlation": (
        "habits",
        "--questions mood --questions drugs/a --questions region:W --weights weight",
        "questions=mood:&questions=drugs/a:&questions=region:2&weights=weight",
    ),
    "regression": (
        "habits",
        "--outcome drinks --predictors mood --further C(region)",
        "outcome=drinks&predictors=mood&further=C(region)",
    ),
    "tree": ("habits", "--target drinks --predictors mood", "target=drinks&predictors=mood"),
    "crosswise": (
        "copying",
        "--asked copied --check check:a",
        "asked=copied&check=check:0&anchor=flown",
    ),
    "list": (
        "items",
        "--count count --treatment by:version:t",
        "count=count&treatment=by:version:1",
    ),
    "validity": ("habits", "--asked drinks:no --denied 20", "asked=drinks:1&denied=20"),
}
