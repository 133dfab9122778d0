"""The documentation that ships: every page is there, generated pages are current, and what they say is so."""

from __future__ import annotations

import re

import pytest
from command_line import Run, no_controls

from workbench.cli.failures import ExitCode
from workbench.contract.vocabulary import TenderSort, TenderStatus
from workbench.docs import TOPICS, UnknownTopic, build, read
from workbench.feeds.placsp_codes import STATUSES, status_of
from workbench.service.store.query_text import Term, TextQuery, read_text


def test_generated_pages_are_current() -> None:
    assert build.stale_pages() == [], "run python -m workbench.docs.build"
    assert build.main(["--check"]) == 0


def test_every_word_of_the_interface_has_a_meaning() -> None:
    assert set(build.STATUSES) == set(TenderStatus)
    assert set(build.SORTS) == set(TenderSort)
    assert set(build.CODES) == set(ExitCode)


def test_every_topic_has_a_page_and_a_place_in_the_index(run: Run) -> None:
    index = read("index")
    for topic in TOPICS:
        assert read(topic.name).startswith("# ")
        assert topic.name == "index" or f"`workbench docs {topic.name}`" in index
        assert run("docs", topic.name).out == read(topic.name)
    assert run("docs").out == index
    listed = run("docs", "--list").out
    assert [line.split()[0] for line in listed.splitlines()] == [topic.name for topic in TOPICS]


def test_a_topic_that_is_none_lists_those_there_are(run: Run) -> None:
    with pytest.raises(UnknownTopic, match="searching"):
        read("nothing")
    outcome = run("docs", "../service")
    assert (outcome.code, outcome.out) == (2, "")
    assert "getting-started" in outcome.err


def test_pages_refer_to_pages_and_commands_that_exist() -> None:
    names = {topic.name for topic in TOPICS}
    commands = set(re.findall(r"^## (workbench .+)$", read("commands"), re.MULTILINE))
    for topic in TOPICS:
        text = read(topic.name)
        assert no_controls(text)
        assert set(re.findall(r"workbench docs ([a-z-]+)", text)) <= names
        for line in re.findall(r"^(workbench (?!--)[a-z].*)$", text, re.MULTILINE):
            assert any(line.startswith(command) for command in commands), line


def test_the_statuses_of_the_data_page_are_those_of_the_import() -> None:
    rows = re.findall(r"^\| ([A-Z]{2,4}) \| (.*?)\|? ?\| (\w+) \|$", read("data-sources"), re.MULTILINE)
    assert {code for code, _, _ in rows} == set(STATUSES)
    for code, condition, status in rows:
        assert status_of(code, (), (), has_contract="was signed" in condition) == status


EXAMPLES = {
    "obras carretera": TextQuery(((Term(("obras",)),), (Term(("carretera",)),))),
    '"obras de carretera"': TextQuery(((Term(("obras", "de", "carretera")),),)),
    "limpieza OR aseo": TextQuery(((Term(("limpieza",)), Term(("aseo",))),)),
    "limpieza OR aseo oficinas": TextQuery(((Term(("limpieza",)), Term(("aseo",))), (Term(("oficinas",)),))),
    "limpieza -hospital": TextQuery(((Term(("limpieza",)),),), (Term(("hospital",)),)),
    'limpieza -"centro de salud"': TextQuery(((Term(("limpieza",)),),), (Term(("centro", "de", "salud")),)),
    "-hospital": TextQuery((), (Term(("hospital",)),)),
    "rehabilita*": TextQuery(((Term(("rehabilita",), prefix=True),),)),
    "obra-civil": TextQuery(((Term(("obra", "civil")),),)),
}
"""What the page about searching says of each example, as the service reads it."""


@pytest.mark.requirement("TND-2")
def test_the_examples_of_the_search_page_mean_what_it_says() -> None:
    shown = re.findall(r"^\| `(.+?)` \|", read("searching"), re.MULTILINE)
    assert shown == list(EXAMPLES)
    for text, meaning in EXAMPLES.items():
        assert read_text(text) == meaning
    assert read_text("instalación") == read_text("INSTALACION")
    assert read_text('"not closed').required == ((Term(("not", "closed")),),)
    assert read_text("OR - * ...") == TextQuery()
