"""Where WordNet is looked for: among NLTK's data, and where Debian puts it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..errors import UsageError
from .wordnet import WordNet, is_wordnet, wordnet_at

_DEBIAN = Path("/usr/share/wordnet")


def find_wordnet(
    given: Path | None = None, environment: Mapping[str, str] = os.environ
) -> WordNet | None:
    """The WordNet at ``given``, else the first that is found; None where there is none.

    Looked for are NLTK's data (``NLTK_DATA``, then NLTK's usual folders, unpacked or as
    ``wordnet.zip``) and Debian's package ``wordnet-base``. Nothing is downloaded. Raises
    ``UsageError`` where nothing of WordNet is at ``given``.
    """
    if given is not None:
        places = [place for place in _within(given) if is_wordnet(place)]
        if not places:
            raise UsageError(
                f"wordnet: {given} holds no WordNet: it takes the folder that index.noun and "
                "data.noun are in, NLTK's wordnet.zip, or a folder of NLTK's data"
            )
        return wordnet_at(places[0])
    folders = [*_nltk_folders(environment), _DEBIAN]
    places_of_all = (place for folder in folders for place in _within(folder))
    return next((wordnet_at(place) for place in places_of_all if is_wordnet(place)), None)


def _within(folder: Path) -> Iterator[Path]:
    """``folder`` itself, and what it holds where it is a folder of NLTK's data."""
    yield folder
    for below in ("corpora", "."):
        yield folder / below / "wordnet"
        yield folder / below / "wordnet.zip"


def _nltk_folders(environment: Mapping[str, str]) -> Iterator[Path]:
    for named in environment.get("NLTK_DATA", "").split(os.pathsep):
        if named:
            yield Path(named)
    home = environment.get("HOME") or environment.get("USERPROFILE")
    if home:
        yield Path(home, "nltk_data")
    for below in ("nltk_data", "share/nltk_data", "lib/nltk_data"):
        yield Path(sys.prefix, below)
    if sys.platform == "win32":
        yield Path(environment.get("APPDATA", "C:\\"), "nltk_data")
        yield from (Path(f"{drive}:\\nltk_data") for drive in "CDE")
    else:
        for root in ("/usr/share", "/usr/local/share", "/usr/lib", "/usr/local/lib"):
            yield Path(root, "nltk_data")
