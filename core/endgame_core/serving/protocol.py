"""HTTP on one connection, which may not stay open without asking anything."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol


class Protocol(H11Protocol):
    """Uvicorn's HTTP, with a time by which a whole question must have come.

    Uvicorn counts from the end of an answer only, and only until the next byte: connections that say nothing, or a byte
    now and then, would keep everybody else out.
    """

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """A client is there."""
        super().connection_made(transport)
        self._late = self.loop.call_later(self.timeout_keep_alive, transport.close)

    def data_received(self, data: bytes) -> None:
        """Bytes have come: a question, or a part of one."""
        super().data_received(data)
        if self.cycle and not self.cycle.response_complete:  # there is none before the first request
            self._in_time()
        elif self._late is None:
            self._late = self.loop.call_later(self.timeout_keep_alive, self.transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has gone."""
        self._in_time()
        super().connection_lost(exc)

    def _in_time(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
