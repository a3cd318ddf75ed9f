"""Lexicon: the few words that the lexical judge knows by heart, and how it trims the others."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache


def _set(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


def _table(pairs: str) -> dict[str, str]:
    return dict(pair.split("=") for pair in pairs.split())


NEGATIONS = _set(
    """
    no not never none neither nor nobody nothing nowhere cannot without unable nt
    nicht kein keine keinen keiner keinem nie niemals ohne
    ne pas jamais aucun aucune nunca jamás tampoco não nem niente senza niet geen nooit
    не нет ни никогда без لا ليس ليست لم لن غير بدون नहीं न मत नही
    不 没 沒 无 無い ない ません なかった ไม่ 않 없
    """
)
"""Words that turn a statement round, in the languages of the function words below."""

FUNCTION_WORDS = _set(
    """
    a an the and or but so yet if then else than that this these those there here as while because
    until although though since whether i me my mine myself we us our ours you your yours he him
    his himself she her hers herself it its itself they them their theirs themselves one ones who
    whom whose which what when where why how am is are was were be been being do does did done
    doing have has had having will would shall should can could may might must ought of in on at
    to for from by with about into onto over under between among through during before after above
    below up down out off per via upon within across against toward towards too very just only
    even still already ever also such some any each every both all either more most less least
    much many few other others another same own several various again once however therefore thus
    hence likely moreover furthermore additionally besides meanwhile otherwise yes yeah ok okay oh
    wow well st nd rd th s t d m ll re ve etc eg ie vs

    der das dem des ein eine einen einem einer und oder aber ist sind waren wird wurde wurden
    im ins zu zum zur von vom mit auf für bei nach aus dass sich auch wie er sie es ihr wir ich
    le la les un une des du de et ou mais est sont était dans sur avec que qui se ce cette
    ces il elle ils elles au aux en el los las unos unas y o pero es fue fueron del al por para
    su sus lo más os uma um e foi na nos não dos das ao il gli di che è nel della
    het een en zijn wordt voor op te dat
    и в во на с со к по из у за от для о об а но или что это как был была были он она они его ее
    في من على إلى الى عن مع هذا هذه ذلك التي الذي هو هي كان كانت أن ان إن و أو ثم قد
    है हैं था थी थे का के की को में से पर और या यह वह ये वे ने भी एक ही तो कि जो हो
    """
)
"""Words that carry grammar and no claim. Those that mean something else in English are left out."""

_LIGHT = """
    make get take go come give put keep let use include become seem say state mention note call name
    know mean find think consider describe refer report suggest indicate show contain
    approximately roughly around nearly almost possibly probably perhaps maybe generally
    typically usually often sometimes mainly mostly largely particularly especially specifically
    essentially basically actually really quite rather fairly simply currently now recent
    overall finally conclusion summary example instance respective consequently instead
    according base given context document information text passage source reference answer question
    response provide following thing way kind sort type lot amount number case fact
    absolutely sure certainly definitely indeed hello hi thank please sorry important right
"""

_IRREGULAR = _table(
    """
    won=win wrote=write written=write began=begin begun=begin took=take taken=take gave=give
    came=come went=go gone=go made=make said=say saw=see seen=see found=find held=hold led=lead
    left=leave lost=lose met=meet paid=pay ran=run sold=sell sent=send sang=sing sung=sing
    spoke=speak spoken=speak spent=spend stood=stand taught=teach thought=think told=tell got=get
    wore=wear worn=wear born=bear bore=bear built=build bought=buy brought=bring caught=catch
    chose=choose chosen=choose drew=draw drawn=draw drove=drive driven=drive ate=eat eaten=eat
    fell=fall fallen=fall fought=fight flew=fly flown=fly grew=grow grown=grow heard=hear kept=keep
    knew=know known=know laid=lay rose=rise risen=rise shot=shoot shown=show slept=sleep
    stole=steal stolen=steal struck=strike swam=swim threw=throw thrown=throw broke=break
    broken=break became=become felt=feel meant=mean lent=lend bred=breed hid=hide hidden=hide
    men=man women=woman children=child people=person feet=foot teeth=tooth geese=goose mice=mouse
    wives=wife wolves=wolf halves=half better=good best=good worse=bad worst=bad
    used=use using=use dying=die lying=lie tying=tie jan=january feb=february
    apr=april aug=august sept=september oct=october nov=november dec=december grey=gray
    """
)

_ENDINGS = """
    ization isation ational ation ement ments ness ingly edly ing ion ity ment ally ive est ous
    ed ly er al or
"""
_SUFFIXES = tuple(_ENDINGS.split())
_CYRILLIC_END = re.compile(r"(?<=[а-я]{4})[аеиоуыэюяйьмх]{1,3}$")
_ARABIC_ARTICLE = re.compile(r"^[وبفك]?(?:ال|لل)(?=\w{3})")


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """What is left of ``word`` (in lower case) without its endings and accents.

    Light and made for English: two forms of a word meet, and now and then two words do.
    """
    word = word.removesuffix("'s")
    if not word.isascii():
        letters = unicodedata.normalize("NFD", word)
        word = "".join(letter for letter in letters if not "\u0300" <= letter < "\u0370")
        word = _ARABIC_ARTICLE.sub("", _CYRILLIC_END.sub("", word))
    word = _singular(_IRREGULAR.get(word, word))
    if word.endswith(_SUFFIXES):
        ends = (len(word) - len(suffix) for suffix in _SUFFIXES if word.endswith(suffix))
        word = word[: next((end for end in ends if end > 2), None)]
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeioulsz":
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word[-1] in "eyi" else word


def _singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1]


LIGHT_STEMS = frozenset(stem(word) for word in _LIGHT.split())
"""Stems of hedges, connectives, light verbs and talk about the text: they claim next to nothing."""


def _opposites(pairs: str) -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for pair in pairs.split():
        one, other = (stem(word) for word in pair.split("/"))
        table.setdefault(one, set()).add(other)
        table.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in table.items()}


OPPOSITES = _opposites(
    """
    increase/decrease increase/reduce increase/decline rise/fall grow/shrink higher/lower high/low
    begin/end start/end start/stop win/lose gain/lose accept/reject approve/reject approve/deny
    allow/forbid allow/prohibit allow/ban permit/prohibit permit/forbid true/false hot/cold old/new
    open/close open/shut large/small big/small long/short early/late expand/contract major/minor
    majority/minority maximum/minimum buy/sell arrive/leave guilty/innocent alive/dead
    legal/illegal possible/impossible safe/unsafe safe/dangerous success/failure succeed/fail
    positive/negative north/south east/west left/right male/female son/daughter brother/sister
    husband/wife father/mother strong/weak fast/slow rich/poor cheap/expensive include/exclude
    support/oppose agree/disagree public/private upper/lower heavy/light wet/dry enable/disable
    import/export internal/external victory/defeat profit/loss permanent/temporary
    optional/mandatory optional/required voluntary/mandatory warm/cool first/last always/never
    """
)
"""For a stem, the stems that contradict it."""
