"""Fields that the real files at hand do not show: an entry of the platform's own users, with lots, dates and identifiers."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from placsp_building import BASE, entry, feed, folder, items_of, notice_of, tombstone

from workbench.feeds.notice import Location, Notice, Refused, Withdrawal, WithdrawalReason

PARTY = """
<cac-place-ext:LocatedContractingParty>
  <cbc:ContractingPartyTypeCode>3</cbc:ContractingPartyTypeCode>
  <cbc:ActivityCode>7</cbc:ActivityCode>
  <cbc:BuyerProfileURIID>https://x.es/perfil</cbc:BuyerProfileURIID>
  <cac:Party>
    <cbc:WebsiteURI>https://buyer.es</cbc:WebsiteURI>
    <cac:PartyIdentification><cbc:ID schemeName="ID_PLATAFORMA">40140000</cbc:ID></cac:PartyIdentification>
    <cac:PartyIdentification><cbc:ID schemeName="DIR3">A9999999</cbc:ID></cac:PartyIdentification>
    <cac:PartyIdentification><cbc:ID schemeName="DIR3">L01080193</cbc:ID></cac:PartyIdentification>
    <cac:PartyIdentification><cbc:ID schemeName="NIF">P0801900B</cbc:ID></cac:PartyIdentification>
    <cac:PartyName><cbc:Name> Junta de Gobierno Local </cbc:Name></cac:PartyName>
    <cac:PostalAddress>
      <cbc:CityName>Barcelona</cbc:CityName><cbc:PostalZone>08002</cbc:PostalZone>
      <cac:AddressLine><cbc:Line>Plaza Mayor, 1</cbc:Line></cac:AddressLine>
      <cac:Country><cbc:IdentificationCode>ES</cbc:IdentificationCode><cbc:Name>España</cbc:Name></cac:Country>
    </cac:PostalAddress>
    <cac:Contact><cbc:Name>Someone Private</cbc:Name><cbc:ElectronicMail>someone@buyer.es</cbc:ElectronicMail></cac:Contact>
    <cac:AgentParty><cac:PartyName><cbc:Name>Plataforma de Euskadi</cbc:Name></cac:PartyName></cac:AgentParty>
  </cac:Party>
  <cac-place-ext:ParentLocatedParty>
    <cac:PartyName><cbc:Name>Ayuntamiento</cbc:Name></cac:PartyName>
    <cac-place-ext:ParentLocatedParty>
      <cac:PartyName><cbc:Name>Entidades locales</cbc:Name></cac:PartyName>
    </cac-place-ext:ParentLocatedParty>
  </cac-place-ext:ParentLocatedParty>
</cac-place-ext:LocatedContractingParty>"""

PROJECT = """
<cac:ProcurementProject>
  <cbc:Name>Limpieza de edificios</cbc:Name><cbc:TypeCode>2</cbc:TypeCode><cbc:SubTypeCode>14</cbc:SubTypeCode>
  <cbc:MixContractIndicator>false</cbc:MixContractIndicator>
  <cac:BudgetAmount>
    <cbc:EstimatedOverallContractAmount currencyID="EUR">2400000</cbc:EstimatedOverallContractAmount>
    <cbc:TotalAmount currencyID="EUR">1210000,00</cbc:TotalAmount>
    <cbc:TaxExclusiveAmount currencyID="EUR">1000000.00</cbc:TaxExclusiveAmount>
  </cac:BudgetAmount>
  <cac:RequiredCommodityClassification>
    <cbc:ItemClassificationCode>90910000</cbc:ItemClassificationCode>
  </cac:RequiredCommodityClassification>
  <cac:RequiredCommodityClassification>
    <cbc:ItemClassificationCode>12345678</cbc:ItemClassificationCode>
  </cac:RequiredCommodityClassification>
  <cac:RealizedLocation>
    <cbc:CountrySubentity>Barcelona</cbc:CountrySubentity><cbc:CountrySubentityCode>ES511</cbc:CountrySubentityCode>
    <cac:Address><cbc:CityName>Badalona</cbc:CityName><cbc:PostalZone>08911</cbc:PostalZone>
      <cac:Country><cbc:IdentificationCode>ES</cbc:IdentificationCode></cac:Country></cac:Address>
  </cac:RealizedLocation>
  <cac:PlannedPeriod><cbc:DurationMeasure unitCode="ANN">2</cbc:DurationMeasure></cac:PlannedPeriod>
  <cac:ContractExtension>
    <cac:OptionValidityPeriod><cbc:Description>24 meses</cbc:Description></cac:OptionValidityPeriod>
  </cac:ContractExtension>
</cac:ProcurementProject>"""


def lot(number: int, name: str, cpv: str, budget: str, nuts: str) -> str:
    return f"""
<cac:ProcurementProjectLot><cbc:ID schemeName="ID_LOTE">{number}</cbc:ID><cac:ProcurementProject>
  <cbc:Name>{name}</cbc:Name>
  <cac:BudgetAmount><cbc:TotalAmount currencyID="EUR">{budget}</cbc:TotalAmount>
    <cbc:TaxExclusiveAmount currencyID="EUR">{budget}</cbc:TaxExclusiveAmount></cac:BudgetAmount>
  <cac:RequiredCommodityClassification>
    <cbc:ItemClassificationCode>{cpv}</cbc:ItemClassificationCode>
  </cac:RequiredCommodityClassification>
  <cac:RealizedLocation><cbc:CountrySubentityCode>{nuts}</cbc:CountrySubentityCode></cac:RealizedLocation>
</cac:ProcurementProject></cac:ProcurementProjectLot>"""


PROCESS = """
<cac:TenderingTerms><cac:Language><cbc:ID>ca</cbc:ID></cac:Language></cac:TenderingTerms>
<cac:TenderingProcess><cbc:ProcedureCode>9</cbc:ProcedureCode><cbc:UrgencyCode>2</cbc:UrgencyCode>
  <cbc:ContractingSystemCode>1</cbc:ContractingSystemCode>
  <cac:TenderSubmissionDeadlinePeriod>
    <cbc:EndDate>2024-07-01</cbc:EndDate><cbc:EndTime>23:59:00</cbc:EndTime>
  </cac:TenderSubmissionDeadlinePeriod>
</cac:TenderingProcess>"""


def winner(scheme: str, identifier: str, name: str) -> str:
    return (
        "<cac:WinningParty><cac:PartyIdentification>"
        f'<cbc:ID schemeName="{scheme}">{identifier}</cbc:ID></cac:PartyIdentification>'
        f"<cac:PartyName><cbc:Name>{name}</cbc:Name></cac:PartyName></cac:WinningParty>"
    )


def result(*winners: str, code: str = "9", lot_id: str = "1", more: str = "", contract: str = "") -> str:
    return f"""
<cac:TenderResult><cbc:ResultCode>{code}</cbc:ResultCode><cbc:Description>Mejor oferta</cbc:Description>
  <cbc:AwardDate>2024-08-01</cbc:AwardDate><cbc:ReceivedTenderQuantity>3</cbc:ReceivedTenderQuantity>
  <cbc:LowerTenderAmount currencyID="EUR">90.5</cbc:LowerTenderAmount>
  <cbc:HigherTenderAmount currencyID="EUR">120</cbc:HigherTenderAmount>
  <cbc:SMEsReceivedTenderQuantity>2</cbc:SMEsReceivedTenderQuantity><cbc:SMEAwardedIndicator>true</cbc:SMEAwardedIndicator>
  <cbc:AbnormallyLowTendersIndicator>false</cbc:AbnormallyLowTendersIndicator>{more}{contract}{"".join(winners)}
  <cac:AwardedTenderedProject><cbc:ProcurementProjectLotID>{lot_id}</cbc:ProcurementProjectLotID>
    <cac:LegalMonetaryTotal><cbc:TaxExclusiveAmount currencyID="EUR">100</cbc:TaxExclusiveAmount>
      <cbc:PayableAmount currencyID="EUR">121</cbc:PayableAmount></cac:LegalMonetaryTotal></cac:AwardedTenderedProject>
</cac:TenderResult>"""


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type]


def test_a_buyer_is_read_with_identifiers_by_worth_and_without_contact(tmp_path: Path) -> None:
    notice = notice_of(tmp_path, PARTY)
    buyer = notice.buyer
    assert buyer is not None
    assert buyer.name == "Junta de Gobierno Local"
    assert buyer.identifiers == (("NIF", "P0801900B"), ("DIR3", "L01080193"), ("ID_PLATAFORMA", "40140000"))
    assert buyer.parents == ("Ayuntamiento", "Entidades locales")
    assert (buyer.activity, buyer.authority_type) == ("Salud", "Autoridad local")
    assert (buyer.country, buyer.province, buyer.city, buyer.post_code) == ("ES", "08", "Barcelona", "08002")
    assert (buyer.street, buyer.web_url, buyer.profile_url) == ("Plaza Mayor, 1", "https://buyer.es", "https://x.es/perfil")
    assert notice.platform == "Plataforma de Euskadi"
    assert "Private" not in repr(notice)
    assert "someone@" not in repr(notice)


def test_a_project_is_read_whole(tmp_path: Path) -> None:
    notice = notice_of(tmp_path, PARTY, PROJECT, PROCESS)
    assert (notice.name, notice.contract_type, notice.contract_subtype_code) == ("Limpieza de edificios", "Servicios", "14")
    assert notice.mixed_contract is False
    assert (notice.budget_no_taxes, notice.budget_with_taxes, notice.estimated_value) == (1_000_000.0, 1_210_000.0, 2_400_000.0)
    assert notice.currency == "EUR"
    assert notice.cpvs == ("90910000-9", "12345678")
    assert notice.notes[0] == "CPV '12345678' is not among the codes of CPV 2008; it is kept as text."
    assert notice.locations == (Location("ES", "08", "Badalona", "ES511", "Barcelona"),)
    assert (notice.procedure, notice.urgency) == ("Abierto simplificado", "Urgente")
    assert notice.contracting_system == "Establecimiento del Acuerdo Marco"
    assert notice.language == "ca"
    assert notice.deadline_at == utc(2024, 7, 1, 21, 59)
    assert notice.duration_days == 730


def test_lots_add_codes_and_places_but_no_budget(tmp_path: Path) -> None:
    lots = lot(1, "Norte", "90911000", "400000", "ES512") + lot(2, "Sur", "90910000", "600000", "ES513")
    notice = notice_of(tmp_path, PROJECT, lots)
    assert notice.budget_no_taxes == 1_000_000.0
    assert [(item.id, item.name, item.budget_no_taxes, item.currency, item.cpvs) for item in notice.lots] == [
        ("1", "Norte", 400_000.0, "EUR", ("90911000-6",)),
        ("2", "Sur", 600_000.0, "EUR", ("90910000-9",)),
    ]
    assert notice.cpvs == ("90910000-9", "12345678", "90911000-6")
    assert [place.province for place in notice.locations] == ["08", "17", "25"]
    assert notice.description == "Norte\nSur"


def test_results_become_one_row_a_winner_and_one_amount_is_counted_once(tmp_path: Path) -> None:
    two = result(winner("NIF", "A11111111", "Uno, S.A."), winner("UTE", "U22222222", "UTE Dos"))
    none = result(code="3", lot_id="2")
    rows = notice_of(tmp_path, two, none, code="ADJ").awards
    assert [(row.lot_id, row.supplier and row.supplier.name, row.amount_no_taxes, row.joint_venture) for row in rows] == [
        ("1", "Uno, S.A.", 100.0, False),
        ("1", "UTE Dos", None, True),
        ("2", None, 100.0, False),
    ]
    first = rows[0]
    assert (first.amount_with_taxes, first.lowest_offer, first.highest_offer, first.offers) == (121.0, 90.5, 120.0, 3)
    assert (first.sme_offers, first.sme_winner, first.abnormally_low) == (2, True, False)
    assert (first.result, first.description, first.awarded_at) == ("Formalizado", "Mejor oferta", utc(2024, 7, 31, 22))


@pytest.mark.parametrize("identifier", ["-", "A9999999", "0000", "pendiente", " "])
def test_placeholders_are_no_identifiers(tmp_path: Path, identifier: str) -> None:
    (named,) = notice_of(tmp_path, result(winner("NIF", identifier, "Uno, S.A."))).awards
    assert named.supplier is not None
    assert named.supplier.identifiers == ()
    (nameless,) = notice_of(tmp_path, result(winner("NIF", identifier, "-"))).awards
    assert nameless.supplier is None


def test_a_contract_date_formalizes_and_starts_the_contract(tmp_path: Path) -> None:
    contract = "<cac:Contract><cbc:ID>C1</cbc:ID><cbc:IssueDate>2024-09-15</cbc:IssueDate></cac:Contract>"
    notice = notice_of(tmp_path, PROJECT, result(winner("NIF", "A11111111", "Uno"), code="8", contract=contract), code="RES")
    assert notice.status == "Formalizada"
    assert notice.awarded_at == utc(2024, 7, 31, 22)
    assert notice.formalized_at == utc(2024, 9, 14, 22)
    assert notice.expires_at == utc(2026, 9, 14, 22)
    assert notice.extended_expires_at == utc(2028, 9, 14, 22)


def test_a_stated_start_goes_before_the_date_of_the_contract(tmp_path: Path) -> None:
    contract = "<cac:Contract><cbc:IssueDate>2024-09-15</cbc:IssueDate></cac:Contract>"
    start = "<cbc:StartDate>2024-10-31</cbc:StartDate>"
    change = """<cac:ContractModification><cbc:ID>1</cbc:ID><cbc:ContractID>C1</cbc:ContractID>
      <cac:ContractModificationLegalMonetaryTotal><cbc:TaxExclusiveAmount currencyID="EUR">10</cbc:TaxExclusiveAmount>
      </cac:ContractModificationLegalMonetaryTotal><cac:FinalLegalMonetaryTotal><cbc:TaxExclusiveAmount currencyID="EUR">110
      </cbc:TaxExclusiveAmount></cac:FinalLegalMonetaryTotal>
      <cbc:FinalDurationMeasure unitCode="MON">28</cbc:FinalDurationMeasure>
      </cac:ContractModification>"""
    notice = notice_of(tmp_path, PROJECT, result(more=start, contract=contract), change, code="RES")
    assert notice.expires_at == utc(2026, 10, 30, 23)
    assert notice.extended_expires_at == utc(2027, 2, 27, 23)
    (changed,) = notice.modifications
    assert (changed.amount_no_taxes, changed.final_amount_no_taxes, changed.final_duration_days) == (10.0, 110.0, 852)


@pytest.mark.parametrize(("lots_with_result", "partial"), [(["1"], True), (["1", "2"], False)])
def test_an_award_is_partial_while_lots_have_no_result(tmp_path: Path, lots_with_result: list[str], partial: bool) -> None:
    lots = lot(1, "Norte", "90911000", "1", "ES512") + lot(2, "Sur", "90910000", "1", "ES513")
    notice = notice_of(tmp_path, PROJECT, lots, *(result(lot_id=number) for number in lots_with_result), code="ADJ")
    assert (notice.status, notice.partially_awarded) == ("Adjudicada", partial)


def test_documents_of_all_kinds(tmp_path: Path) -> None:
    def attached(more: str = "") -> str:
        reference = f"<cac:ExternalReference><cbc:URI>https://x.es/d?a=1&amp;b=2</cbc:URI>{more}</cac:ExternalReference>"
        return f"<cac:Attachment>{reference}</cac:Attachment>"

    held = attached("<cbc:DocumentHash>aGFzaA==</cbc:DocumentHash>")
    parts = [
        f"<cac:{kind}DocumentReference><cbc:ID>{kind}.PDF</cbc:ID>{held}</cac:{kind}DocumentReference>"
        for kind in ("Legal", "Technical", "Additional")
    ]
    parts.append(
        "<cac-place-ext:GeneralDocument><cac-place-ext:GeneralDocumentDocumentReference><cbc:ID>g1</cbc:ID>"
        "<cbc:IssueDate>2024-05-01</cbc:IssueDate><cbc:DocumentTypeCode>9</cbc:DocumentTypeCode>"
        + attached("<cbc:FileName>Memoria.docx</cbc:FileName>")
        + "</cac-place-ext:GeneralDocumentDocumentReference></cac-place-ext:GeneralDocument>"
    )
    parts.append(
        "<cac-place-ext:ValidNoticeInfo><cbc-place-ext:NoticeTypeCode>DOC_CN</cbc-place-ext:NoticeTypeCode>"
        "<cac-place-ext:AdditionalPublicationStatus><cac-place-ext:AdditionalPublicationDocumentReference>"
        "<cbc:IssueDate>2024-05-02</cbc:IssueDate>"
        + attached("<cbc:FileName>anuncio.html</cbc:FileName>")
        + "</cac-place-ext:AdditionalPublicationDocumentReference></cac-place-ext:AdditionalPublicationStatus>"
        "</cac-place-ext:ValidNoticeInfo>"
    )
    notice = notice_of(tmp_path, *parts)
    assert [(item.type, item.name, item.mime_type) for item in notice.documents] == [
        ("Pliego de cláusulas administrativas", "Legal.PDF", "application/pdf"),
        ("Pliego de prescripciones técnicas", "Technical.PDF", "application/pdf"),
        ("Documento adicional", "Additional.PDF", "application/pdf"),
        ("Memoria justificativa", "Memoria.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        ("Anuncio de Licitación", "anuncio.html", "text/html"),
    ]
    assert notice.documents[0].digest == "aGFzaA=="
    assert {item.uri for item in notice.documents} == {"https://x.es/d?a=1&b=2"}
    assert notice.documents[3].published_at == utc(2024, 4, 30, 22)
    assert notice.published_at == utc(2024, 5, 1, 22)


def test_the_buyers_address_stands_in_where_no_place_is_stated(tmp_path: Path) -> None:
    assert notice_of(tmp_path, PARTY).locations == (Location("ES", "08", "Barcelona", None, None),)


@pytest.mark.parametrize(
    ("inside", "place"),
    [
        ("<cbc:CountrySubentityCode>es300</cbc:CountrySubentityCode>", ("ES", "28")),
        ("<cbc:CountrySubentityCode>ES30</cbc:CountrySubentityCode>", ("ES", "28")),
        ("<cbc:CountrySubentityCode>ES61</cbc:CountrySubentityCode>", ("ES", None)),
        ("<cbc:CountrySubentityCode>EL30</cbc:CountrySubentityCode>", ("GR", None)),
        ("<cbc:CountrySubentityCode>ES</cbc:CountrySubentityCode>", ("ES", None)),
        ("<cac:Address><cbc:PostalZone>48001</cbc:PostalZone></cac:Address>", ("ES", "48")),
        (
            "<cbc:CountrySubentityCode>ES61</cbc:CountrySubentityCode><cac:Address><cbc:PostalZone>41001</cbc:PostalZone></cac:Address>",
            ("ES", "41"),
        ),
        (
            "<cac:Address><cbc:PostalZone>48001</cbc:PostalZone><cac:Country><cbc:IdentificationCode>FR</cbc:IdentificationCode></cac:Country></cac:Address>",
            ("FR", None),
        ),
        ("<cbc:CountrySubentity>Álava</cbc:CountrySubentity>", ("ES", "01")),
    ],
)
def test_provinces_come_from_nuts_then_postcode_then_name(tmp_path: Path, inside: str, place: tuple[str, str | None]) -> None:
    project = f"<cac:ProcurementProject><cac:RealizedLocation>{inside}</cac:RealizedLocation></cac:ProcurementProject>"
    (found,) = notice_of(tmp_path, project).locations
    assert (found.country, found.province) == place


def test_a_request_to_take_part_is_a_deadline_only_where_there_is_no_other(tmp_path: Path) -> None:
    def period(tag: str, day: str) -> str:
        return f"<cac:{tag}><cbc:EndDate>{day}</cbc:EndDate><cbc:EndTime>10:00:00</cbc:EndTime></cac:{tag}>"

    take_part = period("ParticipationRequestReceptionPeriod", "2024-01-10")
    submit = period("TenderSubmissionDeadlinePeriod", "2024-02-10")
    process = "<cac:TenderingProcess>{}</cac:TenderingProcess>"
    assert notice_of(tmp_path, process.format(take_part)).deadline_at == utc(2024, 1, 10, 9)
    assert notice_of(tmp_path, process.format(take_part + submit)).deadline_at == utc(2024, 2, 10, 9)


@pytest.mark.parametrize(
    ("period", "deadline", "text", "note"),
    [
        ("<cbc:Description>Cuando se publique</cbc:Description>", None, "Cuando se publique", ""),
        ("<cbc:EndDate>2024-02-10</cbc:EndDate>", utc(2024, 2, 10, 22, 59, 59), "2024-02-10", "no hour"),
        (
            "<cbc:EndDate>2024-02-10</cbc:EndDate><cbc:EndTime>noon</cbc:EndTime>",
            utc(2024, 2, 10, 22, 59, 59),
            "2024-02-10 noon",
            "noon",
        ),
        ("<cbc:EndDate>10/02/2024</cbc:EndDate>", None, "10/02/2024", "10/02/2024"),
    ],
)
def test_deadlines_that_are_not_a_date_and_an_hour(
    tmp_path: Path, period: str, deadline: datetime | None, text: str, note: str
) -> None:
    inside = f"<cac:TenderSubmissionDeadlinePeriod>{period}</cac:TenderSubmissionDeadlinePeriod>"
    notice = notice_of(tmp_path, f"<cac:TenderingProcess>{inside}</cac:TenderingProcess>")
    assert (notice.deadline_at, notice.deadline_text) == (deadline, text)
    assert note in " ".join(notice.notes)


def test_values_of_the_wrong_type_are_left_out_and_noted(tmp_path: Path) -> None:
    project = (
        '<cac:ProcurementProject><cac:BudgetAmount><cbc:TaxExclusiveAmount currencyID="EUR">a lot</cbc:TaxExclusiveAmount>'
        '</cac:BudgetAmount><cac:PlannedPeriod><cbc:StartDate>soon</cbc:StartDate><cbc:DurationMeasure unitCode="MOON">3'
        "</cbc:DurationMeasure></cac:PlannedPeriod></cac:ProcurementProject>"
    )
    many = "<cac:TenderResult><cbc:ReceivedTenderQuantity>several</cbc:ReceivedTenderQuantity></cac:TenderResult>"
    notice = notice_of(tmp_path, project, many)
    assert (notice.budget_no_taxes, notice.duration_days, notice.awards[0].offers) == (None, None, None)
    assert notice.notes == (
        "The budget without taxes 'a lot' could not be read and was left out.",
        "The start date 'soon' could not be read and was left out.",
        "The duration '3 MOON' could not be read and was left out.",
        "The number of tenders received 'several' could not be read and was left out.",
    )


def test_a_summary_fills_in_what_the_folder_does_not_say(tmp_path: Path) -> None:
    summary = (
        "<summary>Id licitación: 7/24; Órgano de Contratación: Alcaldía; Importe: 171.000,00 EUR; Estado: EN PLAZO</summary>"
    )
    (notice,) = items_of(
        tmp_path,
        feed(entry(inside="<cac-place-ext:ContractFolderStatus/>", extra=summary)),
    )
    assert isinstance(notice, Notice)
    assert notice.buyer is not None
    assert (notice.expedient, notice.buyer.name, notice.budget_no_taxes) == ("7/24", "Alcaldía", 171_000.0)
    assert (notice.status, notice.source_status, notice.name) == ("Publicada", "PUB", "Obras")


def test_minor_contracts_are_told_by_procedure_or_feed(tmp_path: Path) -> None:
    process = "<cac:TenderingProcess><cbc:ProcedureCode>{}</cbc:ProcedureCode></cac:TenderingProcess>"
    assert notice_of(tmp_path, process.format("6")).is_minor_contract
    assert not notice_of(tmp_path, process.format("1")).is_minor_contract
    data = feed(entry()).replace(b"licitacionesPerfilContratante", b"datosAbiertosMenores")
    (minor,) = items_of(tmp_path, data)
    assert isinstance(minor, Notice)
    assert (minor.source, minor.is_minor_contract) == ("datosAbiertosMenores", True)


def test_unknown_codes_are_kept_as_they_came(tmp_path: Path) -> None:
    project = "<cac:ProcurementProject><cbc:TypeCode>77</cbc:TypeCode></cac:ProcurementProject>"
    notice = notice_of(tmp_path, project, code="NEW")
    assert (notice.status, notice.source_status, notice.rank, notice.contract_type) == ("NEW", "NEW", 0, "77")
    assert notice_of(tmp_path, code=None).status == "Desconocida"


@pytest.mark.parametrize(
    ("comment", "reason"),
    [
        ("ANULADA", WithdrawalReason.CANCELLED),
        ("CERRADA", WithdrawalReason.ARCHIVED),
        (None, WithdrawalReason.UNSTATED),
        ("OTRA", WithdrawalReason.UNSTATED),
    ],
)
def test_tombstones_say_why(tmp_path: Path, comment: str | None, reason: WithdrawalReason) -> None:
    (item,) = items_of(tmp_path, feed(tombstone(5, comment=comment)), "feed_20240506_030001.atom")
    assert isinstance(item, Withdrawal)
    assert (item.source, item.source_id, item.reason) == ("licitacionesPerfilContratante", f"{BASE}5", reason)
    assert item.at == utc(2024, 5, 6, 8, 11, 12, 345_000)
    assert (item.origin.position, item.origin.file_time) == (1, "20240506_030001")


def test_a_file_without_a_time_in_its_name_takes_that_of_the_feed(tmp_path: Path) -> None:
    assert notice_of(tmp_path).origin.file_time == "20240506_030001"


def test_several_versions_come_in_the_order_of_the_file(tmp_path: Path) -> None:
    late, early = "2024-05-06T10:00:00Z", "2024-05-05T10:00:00Z"
    items = items_of(tmp_path, feed(entry(1, updated=late), tombstone(1), entry(1, updated=early, inside=folder(code="EV"))))
    assert [type(item) for item in items] == [Notice, Withdrawal, Notice]
    assert not any(isinstance(item, Refused) for item in items)
    assert isinstance(items[0], Notice)
    assert isinstance(items[2], Notice)
    assert items[0].version_at > items[2].version_at
    assert items[0].rank < items[2].rank
