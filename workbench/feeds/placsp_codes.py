"""The code lists of PLACSP as data, in the source's own words, and what its status codes mean in the interface's.

Code lists are those of the Ministry's CODICE (public codes). ``999`` is no member of the contract type list and yet in use.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

PRIOR: Final = "PRE"
OPEN: Final = "PUB"
EVALUATION: Final = "EV"
AWARDED: Final = "ADJ"
RESOLVED: Final = "RES"
ANNULLED: Final = "ANUL"

RANKS: Final = {PRIOR: 1, OPEN: 2, EVALUATION: 3, AWARDED: 4, RESOLVED: 5, ANNULLED: 6}
"""How far a procedure has come by its status code; breaks ties between versions of equal time. Unknown codes are 0."""

STATUSES: Final = {
    PRIOR: "Publicada",
    OPEN: "Publicada",
    EVALUATION: "Publicada",
    AWARDED: "Adjudicada",
    RESOLVED: "Resuelta",
    ANNULLED: "Cerrada",
}
"""The interface's status (section 3) of each status code; a resolved one may be ``Formalizada``, see `status_of`."""

FORMALIZED_STATUS: Final = "Formalizada"
UNSTATED_STATUS: Final = "Desconocida"
FORMALIZED_RESULTS: Final = frozenset({"9", "11"})
FORMALIZED_NOTICES: Final = frozenset({"DOC_FORM", "DOC_FORM_ENC"})


def status_of(code: str | None, results: Collection[str], notices: Collection[str], *, has_contract: bool) -> str:
    """The interface's status for a source's status code.

    A resolved procedure is ``Formalizada`` where a result says so (9, 11), a formalization notice was published or a
    contract has a date; else ``Resuelta`` (deserted, withdrawn, renounced, awarded without a contract yet). An unknown
    code is kept as it came, and none at all is ``Desconocida``: both are shown as text.
    """
    if code is None:
        return UNSTATED_STATUS
    formalized = has_contract or not FORMALIZED_RESULTS.isdisjoint(results) or not FORMALIZED_NOTICES.isdisjoint(notices)
    if code == RESOLVED and formalized:
        return FORMALIZED_STATUS
    return STATUSES.get(code, code)


STATUS_WORDS: Final = {
    "abierta": OPEN,
    "abierto": OPEN,
    "adjudicada": AWARDED,
    "anulada": ANNULLED,
    "anuncio previo": PRIOR,
    "en plazo": OPEN,
    "en prazo": OPEN,
    "evaluacion": EVALUATION,
    "evaluación": EVALUATION,
    "evaluación previa": EVALUATION,
    "pendiente": EVALUATION,
    "pendiente adjudicación": EVALUATION,
    "pendiente de adjudicacion": EVALUATION,
    "pendiente de adjudicación": EVALUATION,
    "resuelta": RESOLVED,
}
"""Status codes by the words that summaries use, for an entry without a code."""

FEEDS_OF_MINOR_CONTRACTS: Final = frozenset({"contratosMenoresPerfilesContratantes", "datosAbiertosMenores"})
"""Names of the feeds (in their entries' ids) that hold minor contracts only, whatever the procedure code says."""

DAYS_OF_UNIT: Final = {"DAY": 1.0, "WEE": 7.0, "MON": 365 / 12, "ANN": 365.0}
"""Days in one unit of a duration: so that twelve months and one year are the same."""

MONTHS_OF_UNIT: Final = {"MON": 1, "ANN": 12}
"""Calendar months in one unit of a duration, where it is of months."""

PLACEHOLDER_IDENTIFIERS: Final = frozenset({"A9999999", "A99999999", "99999999", "999999999"})
"""Identifiers that stand for none. One without a digit other than zero (``-``, ``0000``, ``pendiente``) is none either."""

CONTRACT_TYPES: Final = {
    "1": "Suministros",
    "2": "Servicios",
    "3": "Obras",
    "7": "Administrativo especial",
    "8": "Privado",
    "21": "Gestión de Servicios Públicos",
    "22": "Concesión de Servicios",
    "31": "Concesión de Obras Públicas",
    "32": "Concesión de Obras",
    "40": "Colaboración público-privada",
    "50": "Patrimonial",
    "999": "Otros",
}
"""Kind of contract (``TypeCode``)."""

PROCEDURES: Final = {
    "1": "Abierto",
    "2": "Restringido",
    "3": "Negociado sin publicidad",
    "4": "Negociado con publicidad",
    "5": "Diálogo competitivo",
    "6": "Contrato menor",
    "7": "Derivado de acuerdo marco",
    "8": "Concurso de proyectos",
    "9": "Abierto simplificado",
    "10": "Asociación para la innovación",
    "11": "Derivado de asociación para la innovación",
    "12": "Basado en un sistema dinámico de adquisición",
    "13": "Licitación con negociación",
    "100": "Normas internas",
    "999": "Otros",
}
"""Award procedure (``ProcedureCode``)."""

URGENCIES: Final = {
    "1": "Ordinaria",
    "2": "Urgente",
    "3": "Emergencia",
}
"""Handling of the file (``UrgencyCode``)."""

CONTRACTING_SYSTEMS: Final = {
    "0": "No aplica",
    "1": "Establecimiento del Acuerdo Marco",
    "2": "Establecimiento del Sistema Dinámico de Adquisición",
    "3": "Contrato basado en un Acuerdo Marco",
    "4": "Contrato basado en un Sistema Dinámico de Adquisición",
}
"""Framework agreements and dynamic purchasing systems (``ContractingSystemCode``)."""

RESULTS: Final = {
    "1": "Adjudicado Provisionalmente",
    "2": "Adjudicado Definitivamente",
    "3": "Desierto",
    "4": "Desistimiento",
    "5": "Renuncia",
    "6": "Desierto Provisionalmente",
    "7": "Desierto Definitivamente",
    "8": "Adjudicado",
    "9": "Formalizado",
    "10": "Licitador mejor valorado",
    "11": "Encargo Formalizado",
}
"""Outcome of a procedure or lot (``ResultCode``)."""

AUTHORITY_TYPES: Final = {
    "1": "Autoridad estatal",
    "2": "Autoridad regional",
    "3": "Autoridad local",
    "4": "Organismo de Derecho público",
    "5": "Otras Entidades del Sector Público",
    "6": "Organismo de Derecho público bajo el control de una autoridad estatal",
    "7": "Organismo de Derecho público bajo el control de una autoridad regional",
    "8": "Organismo de Derecho público bajo el control de una autoridad local",
    "9": "Empresa pública bajo el control de una autoridad estatal",
    "10": "Empresa pública bajo el control de una autoridad regional",
    "11": "Empresa pública bajo el control de una autoridad local",
    "12": "Entidad con derechos especiales o exclusivos",
}
"""Kind of contracting authority (``ContractingPartyTypeCode``)."""

ACTIVITIES: Final = {
    "1": "Servicios públicos generales",
    "2": "Defensa",
    "3": "Orden público y seguridad",
    "4": "Asuntos económicos",
    "5": "Protección del medio ambiente",
    "6": "Vivienda y servicios comunitarios",
    "7": "Salud",
    "8": "Actividades recreativas, cultura y religión",
    "9": "Educación",
    "10": "Protección social",
    "101": "Actividades aeroportuarias",
    "102": "Actividades relacionadas con la electricidad",
    "103": "Prospección o extracción de carbón u otros combustibles sólidos",
    "104": "Extracción de gas o petróleo",
    "105": "Actividades portuarias",
    "106": "Servicios postales",
    "107": "Producción, transporte o distribución de gas o calefacción",
    "108": "Servicios de transporte ferroviario",
    "109": "Servicios de ferrocarriles urbanos, tranvías, trolebuses o autobuses",
    "110": "Actividades relacionadas con el agua",
}
"""What a contracting authority does (``ActivityCode``)."""

SPANISH_REGIONS: Final = {
    "ES": "España",
    "ES1": "Noroeste",
    "ES11": "Galicia",
    "ES12": "Principado de Asturias",
    "ES13": "Cantabria",
    "ES2": "Noreste",
    "ES21": "País Vasco",
    "ES22": "Comunidad Foral de Navarra",
    "ES23": "La Rioja",
    "ES24": "Aragón",
    "ES3": "Comunidad de Madrid",
    "ES30": "Comunidad de Madrid",
    "ES4": "Centro (ES)",
    "ES41": "Castilla y León",
    "ES42": "Castilla-La Mancha",
    "ES43": "Extremadura",
    "ES5": "Este",
    "ES51": "Cataluña",
    "ES52": "Comunitat Valenciana",
    "ES53": "Illes Balears",
    "ES6": "Sur",
    "ES61": "Andalucía",
    "ES62": "Región de Murcia",
    "ES63": "Ciudad de Ceuta",
    "ES64": "Ciudad de Melilla",
    "ES7": "Canarias",
    "ES70": "Canarias",
    "ESZ": "Extra-Regio NUTS 1",
    "ESZZ": "Extra-Regio NUTS 2",
}
"""Names of Spain and its NUTS regions of levels 1 and 2, for places that no province names."""
