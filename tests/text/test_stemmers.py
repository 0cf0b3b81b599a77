"""The Snowball stemmers against Snowball's own, and what the stems are applied to."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from pathlib import Path

import pytest
import snowballstemmer
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from rankmeld.text import SNOWBALL_LANGUAGES

#: Words with the endings and prefixes that the algorithms look at.
WORDS = {
    "arabic": "والكتاب المدرسة يكتبون كتابهم فالمعلمون مكتبات استخدام الطالبات سيارتنا",
    "armenian": "գրքերի ուսուցիչները դպրոցներում աշխատելու մարդկանց քաղաքներից",
    "basque": "etxeetan liburuaren gizonarekin mendietara haurrentzat zuhaitzak",
    "catalan": "biblioteques treballadors estudiar cançons ràpidament nacionalitat",
    "danish": "bøgerne arbejderne landets muligheder undervisningen venlige",
    "dutch": "boeken lopende mogelijkheden huizen werkgevers kinderachtig gelopen",
    "dutch_porter": "boeken lopende mogelijkheden huizen werkgevers kinderachtig",
    "english": "connections running happily international nationalities generously skies university added",
    "esperanto": "librojn lernantoj rapide parolis malbonaj urboj",
    "estonian": "raamatutest majadesse inimestega õpilased kirjutamine linnades",
    "finnish": "kirjoissa taloista ihmisille kaupungeissa opiskelijoiden lukemaan",
    "french": "continuellement bibliothèques mangeraient nationalité heureuses françaises qualité",
    "german": "häuser arbeiterinnen freundlichkeit gegangenen möglichkeiten straßen bücher",
    "greek": "βιβλιοθήκες ανθρώπους εργάζονται πόλεων μαθητές θάλασσας",
    "hindi": "लड़कियों किताबें विद्यालयों लिखना भाषाओं",
    "hungarian": "könyvekben emberekkel házakból tanítványaim városokhoz",
    "indonesian": "membacakan perpustakaan berjalan makanannya pekerjaan mempermainkan",
    "irish": "leabharlanna bhfoghlaimíonn scríobhnóirí gcathair múinteoirí",
    "italian": "biblioteche lavoratori nazionalità velocemente mangiandole città",
    "lithuanian": "knygose žmonėms miestuose mokytojai rašymas",
    "nepali": "किताबहरू विद्यालयमा लेख्छन् मानिसहरूलाई",
    "norwegian": "bøkene arbeiderne mulighetene undervisningen landets vennlige",
    "polish": "książkami nauczyciele miastach pisanie ludziom najlepszych",
    "porter": "connections running happily international nationalities generously skies dying",
    "portuguese": "bibliotecas trabalhadores nacionalidade rapidamente canções falávamos",
    "romanian": "bibliotecilor muncitorii naționalitate cărțile bucureștiul frumoaselor",
    "russian": "библиотеками работающий национальность быстрее городах ещё учителей",
    "serbian": "knjigama учитељима gradovima писање најлепших",
    "spanish": "bibliotecas trabajadores nacionalidad rápidamente canciones hablábamos",
    "swedish": "böckerna arbetarna möjligheterna undervisningen landets vänliga huvudet",
    "tamil": "புத்தகங்கள் மரங்களில் மனிதர்களுக்கு எழுதுகிறார்கள்",
    "turkish": "kitaplarımızdan öğretmenlerin evlerinde gidiyorlar şehirlerde",
    "yiddish": "ביכער לערערס שרייבן שטעטלעך געגאנגען",
}
#: Since Snowball 3.1 these two take one rule more; what it touches is rare.
NEWER = {"danish", "finnish"}


@pytest.fixture(scope="session")
def english(shared: Path) -> list[str]:
    """The words of real abstracts, the most frequent first."""
    folder = shared / "data" / "scifact-dev"
    text = " ".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.jsonl")))
    counts = Counter(re.findall(r"[a-z]{2,}", text.lower()))
    assert len(counts) > 2_000
    return [word for word, _ in counts.most_common(8_000)]


def mixed(language: str) -> list[str]:
    """The words, their beginnings and ends put together anew, and strings of their letters."""
    rng = random.Random(language)
    words = WORDS[language].split()
    letters = sorted(set("".join(words)))
    joined = [
        (a := rng.choice(words))[: rng.randint(1, len(a))]
        + (b := rng.choice(words))[rng.randint(0, len(b)) :]
        for _ in range(300)
    ]
    made = ["".join(rng.choices(letters, k=rng.randint(2, 14))) for _ in range(300)]
    # A mark at the beginning belongs to no word, and is no term.
    return [w for w in words + joined + made if rm.bm25_tokenize(w, stemmer=None) == [w]]


@pytest.mark.parametrize("language", SNOWBALL_LANGUAGES)
def test_every_language_gives_the_official_stems(language):
    words = mixed(language)
    assert len(words) > 300
    official = snowballstemmer.stemmer(language).stemWords(words)
    # An empty stem would lose the word.
    wanted = [stem or word for word, stem in zip(words, official, strict=True)]
    found = rm.bm25_tokenize(" ".join(words), stemmer=language)
    different = [(w, f, o) for w, f, o in zip(words, found, wanted, strict=True) if f != o]
    assert len(different) <= (len(words) // 50 if language in NEWER else 0), different


@pytest.mark.parametrize("language", ["english", "porter"])
def test_real_words(english, language):
    official = snowballstemmer.stemmer(language).stemWords(english)
    assert rm.bm25_tokenize(" ".join(english), stemmer=language) == official


@pytest.mark.parametrize("language", ["german", "french", "spanish", "turkish", "dutch"])
def test_words_of_another_language_too(english, language):
    words = english[:2_000]
    official = snowballstemmer.stemmer(language).stemWords(words)
    assert rm.bm25_tokenize(" ".join(words), stemmer=language) == official


@pytest.mark.parametrize("stemmer", [None, "light", *SNOWBALL_LANGUAGES])
def test_numbers_and_ideographs_have_no_stem(stemmer):
    text = "2024 漢字 \u0664\u0665 007 \u0967\u0968s"
    assert rm.bm25_tokenize(text, stemmer=stemmer)[:5] == ["2024", "漢", "字", "\u0664\u0665", "007"]


@pytest.mark.parametrize("stemmer", ["light", *SNOWBALL_LANGUAGES])
@given(st.text(st.characters(categories=["L", "M"]), max_size=80))
def test_stems_neither_lose_nor_add_a_term(stemmer, word):
    assert len(rm.bm25_tokenize(word, stemmer=stemmer)) == len(rm.bm25_tokenize(word, stemmer=None))


@pytest.mark.parametrize("language", SNOWBALL_LANGUAGES)
def test_what_is_too_long_for_a_word_stays(language):
    vowels = {"arabic": "ال", "russian": "ая", "greek": "ασ"}.get(language, "au")
    long = vowels * 200_000
    assert rm.bm25_tokenize(long, stemmer=language) == rm.bm25_tokenize(long, stemmer=None)


def test_results_are_plain_strings():
    assert json.loads(json.dumps(rm.bm25_tokenize("one two", stemmer="english"))) == ["one", "two"]
