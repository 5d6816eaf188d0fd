"""The errors of this package. Each has the place of the problem."""

from __future__ import annotations

__all__ = ["CaptureError", "DecodeError", "EncodeError", "Error"]


class Error(ValueError):
    """The base of all errors of this package."""


class DecodeError(Error):
    """Bytes are not a value of the dialect.

    `offset` is the byte where the problem is, `path` the place in the value, such as "/players/3".
    """

    def __init__(self, message: str, offset: int = 0, path: str = "") -> None:
        super().__init__(message)
        self.offset = offset
        self.path = path


class EncodeError(Error):
    """A value cannot be written in the dialect. `path` is the place in the value, such as "/cells/1"."""

    def __init__(self, message: str, path: str = "") -> None:
        super().__init__(message)
        self.path = path


class CaptureError(Error):
    """A file is not a capture, or is damaged. `offset` is the byte where the problem is, if it is known."""

    def __init__(self, message: str, file: str = "", offset: int | None = None) -> None:
        super().__init__(message)
        self.file = file
        self.offset = offset
