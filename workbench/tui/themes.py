"""The workbench's own themes. Both keep a contrast of at least 4.5 to 1 for text; Textual's themes stay available."""

from __future__ import annotations

from typing import Final

from textual.theme import Theme

DARK: Final = "workbench-dark"
LIGHT: Final = "workbench-light"

THEMES: Final = (
    Theme(
        name=DARK,
        primary="#5fb3c8",
        secondary="#7f9fd1",
        accent="#e8b75d",
        success="#79c28b",
        warning="#e8b75d",
        error="#e8737c",
        foreground="#d7dee6",
        background="#11161c",
        surface="#161d25",
        panel="#1f2832",
        boost="#ffffff0a",
        dark=True,
        variables={
            "border": "#2c3844",
            "border-blurred": "#2c3844",
            "block-cursor-background": "#274556",
            "block-cursor-foreground": "#f2f7fa",
            "block-cursor-blurred-background": "#1f2f3b",
            "block-cursor-text-style": "none",
            "input-cursor-background": "#e8b75d",
            "input-selection-background": "#5fb3c8 35%",
            "footer-key-foreground": "#e8b75d",
            "scrollbar": "#2c3844",
            "scrollbar-hover": "#3c4b5a",
            "scrollbar-active": "#5fb3c8",
            "scrollbar-background": "#141a21",
            "soft": "#94a3b3",
            "faint": "#6f7f8f",
            "rule": "#2c3844",
            "zebra": "#141a21",
            "status-published": "#79c28b",
            "status-awarded": "#6fa8e8",
            "status-resolved": "#b99cf0",
            "status-formalized": "#5fc7c0",
            "status-closed": "#94a3b3",
        },
    ),
    Theme(
        name=LIGHT,
        primary="#0f6b80",
        secondary="#3a5b97",
        accent="#9a5b00",
        success="#23703c",
        warning="#8f5a00",
        error="#b3273a",
        foreground="#1d2630",
        background="#f6f4ef",
        surface="#fdfcf9",
        panel="#ebe7de",
        boost="#00000008",
        dark=False,
        variables={
            "border": "#d3cdc0",
            "border-blurred": "#d3cdc0",
            "block-cursor-background": "#cfe3e6",
            "block-cursor-foreground": "#10202a",
            "block-cursor-blurred-background": "#e2e6e2",
            "block-cursor-text-style": "none",
            "input-cursor-background": "#9a5b00",
            "input-cursor-foreground": "#fdfcf9",
            "input-selection-background": "#0f6b80 25%",
            "footer-key-foreground": "#8a5200",
            "scrollbar": "#cfc8b8",
            "scrollbar-hover": "#b9b09c",
            "scrollbar-active": "#0f6b80",
            "scrollbar-background": "#efece4",
            "soft": "#566270",
            "faint": "#6d7783",
            "rule": "#d3cdc0",
            "zebra": "#f8f6f1",
            "status-published": "#1f7a3d",
            "status-awarded": "#1d5fae",
            "status-resolved": "#6b3fb5",
            "status-formalized": "#0b6f6a",
            "status-closed": "#566270",
        },
    ),
)

VARIABLES: Final = {
    "soft": "foreground-muted",
    "faint": "foreground-disabled",
    "rule": "panel-lighten-1",
    "zebra": "surface",
    "status-published": "success",
    "status-awarded": "primary",
    "status-resolved": "secondary",
    "status-formalized": "accent",
    "status-closed": "foreground-muted",
}
"""Variables of the workbench's styles, and the one of Textual's that stands in where a theme does not set it."""
