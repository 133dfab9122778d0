"""Invented names of the sample workspace. Whatever is named here does not exist, and every name carries :data:`MARK`."""

from __future__ import annotations

from typing import Final

MARK: Final = "(synthetic)"
"""Stands at the end of the account's name and of every organization's: nobody may take the sample for real data."""

SOURCE: Final = "synthetic sample"
"""The source of every tender of the sample, as its record's ``sources`` show it."""

DISCLAIMER: Final = {
    "es": "Registro sintético del espacio de muestra: no es una licitación real.",
    "ca": "Registre sintètic de l'espai de mostra: no és una licitació real.",
    "gl": "Rexistro sintético do espazo de mostra: non é unha licitación real.",
    "eu": "Lagin-eremuko erregistro sintetikoa: ez da benetako lizitazioa.",
    "pt": "Registo sintético do espaço de amostra: não é um concurso real.",
    "en": "Synthetic record of the sample workspace: this is not a real tender.",
}
"""The last sentence of every description, in the tender's language."""

LINKS: Final = "https://example.org/workbench-sample"
"""Where the sample's links lead: a domain that is reserved for examples (RFC 2606)."""

PROVINCE_WEIGHTS: Final[dict[str, int]] = {
    "28": 30, "08": 28, "46": 14, "41": 12, "29": 9, "48": 10, "15": 9, "50": 8, "03": 8, "33": 7, "30": 7,
    "36": 7, "07": 6, "11": 6, "18": 6, "20": 7, "35": 5, "38": 5, "31": 5, "39": 4, "47": 4, "43": 4, "17": 4,
    "14": 4, "12": 3, "25": 3, "45": 3, "06": 3, "04": 3, "23": 3, "24": 3, "37": 2, "09": 2, "13": 2, "10": 2,
    "26": 2, "27": 2, "32": 2, "01": 3, "21": 2, "02": 2, "22": 1, "34": 1, "40": 1, "05": 1, "16": 1, "19": 1,
    "42": 1, "44": 1, "49": 1, "51": 1, "52": 1,
}  # fmt: skip
"""All 52 provinces by INE code, the populous ones more often."""

LANGUAGES: Final = {"ca": ("08", "17", "25", "43", "07", "12", "46"), "gl": ("15", "27", "32", "36"), "eu": ("01", "20", "48")}
"""Provinces where a buyer may write in its own language; everywhere else it is Spanish."""

TOWNS: Final[dict[str, tuple[str, ...]]] = {
    "es": (
        "Villaejemplo", "Villaejemplo de la Sierra", "Fuentemuestra", "Pruebas del Río", "San Ficticio",
        "Torremodelo", "Valdemuestra", "Castroejemplo", "Puebla de Ensayo", "Navaprueba", "Montemuestra",
        "Aldeamodelo", "Peñaejemplo", "Villasupuesta", "Riomuestra", "Campoprueba", "Santa Ficticia del Mar",
        "Puerto Ejemplo", "Molinos de Prueba", "Guadamuestra", "Benimodelo", "Almuestra",
        "Villanueva de Ensayo", "La Supuesta", "Hoyos del Ejemplo", "Arroyomuestra", "Tresejemplos",
        "Calaprueba", "Ejemplar de los Montes", "Fuentes de Ensayo", "Modelos de la Vega", "Alcamuestra",
        "Peralejos de Prueba", "Villamuestra de Abajo", "Cañada Ficticia", "Ñoraejemplo", "Ribera del Modelo",
        "Cabezas de Muestra", "Pozo Imaginario", "El Ensayo de San Ficticio", "Miraprueba", "Sotomodelo",
        "Villaensayo", "Ejemplares del Campo", "Santa Prueba de la Vega", "Cerro Supuesto", "Belprueba",
        "Casas de Muestra", "Ermita del Modelo", "Lagunas Ficticias", "Piedramuestra", "Quintana de Prueba",
        "Salto del Ejemplo", "Umbría Imaginaria", "Vegasupuesta", "Zarzamodelo", "Hornos de Ensayo",
        "Dehesa Ficticia", "Jaramuestra", "Olmedilla del Ejemplo", "Marimuestra", "Torrejemplo de Poniente",
    ),
    "ca": (
        "Vilamostra", "Sant Exemple de Dalt", "Montficció", "L'Assaig del Riu", "Castellprova", "Torremostra",
        "Vallfictícia", "Puigprova", "Mostra de Mar", "Riuprova", "Sant Fictici", "Les Exemples", "Benimostra",
        "Alqueria de Prova",
    ),
    "gl": (
        "Vilaexemplo", "Santa Mostra", "Castroproba", "A Mostra", "Portoexemplo", "San Ficticio de Abaixo",
        "Ríoproba", "Montexemplo",
    ),
    "eu": ("Adibidea", "Frogaeta", "Laginola", "Saiakera", "Eredugoiti", "Irudimena", "Asmaturi"),
    "pt": ("Vila Exemplo", "Santa Amostra"),
}  # fmt: skip
"""Invented towns by language."""

ZONES: Final[dict[str, tuple[str, ...]]] = {
    "es": (
        "el casco histórico", "el barrio de la Estación", "la calle Mayor", "el polígono industrial Los Llanos",
        "la avenida del Ensayo", "la zona norte", "el ensanche", "el paseo marítimo",
    ),
    "ca": ("el nucli antic", "el barri de l'Estació", "el carrer Major", "el polígon industrial", "l'eixample"),
    "gl": ("o casco histórico", "o barrio da Estación", "a rúa Maior", "o polígono industrial"),
}  # fmt: skip
"""Parts of a town by language; the other languages use none."""

COUNCILS: Final[dict[str, str]] = {
    "es": "Ayuntamiento de {}",
    "ca": "Ajuntament de {}",
    "gl": "Concello de {}",
    "eu": "{}ko Udala",
    "pt": "Câmara Municipal de {}",
}
"""What a town council is called."""

DEPARTMENTS: Final[dict[str, tuple[str, ...]]] = {
    "es": ("Junta de Gobierno Local", "Concejalía de Obras y Servicios", "Alcaldía"),
    "ca": ("Junta de Govern Local", "Regidoria de Serveis Urbans"),
    "gl": ("Xunta de Goberno Local",),
    "eu": ("Tokiko Gobernu Batzarra",),
}
"""Bodies of a council that contract by themselves."""

BODIES: Final[tuple[tuple[str, str, str, tuple[str, ...]], ...]] = (
    (
        "Ministerio de Ejemplos Públicos",
        "28",
        "es",
        ("Dirección General de Carreteras de Muestra", "Instituto Nacional de Ensayos"),
    ),
    ("Gobierno de la Región de Muestra", "41", "es", ("Consejería de Educación Modelo", "Agencia Digital de Muestra")),
    (
        "Servicio de Salud Ejemplar",
        "46",
        "es",
        ("Hospital Universitario Santa Ficticia", "Gerencia de Atención Primaria Modelo"),
    ),
    ("Govern de l'Exemple", "08", "ca", ("Departament de Territori de Mostra", "Consorci Sanitari de Prova")),
    ("Xunta do Exemplo", "15", "gl", ("Consellería de Proba", "Área Sanitaria de Mostra")),
    ("Adibideko Gobernua", "48", "eu", ("Laginen Osasun Zerbitzua", "Eredu Bide Azpiegiturak")),
    ("Diputación Provincial de Ensayo", "47", "es", ("Servicio de Vías y Obras de Ensayo", "Consorcio de Bomberos de Ensayo")),
    ("Cabildo Insular de Prueba", "35", "es", ("Consejo Insular de Aguas de Prueba",)),
    ("Universidad Politécnica de Ninguna Parte", "28", "es", ("Fundación de Investigación de Ninguna Parte",)),
    ("Universitat de l'Assaig", "08", "ca", ()),
    ("Universidade de Proba", "15", "gl", ()),
    ("Universidad Modelo del Sur", "18", "es", ()),
    ("Empresa Metropolitana de Aguas Supuestas, S.A.", "29", "es", ()),
    ("Ferrocarriles de Muestra", "28", "es", ()),
    ("Autoridad Portuaria de Puerto Ejemplo", "11", "es", ()),
    ("Transportes Urbanos de Villaejemplo, S.A.M.", "50", "es", ()),
    ("Consorcio de Residuos de la Comarca Imaginaria", "39", "es", ()),
    ("European Example Agency", "03", "en", ()),
    ("Mancomunidad de Servicios de los Ensayos", "10", "es", ()),
)
"""Public bodies that are no councils: name, province, language, and the bodies that belong to each."""

STEMS: Final[tuple[str, ...]] = (
    "Albor", "Brisa", "Cierzo", "Druida", "Encina", "Faro", "Galerna", "Horizonte", "Islote", "Jara", "Kaleido",
    "Lince", "Meseta", "Nogal", "Órbita", "Pinar", "Quejigo", "Raíz", "Sauce", "Tajo", "Umbral", "Vértice",
    "Xiloca", "Yunque", "Zafiro", "Almenara", "Bóveda", "Cumbre", "Delta", "Espiral", "Fragua", "Granito",
    "Hiedra", "Índigo", "Jarama", "Lumbre", "Mirador", "Noria", "Olivar", "Pórtico", "Retama", "Sirena",
    "Trébol", "Ulmo", "Vela", "Zarza",
)  # fmt: skip
QUALIFIERS: Final[tuple[str, ...]] = (
    "Ficticia",
    "del Ejemplo",
    "de Muestra",
    "Modelo",
    "Imaginaria",
    "Supuesta",
    "Norte",
    "Ibérica de Ensayo",
)
LEGAL_FORMS: Final[tuple[str, ...]] = ("S.L.", "S.L.", "S.L.", "S.A.", "S.A.", "S.L.U.", "S.A.U.", "S. Coop.")
"""Of these a supplier's name is made: trade, stem, qualifier, legal form."""

LOCAL_SUPPLIERS: Final[dict[str, tuple[str, ...]]] = {
    "works": ("Construccions Mostra Alta, S.L.", "Eraikuntzak Adibidea Koop. E.", "Obras e Proxectos Exemplo, S.L."),
    "cleaning": ("Neteges Vilamostra, S.L.U.", "Garbiketa Eredua Koop. E.", "Limpezas Castroproba, S.L."),
    "it": (
        "Sistemes Núvol Fictici, S.L.",
        "Lagin Teknologiak Koop. E.",
        "Example Cloud Ireland, Ltd.",
        "Sistemas de Amostra, Lda.",
    ),
    "health": ("Muster Medizintechnik, GmbH", "Santé Exemple, S.A.S."),
}
"""Suppliers with names in other languages."""

HOUSE_NAME: Final = "Estudio Ejemplar de Obras y Sistemas, S.L."
"""The supplier that the sample's account belongs to: what it won and lost is what its boards show."""

ACCOUNT_NAME: Final = f"Sample workspace {MARK}"
ACCOUNT_SLUG: Final = "sample"
USERS: Final[tuple[str, ...]] = ("Ada Ejemplo", "Bruno Muestra", "Clara Ficticia", "Diego Supuesto", "Elia Modelo")
TEAMS: Final[dict[str, tuple[int, ...]]] = {"Obras": (0, 1, 2), "Servicios y TI": (2, 3, 4)}
"""People who do not exist, and which of them (by position) are in which team."""
