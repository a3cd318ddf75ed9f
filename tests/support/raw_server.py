"""Raw servers: whatever the bytes, they are sent as they are, and what came is kept."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable
from types import TracebackType

Act = Callable[[socket.socket], None]


def answer(status: int = 200, body: bytes = b"", **headers: str) -> bytes:
    """An HTTP answer; ``content_type="text/html"`` is a header, JSON where none is given."""
    named = {"content_type": "application/json", "content_length": str(len(body)), **headers}
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in named.items() if value]
    head = "\r\n".join([f"HTTP/1.1 {status} As-Scripted", *lines, "Connection: close", "", ""])
    return head.encode("latin-1") + body


def reset_amid(beginning: bytes) -> Act:
    """Sends the ``beginning`` of an answer and then resets the connection."""

    def act(connection: socket.socket) -> None:
        connection.sendall(beginning)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    return act


class RawServer:
    """A server on the loopback interface that answers every request alike, in threads.

    ``requests`` holds what came, head and body in one.
    """

    def __init__(self, does: bytes | Act) -> None:
        self.requests: list[bytes] = []
        self._act: Act = does if callable(does) else lambda connection: connection.sendall(does)
        self._socket = socket.create_server(("127.0.0.1", 0))

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def __enter__(self) -> RawServer:
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._socket.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection:
                self.requests.append(_request(connection))
                self._act(connection)


def _request(connection: socket.socket) -> bytes:
    came = b""
    length = -1
    while length < 0 or len(came) < length:
        if not (more := connection.recv(65536)):
            break
        came += more
        head, found, _ = came.partition(b"\r\n\r\n")
        if found:
            sizes = [
                int(line.partition(b":")[2])
                for line in head.split(b"\r\n")
                if line.lower().startswith(b"content-length:")
            ]
            length = len(head) + 4 + sum(sizes)
    return came
