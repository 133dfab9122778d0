"""The sample's documents: small PDF files of one or two pages, each saying on every page that it is a sample.

They are drawn straight on the page with the fonts that every reader has, so that a hundred and fifty of them take a
fraction of a second; the library is imported when the first is made.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from textwrap import wrap
from typing import Any

from workbench.feeds.notice import Document, Notice
from workbench.service.sample_course import MADRID
from workbench.service.sample_words import DISCLAIMER

_WIDTH, _HEIGHT = 595.28, 841.89
_LEFT, _RIGHT, _TOP, _BOTTOM = 62.0, 533.0, 742.0, 74.0
_BANNER = "MUESTRA SINTÉTICA · SYNTHETIC SAMPLE"

_CLAUSES: dict[str, tuple[tuple[str, str], ...]] = {
    "PCAP": (
        (
            "Objeto del contrato",
            "El contrato tiene por objeto «{name}», con las características que fija el pliego de prescripciones técnicas.",
        ),
        (
            "Presupuesto y valor estimado",
            (
                "El presupuesto base de licitación asciende a {budget} sin impuestos ({taxed} con impuestos). El "
                "valor estimado es de {estimated}."
            ),
        ),
        (
            "Plazo de ejecución",
            (
                "El plazo de ejecución es de {days} días naturales desde la formalización. Las prórrogas, si las "
                "hay, se acuerdan por escrito."
            ),
        ),
        (
            "Procedimiento y plazo de presentación",
            "Procedimiento: {procedure}. Las ofertas se presentan por medios electrónicos hasta el {deadline}.",
        ),
        (
            "Criterios de adjudicación",
            (
                "Precio, hasta 60 puntos, por fórmula proporcional. Calidad técnica de la propuesta, hasta 30 "
                "puntos. Mejoras sin coste, hasta 10 puntos. Se presumen anormales las bajas superiores a 15 puntos "
                "sobre la media."
            ),
        ),
        (
            "Solvencia",
            (
                "Volumen anual de negocios igual o superior a una vez y media el valor anual medio del contrato, y "
                "tres trabajos similares en los últimos cinco años."
            ),
        ),
        (
            "Garantías",
            ("Garantía definitiva del 5 % del precio final ofertado, sin impuestos. No se exige garantía provisional."),
        ),
        (
            "Condiciones especiales de ejecución",
            "Medidas de conciliación para el personal adscrito y gestión separada de los residuos que se generen.",
        ),
        (
            "Penalidades",
            ("Por cada día de demora imputable al contratista, 0,60 euros por cada 1.000 euros del precio del contrato."),
        ),
        (
            "Modificación y resolución",
            ("El contrato podrá modificarse hasta el 20 % del precio inicial en los supuestos previstos en este pliego."),
        ),
    ),
    "PPT": (
        (
            "Antecedentes y alcance",
            (
                "El presente pliego describe las prestaciones de «{name}» para {buyer}. Comprende los medios "
                "personales y materiales necesarios."
            ),
        ),
        ("Ámbito", "Las prestaciones se realizan en {place}. Códigos CPV: {cpvs}."),
        (
            "Descripción de los trabajos",
            (
                "1) Planificación y acta de inicio. 2) Ejecución por fases con seguimiento quincenal. 3) Pruebas y "
                "puesta en servicio. 4) Entrega de la documentación final y período de garantía."
            ),
        ),
        (
            "Medios mínimos",
            (
                "Una persona responsable con cinco años de experiencia, dos técnicas o técnicos y los medios "
                "auxiliares que requiera cada fase."
            ),
        ),
        (
            "Niveles de servicio",
            (
                "Incidencias críticas: respuesta en 2 horas y resolución en 8. Incidencias ordinarias: respuesta en "
                "1 día hábil y resolución en 5."
            ),
        ),
        (
            "Control de calidad",
            (
                "El plan de control de calidad detalla los ensayos, su frecuencia y los criterios de aceptación. Los "
                "resultados se entregan mensualmente."
            ),
        ),
        (
            "Calendario",
            (
                "El adjudicatario presenta un calendario detallado en los diez días siguientes a la formalización. "
                "Duración total: {days} días."
            ),
        ),
    ),
}
_CLAUSES["Anuncio"] = (
    ("Entidad adjudicadora", "{buyer}. Expediente {expedient}."),
    ("Objeto y presupuesto", "{name}. Presupuesto base: {budget} sin impuestos. CPV: {cpvs}."),
    ("Presentación de ofertas", "Procedimiento: {procedure}. Fecha límite: {deadline}."),
)
_TITLES = {
    "PCAP": "PLIEGO DE CLÁUSULAS ADMINISTRATIVAS PARTICULARES",
    "PPT": "PLIEGO DE PRESCRIPCIONES TÉCNICAS",
    "Anuncio": "ANUNCIO DE LICITACIÓN",
}


def drawn_documents(notice: Notice) -> Iterator[tuple[int, bytes]]:
    """The notice's documents that have a file here: their place among its documents, and the PDF's bytes."""
    for position, document in enumerate(notice.documents):
        if document.type in _CLAUSES:
            yield position, draw(notice, document)


def draw(notice: Notice, document: Document) -> bytes:
    """One document as PDF: the same bytes for the same notice, one or two A4 pages, below 8 kB."""
    from reportlab.pdfgen.canvas import Canvas

    buffer = io.BytesIO()
    # "invariant" leaves the time of drawing out of the file.
    canvas = Canvas(buffer, pagesize=(_WIDTH, _HEIGHT), invariant=1, pageCompression=1)
    kind = document.type or "PCAP"
    canvas.setTitle(f"{_TITLES[kind].capitalize()} – {_plain(notice.expedient or '')}")
    canvas.setAuthor(_BANNER)
    canvas.setSubject(DISCLAIMER["es"])
    _Sheet(canvas, notice, kind).fill()
    canvas.save()
    return buffer.getvalue()


class _Sheet:
    """One document being drawn from top to bottom, with a new page when the old one is full."""

    def __init__(self, canvas: Any, notice: Notice, kind: str) -> None:
        self.canvas, self.notice, self.kind = canvas, notice, kind
        self.words = _facts(notice)
        self.page = 0
        self.y = _TOP

    def fill(self) -> None:
        """Draw the whole document; the last page still has to be shown by saving."""
        self.new_page()
        self.line(_TITLES[self.kind], "Helvetica-Bold", 13, 20)
        for part in self.lines_of(self.words["name"], "Helvetica-Bold", 10.5)[:8]:
            self.line(part, "Helvetica-Bold", 10.5, 14)
        self.y -= 8
        if self.kind == "PCAP":
            self.table()
        for number, (heading, text) in enumerate(_CLAUSES[self.kind], start=1):
            lines = self.lines_of(text.format(**self.words), "Helvetica", 9.5)
            if self.y - 14 * (len(lines) + 2) < _BOTTOM:
                self.canvas.showPage()
                self.new_page()
            self.line(f"{number}. {heading}", "Helvetica-Bold", 10, 15)
            for part in lines:
                self.line(part, "Helvetica", 9.5, 13)
            self.y -= 9

    def new_page(self) -> None:
        """Head and foot of a page: whose document it is, and that it is a sample."""
        canvas = self.canvas
        self.page += 1
        self.y = _TOP
        canvas.setFillColorRGB(0.12, 0.25, 0.42)
        canvas.rect(0, _HEIGHT - 46, _WIDTH, 46, stroke=0, fill=1)
        canvas.setFillColorRGB(1, 1, 1)
        canvas.setFont("Helvetica-Bold", 11)
        canvas.drawString(_LEFT, _HEIGHT - 29, self.words["buyer"][:58])
        canvas.setFont("Helvetica", 8)
        canvas.drawRightString(_RIGHT, _HEIGHT - 29, self.words["expedient"])
        canvas.setFillColorRGB(0.78, 0.3, 0.1)
        canvas.setFont("Helvetica-Bold", 9)
        canvas.drawString(_LEFT, _HEIGHT - 64, _BANNER)
        canvas.setFont("Helvetica", 7.5)
        canvas.drawString(_LEFT, 44, f"{DISCLAIMER['es']} {DISCLAIMER['en']}")
        canvas.drawRightString(_RIGHT, 32, f"Página {self.page}")
        canvas.setFillColorRGB(0.1, 0.1, 0.1)

    def lines_of(self, text: str, font: str, size: float) -> list[str]:
        """The text in lines that fit the page's width; a word that is wider is broken."""
        lines = [""]
        for piece in (piece for word in text.split() for piece in wrap(word, 48)):
            longer = f"{lines[-1]} {piece}".lstrip()
            if self.canvas.stringWidth(longer, font, size) <= _RIGHT - _LEFT:
                lines[-1] = longer
            else:
                lines.append(piece)
        return lines

    def line(self, text: str, font: str, size: float, step: float) -> None:
        """One line of text, and down by ``step`` points."""
        self.canvas.setFont(font, size)
        self.canvas.drawString(_LEFT, self.y, text)
        self.y -= step

    def table(self) -> None:
        """The characteristics of the contract as a table of two columns."""
        canvas = self.canvas
        rows = (
            ("Expediente", "expedient"),
            ("Tipo de contrato", "type"),
            ("CPV", "cpvs"),
            ("Presupuesto sin impuestos", "budget"),
            ("Presupuesto con impuestos", "taxed"),
            ("Lotes", "lots"),
            ("Lugar de ejecución", "place"),
            ("Fin de plazo", "deadline"),
        )
        canvas.setStrokeColorRGB(0.7, 0.74, 0.8)
        for label, key in rows:
            canvas.setFillColorRGB(0.93, 0.95, 0.98)
            canvas.rect(_LEFT, self.y - 5, 160, 17, stroke=1, fill=1)
            canvas.rect(_LEFT + 160, self.y - 5, _RIGHT - _LEFT - 160, 17, stroke=1, fill=0)
            canvas.setFillColorRGB(0.1, 0.1, 0.1)
            canvas.setFont("Helvetica-Bold", 8.5)
            canvas.drawString(_LEFT + 6, self.y, label)
            canvas.setFont("Helvetica", 8.5)
            canvas.drawString(_LEFT + 166, self.y, self.words[key][:72])
            self.y -= 17
        self.y -= 12


def _facts(notice: Notice) -> dict[str, str]:
    place = notice.locations[0] if notice.locations else None
    deadline = notice.deadline_at.astimezone(MADRID).strftime("%d/%m/%Y a las %H:%M") if notice.deadline_at else "sin fijar"
    facts = {
        "name": notice.name or "",
        "buyer": (notice.buyer.name if notice.buyer else None) or "",
        "expedient": notice.expedient or "",
        "type": notice.contract_type or "",
        "procedure": notice.procedure or "",
        "cpvs": ", ".join(notice.cpvs),
        "budget": _euros(notice.budget_no_taxes),
        "taxed": _euros(notice.budget_with_taxes),
        "estimated": _euros(notice.estimated_value),
        "days": str(notice.duration_days or 30),
        "lots": str(len(notice.lots)) if notice.lots else "Sin división en lotes",
        "place": (place.label if place else None) or "España",
        "deadline": deadline,
    }
    return {key: _plain(text) for key, text in facts.items()}


def _euros(amount: float | None) -> str:
    if amount is None:
        return "importe no indicado"
    return f"{amount:,.2f} €".translate(str.maketrans(",.", ".,"))


def _plain(text: str) -> str:
    # The fonts that every reader has know the letters of Western Europe; what they lack is left out, not drawn as a box.
    known = text.encode("cp1252", "ignore").decode("cp1252")
    return " ".join(known.split())
