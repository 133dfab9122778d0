"""The terminal UI. Importing this loads nothing of it; :func:`run` does."""

from __future__ import annotations

from pathlib import Path


def run(profile: str | None = None, *, data: Path | None = None) -> int:
    """Open the terminal UI and stay in it until the person leaves; gives the exit code.

    ``profile`` names the workspace to open. Without one the current profile is opened, or, where nobody has chosen one and
    there is no local data yet, the choice of a workspace is offered. ``data`` is the embedded service's folder.
    """
    from workbench.tui.app import WorkbenchApp
    from workbench.tui.session import Start
    from workbench.tui.startup import is_first_run

    first_run = is_first_run if profile is None and data is None else None
    app = WorkbenchApp(Start(profile, data), first_run=first_run)
    app.run()
    return app.return_code or 0
