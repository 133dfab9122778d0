"""Real entries of differing kinds, each field as read from the XML by eye. None of them names a natural person."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from workbench.feeds.load import find_files, read
from workbench.feeds.notice import Notice, Party

BASE = "https://contrataciondelestado.es/sindicacion/PlataformasAgregadasSinMenores/"
ASTURIAS = "http://www.asturias.es/Proveedores/FICHEROS/ESTRUCTURA 2015/CJ. EMPLEO. INDUSTRIA Y TURISMO/"
EUSKADI = (
    "https://apps.euskadi.eus/w32-1084/es/v79aWar/comunJSP/v79aMostrarAdjunto.do?&idUnico=expjaso7289"
    "&fichero={}.pdf&tipoAnuncio=A&idOrigen=7289&origen=JASO&R01HNoPortal=true"
)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


GOLDEN: dict[str, dict[str, Any]] = {
    "1995712": {  # a prior notice without a folder id, with a budget of zero and no procedure
        "version_at": at("2018-02-06T10:40:44.092"),
        "status": "Publicada", "source_status": "PRE", "rank": 1, "expedient": None,
        "contract_type": "Servicios", "procedure": None, "currency": "EUR",
        "budget_no_taxes": 0.0, "estimated_value": 741986.38, "budget_with_taxes": None,
        "cpvs": ("98133100-5",), "places": [("ES", "28", "ES300", None)],
        "buyer_name": "Área de Gobierno de Seguridad y Emergencias", "buyer_ids": (("DIR3", "LA0000757"),), "parents": (),
        "published_at": at("2018-02-05T23:00"), "published_estimated": False, "deadline_at": None, "deadline_text": None,
        "awards": [], "documents": [], "duration_days": None, "expires_at": None, "notes": (),
    },
    "1991478": {  # open for tenders, buyer with DIR3
        "version_at": at("2018-01-09T09:11:47.198"),
        "status": "Publicada", "source_status": "PUB", "rank": 2, "expedient": "A2018/000091",
        "name": "Conservación preventiva del firme de la carretera SO-100",
        "link_url": "https://contratacion.jcyl.es/web/jcyl/ContratacionAdministrativa/es/Plantilla100Detalle/1284152328311/_/"
        "1284775204997/Propuesta",
        "contract_type": "Obras", "contract_type_code": "3", "procedure": "Abierto", "procedure_code": "1",
        "budget_no_taxes": 1808951.41, "estimated_value": 1808951.41, "cpvs": ("45233223-8",),
        "places": [("ES", "42", "ES417", None)], "buyer_name": "Consejería de Fomento y Medio Ambiente",
        "buyer_ids": (("DIR3", "A07002866"),), "published_at": at("2018-01-08T23:00"),
        "deadline_at": at("2018-02-26T13:00"), "deadline_text": "2018-02-26 14:00:00", "awards": [],
        "awarded_at": None, "formalized_at": None, "duration_days": 548, "expires_at": None, "cancelled": False,
        "is_minor_contract": False,
    },
    "1991679": {  # open, two CPVs, files whose addresses have blanks
        "status": "Publicada", "source_status": "PUB", "expedient": "44/2017", "cpvs": ("72611000-6", "72600000-6"),
        "budget_no_taxes": 82000.0, "estimated_value": 174000.0, "places": [("ES", "33", "ES120", None)],
        "published_at": at("2017-11-26T23:00"), "deadline_at": at("2017-12-13T13:00"),
        "documents": [
            ("Pliego de cláusulas administrativas", "Pliego_Clausulas_Administrativas_Expte_44-2017.pdf",
             ASTURIAS + "Pliego_Clausulas_Administrativas_Expte_44-2017.pdf", "application/pdf"),
            ("Pliego de prescripciones técnicas", "Pliego_Prescripciones_Tecnicas_Expte_44-2017.pdf",
             ASTURIAS + "Pliego_Prescripciones_Tecnicas_Expte_44-2017.pdf", "application/pdf"),
        ],
    },
    "1991527": {  # under evaluation, a region for a place, three CPVs, published in three gazettes: the earliest counts
        "version_at": at("2018-01-09T00:10:32.123"),
        "status": "Publicada", "source_status": "EV", "rank": 3, "expedient": "PcPG/2017/227060",
        "cpvs": ("33972000-4", "33970000-0", "33940000-1"), "places": [("ES", None, "ES11", "Galicia")],
        "budget_no_taxes": 331309.08, "estimated_value": None, "published_at": at("2017-11-27T23:00"),
        "deadline_at": at("2018-01-08T13:00"), "buyer_ids": (("DIR3", "A12002995"),), "awards": [],
    },
    "1991496": {  # awarded, results of two lots, one of them given three times; no call notice
        "version_at": at("2018-01-09T08:25:26.663"),
        "status": "Adjudicada", "source_status": "ADJ", "rank": 4, "expedient": "23/17", "partially_awarded": False,
        "parents": ("Comunidad Autónoma de la Región de Murcia",), "places": [("ES", "30", "ES620", None)],
        "cpvs": ("38432000-2",), "duration_days": 122,
        "awards": [
            ("1", "9", "Formalizado", "DNOTA MEDIOAMBIENTE S.L.", (("NIF", "B78218526"),), 83900.0, 3, False),
            ("1", "8", "Adjudicado", "DNOTA MEDIOAMBIENTE S.L.", (("NIF", "B78218526"),), 83900.0, 3, False),
            ("1", "8", "Adjudicado", "DNOTA MEDIOAMBIENTE S.L.", (("NIF", "B78218526"),), 83900.0, 3, False),
            ("2", "9", "Formalizado", "SEQUOPRO SL", (("NIF", "B86415601"),), 69000.0, 3, False),
        ],
        "published_at": at("2018-01-09T08:25:26.663"), "published_estimated": True,
        "awarded_at": at("2017-12-28T23:00"), "formalized_at": None, "deadline_at": at("2017-04-18T12:00"),
    },
    "1991490": {  # resolved and formalized, two winners, one year from the formalization notice
        "status": "Formalizada", "source_status": "RES", "rank": 5, "expedient": "CCS 2015 40.S01-2018",
        "procedure": "Derivado de acuerdo marco", "places": [("ES", None, "ES51", "Cataluña")], "cpvs": ("48600000-4",),
        "awards": [
            (None, "9", "Formalizado", "Editorial Tirant lo Blanch, SL", (("NIF", "B46091179"),), 44900.0, 3, False),
            (None, "9", "Formalizado", "Wolters Kluwer España, SA", (("NIF", "A58417346"),), 38000.0, 3, False),
        ],
        "published_at": at("2017-11-22T23:00"), "deadline_at": at("2017-11-30T13:00"),
        "awarded_at": at("2017-12-20T23:00"), "formalized_at": at("2018-01-08T23:00"),
        "duration_days": 365, "expires_at": at("2019-01-08T23:00"),
        "notes": ("The end of the contract is counted from the formalization notice; no start is stated.",),
    },
    "1991584": {  # deserted
        "version_at": at("2018-01-08T14:10:45.233"),
        "status": "Resuelta", "source_status": "RES", "expedient": "G455-2017-022", "contract_type": "Suministros",
        "awards": [(None, "3", "Desierto", None, None, None, 0, False)], "cpvs": ("18100000-0",),
        "budget_no_taxes": 81311.77, "estimated_value": 162623.54, "duration_days": 487,
        "published_at": at("2017-06-20T22:00"), "deadline_at": at("2017-07-12T11:00"),
        "awarded_at": at("2018-01-07T23:00"), "formalized_at": None, "expires_at": None,
    },
    "1991935": {  # withdrawn by the buyer
        "status": "Resuelta", "source_status": "RES", "expedient": "2017/19/TAD", "cpvs": ("60130000-8",),
        "awards": [(None, "4", "Desistimiento", None, None, None, 0, False)], "deadline_at": None,
        "budget_no_taxes": 70000.0, "estimated_value": 145250.0, "duration_days": 730, "awarded_at": None,
        "published_at": at("2017-10-26T22:00"), "description": "Id licitación: 2017/19/TAD; Órgano de Contratación: "
        "Ajuntament de Castellbisbal; Importe: 70000.00; Estado: RESUELTA",
    },
    "1991876": {  # renounced after it had been formalized: two dates of formalization, the first counts; a parent named twice
        "status": "Formalizada", "source_status": "RES", "name": "Suministro de una carpa modulable.",
        "buyer_name": "Junta de Gobierno Local", "parents": ("Ayuntamiento de Arrasate/Mondragón",),
        "awards": [(None, "5", "Renuncia", None, None, None, 3, False)], "cpvs": ("44212317-4",), "duration_days": 45,
        "deadline_at": at("2017-05-05T17:00"), "published_at": at("2017-04-19T22:00"),
        "awarded_at": at("2017-06-22T22:00"), "formalized_at": at("2017-07-06T22:00"), "expires_at": at("2017-08-20T22:00"),
        "documents": [
            ("Pliego de cláusulas administrativas", "Plegu administratiboa.pdf",
             EUSKADI.format("clausulas_admin_particulares1"), "application/pdf"),
            ("Pliego de prescripciones técnicas", "Plegu teknikoa.pdf",
             EUSKADI.format("pliego_bases_tecnicas1"), "application/pdf"),
        ],
    },
    "1992163": {  # annulled, with a stated start and days of duration, a result without code or winner
        "version_at": at("2018-01-03T17:56:09.579"),
        "status": "Cerrada", "source_status": "ANUL", "rank": 6, "cancelled": True, "expedient": "180/2016/01661/1.14",
        "awards": [(None, None, None, None, None, 1530.0, 1, False)], "duration_days": 10, "cpvs": ("79341000-6",),
        "awarded_at": at("2017-11-20T23:00"), "formalized_at": at("2017-11-20T23:00"),
        "expires_at": at("2017-08-17T22:00"), "published_estimated": True,
    },
    "1991539": {  # a start and an end instead of a duration
        "status": "Formalizada", "budget_no_taxes": 218.96, "estimated_value": None, "cpvs": ("44211100-3",),
        "awards": [(None, "9", "Formalizado", "PREFABRI, S.L.", (("NIF", "B78567799"),), 218.96, 1, False)],
        "duration_days": 30, "expires_at": at("2017-12-30T23:00"), "awarded_at": at("2017-12-28T23:00"),
        "formalized_at": at("2018-01-07T23:00"), "deadline_at": None,
    },
    "1991988": {  # an island for a place and four bodies above the buyer
        "status": "Formalizada", "expedient": "51/M/15/SU/GE/N/I221", "places": [("ES", "35", "ES705", None)],
        "buyer_name": "Hospital Universitario de G.C. Dr. Negrín",
        "parents": ("Gobierno de Canarias", "Consejería de Sanidad", "Servicio Canario de la Salud",
                    "Dirección Gerencia Hospital Univ. de G.C. Dr. Negrín"),
        "procedure": "Negociado sin publicidad", "cpvs": ("42997300-4",), "expires_at": at("2018-03-03T23:00"),
        "awards": [(None, "9", "Formalizado", "MLR SYSTEM GMBH", (("NIF", "N2760487E"),), 128500.0, 1, False)],
    },
    "9013210": {  # a joint venture wins
        "version_at": at("2022-01-04T08:56:22.912"), "status": "Formalizada", "expedient": "P20021602",
        "awards": [(None, "9", "Formalizado", "UTE FULCRUM-EPTISA", (("UTE", "U0002226"),), 336600.0, 1, True)],
        "parents": ("Euskal Trenbide Sarea", "ETS - Euskal Trenbide Sarea"), "places": [("ES", None, "ES21", "País Vasco")],
        "deadline_at": at("2021-12-31T11:00"), "formalized_at": at("2022-01-03T23:00"), "expires_at": at("2022-04-03T22:00"),
        "cpvs": ("71240000-2",), "published_estimated": True,
    },
    "1991681": {  # a placeholder where the winner's identifier should be
        "status": "Adjudicada", "source_status": "ADJ", "cpvs": ("33184000-3",),
        "awards": [(None, "8", "Adjudicado",
                    "Hi ha 13 empreses adjudicatàries. Són les que consten en el document de Resolució d' Adjudicació",
                    (), 708574.02, 291, False)],
        "deadline_at": None, "awarded_at": at("2018-01-07T23:00"), "duration_days": 730,
    },
}  # fmt: skip


def flat(notice: Notice, field: str) -> object:
    """A field as the table above writes it."""
    buyer = notice.buyer or Party()
    if field == "awards":
        return [
            (
                row.lot_id, row.result_code, row.result, row.supplier.name if row.supplier else None,
                row.supplier.identifiers if row.supplier else None, row.amount_no_taxes, row.offers, row.joint_venture,
            )
            for row in notice.awards
        ]  # fmt: skip
    if field == "documents":
        return [(document.type, document.name, document.uri, document.mime_type) for document in notice.documents]
    if field == "places":
        return [(place.country, place.province, place.nuts, place.label) for place in notice.locations]
    buyers = {"buyer_name": buyer.name, "buyer_ids": buyer.identifiers, "parents": buyer.parents}
    return buyers[field] if field in buyers else getattr(notice, field)


@pytest.fixture(scope="module")
def notices(shared_data: Path) -> dict[str, Notice]:
    found: dict[str, Notice] = {}
    for file in find_files([shared_data / "placsp"]):
        for item in read(file):
            if isinstance(item, Notice) and item.source_id.removeprefix(BASE) in GOLDEN:
                assert item.source_id not in found, "the table is of entries with one version"
                found[item.source_id.removeprefix(BASE)] = item
    return found


@pytest.mark.parametrize("number", GOLDEN)
def test_a_real_entry_is_read_field_by_field(notices: dict[str, Notice], number: str) -> None:
    notice = notices[number]
    assert notice.source == "PlataformasAgregadasSinMenores"
    assert notice.source_id == BASE + number
    assert {field: flat(notice, field) for field in GOLDEN[number]} == GOLDEN[number]
