"""A natural person's tax number is known in every spelling and shown with four digits only."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.reference.tax_ids import is_personal, masked, masked_everywhere

# Made up: the letters are not the ones that the number would have.
PERSONS = ("00000001A", "0000001A", "ES00000001A", "00.000.001-A", "x0000001b", "K0000001C", "000001A")
OTHERS = ("A00000001", "Q0000001B", "FR000000001", "-", "", "A9999999", "12345678", "P0000000A")


@pytest.mark.parametrize("tax_id", PERSONS)
def test_a_person_s_number_is_known_and_masked(tax_id: str) -> None:
    assert is_personal(tax_id)
    assert masked(tax_id) in {"***0000**", "****0001*"}


@pytest.mark.parametrize("tax_id", OTHERS)
def test_any_other_number_stays(tax_id: str) -> None:
    assert not is_personal(tax_id)
    assert masked(tax_id) == tax_id


@given(st.from_regex(r"\d{8}[A-Z]|[XYZ]\d{7}[A-Z]", fullmatch=True))
def test_no_more_than_four_digits_stay(tax_id: str) -> None:
    assert sum(character.isdigit() for character in masked(tax_id)) == 4


def test_every_tax_id_of_a_record_is_masked_and_nothing_else() -> None:
    record = {"taxId": "00000001A", "note": "00000001A", "bidders": [{"taxId": "A00000001"}, {"taxId": "00000001A"}], "n": 1}
    assert masked_everywhere(record) == {
        "taxId": "***0000**", "note": "00000001A", "bidders": [{"taxId": "A00000001"}, {"taxId": "***0000**"}], "n": 1,
    }  # fmt: skip
