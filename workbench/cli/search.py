"""``workbench search``: every filter of the interface as an option (interface 4.1)."""

from __future__ import annotations

import typer

from workbench.cli.filters import TenderFilterOptions, client_filters
from workbench.cli.option_groups import Said, with_options
from workbench.cli.results import FormatOption, Writing, chosen_format
from workbench.cli.session import DataOption, JsonOption, OutputOption, OverwriteOption, ProfileOption, TaxIdsOption, connected
from workbench.cli.span import AllOption, LimitOption, PageOption, PageSizeOption, Span


@with_options(TenderFilterOptions)
def search(
    context: typer.Context,
    said: Said,
    page: PageOption = None,
    page_size: PageSizeOption = None,
    limit: LimitOption = None,
    everything: AllOption = False,
    format_: FormatOption = None,
    json_: JsonOption = False,
    output: OutputOption = None,
    overwrite: OverwriteOption = False,
    with_tax_ids: TaxIdsOption = False,
    profile: ProfileOption = None,
    data: DataOption = None,
) -> None:
    """Search tenders. All filters combine; without any, the newest tenders come."""
    span = Span(page, page_size, limit, everything)
    writing = Writing(chosen_format(format_, output, json_=json_), output, overwrite=overwrite, with_tax_ids=with_tax_ids)
    writing.check()
    with connected(context, profile, data) as client:
        found = span.fetch(client.tenders.search, client.tenders.iterate, client_filters(said), what="tenders")
        writing.write(found.records, more=found.more)


def register(app: typer.Typer) -> None:
    """Put the command into the tree."""
    app.command()(search)
