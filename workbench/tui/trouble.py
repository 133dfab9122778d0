"""What went wrong, as the screens know it: a sentence for a person and what can be done."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """Kinds of trouble that the screens treat differently."""

    CONNECTION = "connection"
    UNAUTHORIZED = "unauthorized"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not found"
    INVALID = "invalid"
    RATE = "rate"
    FAULT = "fault"
    LOCAL = "local"


REMEDIES = {
    Kind.CONNECTION: "Check the network and the service's address, then press F5 to try again.",
    Kind.UNAUTHORIZED: "Press ctrl+o to open the workspace again with a key that is valid.",
    Kind.FORBIDDEN: "Ask the owner of the account for access, or press ctrl+o to use another workspace.",
    Kind.NOT_FOUND: "It may have been withdrawn. Go back and search again.",
    Kind.INVALID: "Change the filter that it names.",
    Kind.RATE: "Wait a moment, then press F5 to try again.",
    Kind.FAULT: "Press F5 to try again. If it stays, tell whoever runs the service.",
    Kind.LOCAL: "Mend that, then press F5 to try again.",
}


class Trouble(Exception):
    """Something failed. ``sentence`` says what and why, ``remedy`` what to do; neither holds a secret."""

    def __init__(self, sentence: str, kind: Kind, remedy: str | None = None) -> None:
        """``remedy`` defaults to the one of the kind."""
        super().__init__(sentence)
        self.sentence = sentence
        self.kind = kind
        self.remedy = REMEDIES[kind] if remedy is None else remedy

    @property
    def retryable(self) -> bool:
        """Whether doing the same again may help."""
        return self.kind in (Kind.CONNECTION, Kind.RATE, Kind.FAULT, Kind.LOCAL)
