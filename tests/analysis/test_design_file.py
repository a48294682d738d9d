"""Design files: what a file defines, and its faults."""

import pytest
from hypothesis import given, strategies

from survey.analysis.columns.column_request import OF_FILE, DesignNames, columns_and_design
from survey.analysis.columns.design_file import (
    MAX_DESIGN_FILE_BYTES,
    MAX_DESIGN_FILE_ROWS,
    design_values_from_file,
    read_design_file,
)
from survey.core.errors import DataFileError, UnanswerableQuestion
from survey.definition.survey import parse_survey
from tests.support.definitions import definition
from tests.support.design_files import FILE, written
from tests.support.every_type import asked, letters
from tests.support.habits import SURVEY, rows


def stored(*regions: int) -> dict[str, list]:
    return {"region": list(regions)}


def test_each_response_has_the_line_of_its_answer():
    file = read_design_file(written(FILE), SURVEY)
    assert (file.keys, file.tells) == (("region",), ("weight", "stratum", "cluster"))
    found = design_values_from_file(file, SURVEY, stored(2, 0, 0, 1))
    assert found["weight"].tolist() == [2, 1.5, 1.5, 0]
    assert found["stratum"].tolist() == ["south", "north", "north", "south"]
    assert found["cluster"].tolist() == ["c", "a", "a", "b"]


@pytest.mark.parametrize(
    "content",
    [
        "\ufeffregion,weight\r\nn,1\r\ns,2\r\nw,3\r\n",  # as Excel saves it
        "weight,region\n1,n\n2,s\n3,w",
        ' region , weight \n"n", 1\n\ns,2.0\nw,3e0\n',
    ],
)
def test_ways_of_writing_the_same(content):
    file = read_design_file(written(content), SURVEY)
    assert design_values_from_file(file, SURVEY, stored(0, 1, 2))["weight"].tolist() == [1, 2, 3]


def test_keys_are_non_private_questions_of_every_type_and_all_their_answers():
    content = definition(
        asked("grown", "yes_no", "none"),
        asked("area", "text", "none"),
        asked("age", "number", "none", min=0, max=10, step=0.5, prefer_not_to_say=True),
        asked("mood", "scale", "none", choices=letters("123"), relevant={"grown": "yes"}),
        slug="keys",
    )
    survey = parse_survey(content)
    file = read_design_file(
        written(
            "mood,grown,area,age,cluster\n3,yes,a 1,2.50,x\n"
            "not_asked,no,,prefer_not_to_say,y\n*,*,*,*,z\n"
        ),
        survey,
    )
    answers = {"grown": [0, 1, 0], "area": ["a 1", "", "a 1"], "age": [5, 21, 6], "mood": [2, 3, 2]}
    assert design_values_from_file(file, survey, answers)["cluster"].tolist() == ["x", "y", "z"]


def test_a_line_of_stars_is_about_all_others():
    file = read_design_file(written("region,weight\nn,3\n*,0\n"), SURVEY)
    assert design_values_from_file(file, SURVEY, stored(0, 1, 2, 0))["weight"].tolist() == [
        3,
        0,
        0,
        3,
    ]


def test_responses_without_a_line_are_counted_and_named():
    file = read_design_file(written("region,weight\ns,3\n"), SURVEY)
    with pytest.raises(UnanswerableQuestion) as refused:
        design_values_from_file(file, SURVEY, stored(0, 1, 2, 2, 0, 2))
    assert str(refused.value) == (
        "5 of 6 responses match no line of the file: region = w (3); region = n (2). Add a line "
        "for these answers, or a line with * for every question. That line applies to all other "
        "answers, and weight 0 excludes them."
    )


def test_what_is_told_twice_or_not_at_all_is_refused():
    file = read_design_file(written(FILE), SURVEY)
    with pytest.raises(UnanswerableQuestion, match="a column weight, and you also chose weight"):
        DesignNames("weight").with_file(file)
    assert DesignNames(clusters="house").with_file(
        read_design_file(written("region,weight\nn,1\n"), SURVEY)
    ) == DesignNames(OF_FILE, None, "house")
    with pytest.raises(UnanswerableQuestion, match="The design file has no column cluster"):
        columns_and_design(SURVEY, rows(), ["drinks"], DesignNames(clusters=OF_FILE),
                 read_design_file(written("region,weight\nn,1\n"), SURVEY))  # fmt: skip
    with pytest.raises(UnanswerableQuestion, match="The design file no longer exists"):
        columns_and_design(SURVEY, rows(), ["drinks"], DesignNames(OF_FILE))


@pytest.mark.parametrize(
    "content, sentence",
    [
        ("", "Line 1 has no name of a non-private question. Use one of: region, house."),
        ("region,weight\n", "Line 2 is missing"),
        ("region,size\nn,1\n", "Line 1, column 2: there is no question 'size'. Use a "
         "non-private question (region, house), or one of weight, stratum, cluster, population."),
        ("region,weight\nn;1\n", "Line 2 has 1 cell, but line 1 has 2."),
        ("weight,smokes\n1,yes\n", "Line 1, column 2: smokes is private. Its report is random, "
         "so it cannot identify a line"),
        ("drugs,weight\n1,yes\n", "Line 1, column 1: drugs is private."),
        ("region,region,weight\nn,n,1\n", "Line 1, column 2: region is used twice."),
        ("region\nn\n", "Line 1 needs one of the columns weight, stratum, cluster, population."),
        ("weight\n1\n", "Line 1 has no name of a non-private question"),
        ("region,weight\nn,1\ns\n", "Line 3 has 1 cell, but line 1 has 2. Correct the line."),
        ("region,weight\nx,1\n", "Line 2, column region: 'x' is not an answer to this "
         "question. There are: n, s, w."),
        ("region,weight\nn,1\n*,2\nn,2\n", "Line 4 has the same answers as line 2: region = n."),
        ("region,weight\n*,1\n*,2\n", "Line 3 has the same answers as line 2: region = *."),
        ("region,weight\nn,many\n", "Line 2, column weight: 'many' is not a number. Use a"),
        ("region,weight\nn,nan\n", "Line 2, column weight: 'nan' is not a number"),
        ("region,weight\nn,1e999\n", "Line 2, column weight: '1e999' is not a number"),
        ("region,weight\nn,1_0\n", "Line 2, column weight: '1_0' is not a number"),
        ('region,weight\nn,"1,5"\ns,2.5\n', "Line 2, column weight: '1,5' is not a number"),
        ("region;weight\nn;1.500\n", "Line 2, column weight: 1.500 can mean 1.5 or 1500."),
        ("region;weight\n\nn;1\n\ns;1.500\n", "Line 5, column weight: 1.500 can mean 1.5 or 1500."),
        ("region,weight\nn,-1\n", "Line 2, column weight: -1 is below 0."),
        ("region,weight\nn,1e13\n", "Line 2, column weight: 1e13 is above 1e+12."),
        ("region,weight\nn,\n", "Line 2, column weight: the cell is empty."),
        ("region,stratum\nn,north\ns, \n", "Line 3, column stratum: the cell is empty."),
        ("region,weight\nn,0\ns,0\n", "Column weight is 0 in every line"),
        ('region,weight\nn,"1\n', "is not CSV"),
    ],
)  # fmt: skip
def test_every_fault_names_its_line_and_column(content, sentence):
    with pytest.raises(DataFileError) as refused:
        read_design_file(written(content), SURVEY)
    assert sentence in str(refused.value)


def test_an_answer_that_can_mean_two_numbers_is_refused_unless_one_is_no_answer():
    """Such as the 1.500 of a German or Vietnamese table, in a column of answers."""
    pay, hours = (asked(name, "number", "none", max=9_000) for name in ("pay", "hours"))
    survey = parse_survey(definition(pay | {"min": 0, "step": 0.5}, hours | {"min": 100}))
    for cell in ("1.500", "1,500"):
        with pytest.raises(DataFileError, match=f"Line 2, column pay: {cell} can mean 1"):
            read_design_file(written(f"pay;weight\n{cell};1\n"), survey)
        file = read_design_file(written(f"hours;weight\n{cell};1\n"), survey)
        assert [*file.rows] == [(1_400,)]
    with pytest.raises(DataFileError, match="'6/2' is not an answer to this question"):
        read_design_file(written("pay,weight\n6/2,1\n"), survey)


def test_numbers_and_boxes_have_faults_of_their_own():
    survey = parse_survey(
        definition(
            asked("age", "number", "none", min=1, max=9, prefer_not_to_say=True),
            asked("news", "select_multiple", "none", choices=letters("pr")),
        )
    )
    fault = r"'10' is not an answer to this question\. Use 1 to 9\. There are: prefer_not_to_say\."
    with pytest.raises(DataFileError, match=fault):
        read_design_file(written("age,weight\n10,1\n"), survey)
    with pytest.raises(DataFileError, match="column 1: news has boxes"):
        read_design_file(written("news,weight\np,1\n"), survey)


def test_what_is_no_text_or_too_much_is_refused():
    with pytest.raises(DataFileError, match="The file is not UTF-8"):
        read_design_file(b"region,weight\n\xff,1\n", SURVEY)
    with pytest.raises(DataFileError, match="larger than 1,000,000 bytes"):
        read_design_file(b"x" * (MAX_DESIGN_FILE_BYTES + 1), SURVEY)
    many = "".join(f"{place},1\n" for place in range(MAX_DESIGN_FILE_ROWS + 1))
    with pytest.raises(DataFileError, match=r"20,001 lines\. The maximum is 20,000"):
        read_design_file(written("house,weight\n" + many), SURVEY)


CELLS = strategies.sampled_from(["n", "w", "*", "", "1", "-1", "1e400", "é"])
LINES = strategies.lists(strategies.tuples(CELLS, CELLS).map(",".join))


@pytest.mark.slow
@given(
    strategies.binary(max_size=60)
    | strategies.text('region,weight\nns*1.-"\r ', max_size=60).map(str.encode)
    | LINES.map(lambda lines: "\n".join(["region,weight", *lines]).encode())
)
def test_any_bytes_are_a_file_or_a_sentence(content):
    try:
        file = read_design_file(content, SURVEY)
    except DataFileError as error:
        assert str(error).endswith((".", ")"))
    else:
        assert any(row[0] for row in (*file.rows.values(), file.others or (0,)))


@pytest.mark.parametrize("cell", ["0", "-3", "2.5", "many", "1e13", ""])
def test_a_population_is_a_whole_number_from_one(cell):
    with pytest.raises(DataFileError, match="Line 2, column population: "):
        read_design_file(written(f"region,population\nn,{cell}\n"), SURVEY)
