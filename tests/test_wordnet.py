"""WordNet read from its own files, where it lies, as the reference reads it."""

from __future__ import annotations

import asyncio
import os
import zipfile
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_llmeval.data.cases import Case
from pytest_llmeval.errors import UsageError
from pytest_llmeval.metrics.meteor import meteor
from pytest_llmeval.text.wordnet import WordNet
from pytest_llmeval.text.wordnet_data import find_wordnet

LICENCE = "  1 This stands before the lines, each of which begins with blanks.\n"
MEANINGS = {
    "noun": [
        ["doctor", "physician", "Dr.", "medical_man"],
        ["car", "auto", "automobile"],
        ["wolf"],
        ["o'clock"],
    ],
    "verb": [["buy", "purchase"], ["doctor", "sophisticate"], ["run", "go"]],
    "adj": [["quick(a)", "fast"], ["big", "large"]],
    "adv": [["quickly", "rapidly"]],
}
IRREGULAR = {"noun": {"wolves": "wolf"}, "verb": {"bought": "buy", "ran": "run"}}


def written(folder: Path) -> Path:
    """A small WordNet in the format of the real one, in ``folder``."""
    folder.mkdir(parents=True)
    for part, meanings in MEANINGS.items():
        offsets, data = defaultdict(list), LICENCE
        for words in meanings:
            for word in words:
                offsets[word.partition("(")[0].lower()].append(f"{len(data):08d}")
            listed = " ".join(f"{word} 0" for word in words)
            kind = part[0] if part != "adv" else "r"
            data += f"{len(data):08d} 03 {kind} {len(words):02x} {listed} 000 | what it means  \n"
        index = "".join(
            f"{word} {kind} {len(at)} 0 {len(at)} 0 {' '.join(at)}  \n"
            for word, at in sorted(offsets.items())
        )
        forms = sorted(IRREGULAR.get(part, {}).items())
        folder.joinpath(f"data.{part}").write_text(data)
        folder.joinpath(f"index.{part}").write_text(LICENCE + index)
        folder.joinpath(f"{part}.exc").write_text("".join(f"{a} {b}\n" for a, b in forms))
    return folder


@pytest.fixture(params=["folder", "zip"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A WordNet, as a folder and as NLTK's archive."""
    folder = written(tmp_path / "unpacked" / "wordnet")
    if request.param == "folder":
        return folder
    with zipfile.ZipFile(tmp_path / "wordnet.zip", "w") as archive:
        for file in folder.iterdir():
            archive.write(file, f"wordnet/{file.name}")
    return tmp_path / "wordnet.zip"


@pytest.mark.parametrize(
    ("word", "synonyms"),
    [
        ("physician", {"doctor", "physician", "Dr."}),
        ("doctor", {"doctor", "physician", "Dr.", "sophisticate"}),
        ("automobiles", {"car", "auto", "automobile"}),
        ("bought", {"buy", "purchase"}),
        ("wolves", {"wolf"}),
        ("running", set()),  # no such base: runn
        ("fast", {"quick", "fast"}),
        ("bigger", set()),
        ("quickly", {"quickly", "rapidly"}),
        ("o'clock", {"o'clock"}),
        ("tent", set()),
        ("s", set()),
        ("1", set()),
        ("", set()),
        ("über", set()),
        ("a b", set()),
    ],
)
def test_synonyms_are_those_of_all_meanings_of_the_word_and_its_base(
    place: Path, word: str, synonyms: set[str]
) -> None:
    assert WordNet(place).synonyms(word) == synonyms


@pytest.mark.filterwarnings("ignore::UserWarning")  # it misses its translations
def test_the_reference_reads_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = pytest.importorskip("nltk.data")
    reader = pytest.importorskip("nltk.corpus.reader.wordnet").WordNetCorpusReader
    folder = written(tmp_path / "wordnet")
    folder.joinpath("lexnames").write_text("".join(f"{n:02d}\tnoun.all\t1\n" for n in range(4)))
    monkeypatch.setattr(data, "path", [str(folder)])
    monkeypatch.setattr(reader, "map_wn", lambda self, version=None: None)
    reference, ours = reader(str(folder), None), WordNet(folder)
    bases = {
        word.partition("(")[0].lower() for part in MEANINGS.values() for m in part for word in m
    }
    irregular = [form for forms in IRREGULAR.values() for form in forms]
    for word in [
        *irregular,
        *(base + end for base in bases for end in ("", "s", "es", "ing", "er")),
    ]:
        names = {lemma.name() for meaning in reference.synsets(word) for lemma in meaning.lemmas()}
        assert ours.synonyms(word) == {name for name in names if "_" not in name}, word
    for opened in reference._data_file_map.values():  # which it leaves to the garbage collector
        opened.close()


def scored(response: str, ground_truth: str, wordnet: Path | None) -> Any:
    case = Case(response=response, ground_truth=ground_truth)
    return asyncio.run(meteor.verdict(case, SimpleNamespace(wordnet=wordnet)))


def test_meteor_counts_synonyms_where_wordnet_is_and_says_so(place: Path) -> None:
    verdict = scored("He is a physician", "He is a doctor", place)
    assert verdict.score == pytest.approx(0.9922, abs=5e-5)
    assert f"1 as synonyms in WordNet ({place})" in verdict.reason


def test_meteor_without_wordnet_counts_words_and_stems_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_llmeval.metrics.meteor.find_wordnet", lambda given: None)
    verdict = scored("He is a physician", "He is a doctor", None)
    assert verdict.score == pytest.approx(0.7361, abs=5e-5)
    assert "none as synonyms, since no WordNet was found" in verdict.reason


@pytest.mark.parametrize("response", ["He is", "He is a doctor"])
def test_a_path_without_a_wordnet_is_refused_and_not_passed_over(
    tmp_path: Path, response: str
) -> None:
    with pytest.raises(UsageError, match=r"wordnet: .* holds no WordNet: it takes the folder"):
        scored(response, "He is a doctor", tmp_path)


def test_a_broken_archive_is_no_wordnet(tmp_path: Path) -> None:
    tmp_path.joinpath("wordnet.zip").write_bytes(b"PK no archive")
    with pytest.raises(UsageError):
        find_wordnet(tmp_path / "wordnet.zip")


def test_nltk_data_is_looked_through_in_order(tmp_path: Path) -> None:
    written(tmp_path / "second" / "corpora" / "wordnet")
    environment = {
        "NLTK_DATA": f"{tmp_path / 'first'}{os.pathsep}{tmp_path / 'second'}",
        "HOME": "/nowhere",
    }
    found = find_wordnet(None, environment)
    assert found is not None
    assert found.place == tmp_path / "second" / "corpora" / "wordnet"
    written(tmp_path / "first" / "corpora" / "wordnet")
    found = find_wordnet(None, environment)
    assert found is not None
    assert found.place == tmp_path / "first" / "corpora" / "wordnet"


@pytest.mark.parametrize("named", ["nltk", "nltk/corpora/wordnet"])
def test_the_setting_takes_the_folder_or_all_of_nltks_data(tmp_path: Path, named: str) -> None:
    written(tmp_path / "nltk/corpora/wordnet")
    found = find_wordnet(tmp_path / named)
    assert found is not None
    assert found.synonyms("wolves") == {"wolf"}
