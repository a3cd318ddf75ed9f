"""Numerals: numbers written in words or in characters, as digits."""

from __future__ import annotations

import re


def _table(pairs: str) -> dict[str, str]:
    return dict(pair.split("=") for pair in pairs.split())


NUMBER_WORDS = _table(
    """
    zero=0 two=2 three=3 four=4 five=5 six=6 seven=7 eight=8 nine=9 ten=10 eleven=11 twelve=12
    thirteen=13 fourteen=14 fifteen=15 sixteen=16 seventeen=17 eighteen=18 nineteen=19 twenty=20
    thirty=30 forty=40 fifty=50 sixty=60 seventy=70 eighty=80 ninety=90 third=3 fourth=4 fifth=5
    sixth=6 seventh=7 eighth=8 ninth=9 tenth=10

    zwei=2 drei=3 vier=4 fünf=5 sechs=6 sieben=7 acht=8 neun=9 zehn=10 zwölf=12 zwanzig=20
    dreißig=30 vierzig=40 fünfzig=50 sechzig=60 siebzig=70 achtzig=80 neunzig=90
    deux=2 trois=3 quatre=4 cinq=5 huit=8 neuf=9 dix=10 onze=11 douze=12 quinze=15 vingt=20
    trente=30 quarante=40 cinquante=50 soixante=60
    dois=2 duas=2 tres=3 três=3 cuatro=4 quatro=4 cinco=5 seis=6 siete=7 sete=7 ocho=8 oito=8
    nueve=9 nove=9 diez=10 dez=10 doce=12 quince=15 veinte=20 vinte=20 treinta=30 trinta=30
    cuarenta=40 quarenta=40 cincuenta=50 cinquenta=50 sesenta=60 sessenta=60
    quattro=4 cinque=5 sette=7 dieci=10 undici=11 dodici=12 venti=20 trenta=30 quaranta=40
    cinquanta=50 sessanta=60
    twee=2 drie=3 vijf=5 zes=6 zeven=7 negen=9 tien=10 twaalf=12 twintig=20 dertig=30 veertig=40
    vijftig=50
    два=2 две=2 двух=2 три=3 трёх=3 трех=3 четыре=4 четырёх=4 четырех=4 пять=5 пяти=5 шесть=6
    шести=6 семь=7 семи=7 восемь=8 восьми=8 девять=9 девяти=9 десять=10 десяти=10 двенадцать=12
    двадцать=20 тридцать=30 сорок=40 пятьдесят=50
    اثنان=2 اثنين=2 ثلاثة=3 ثلاث=3 أربعة=4 أربع=4 خمسة=5 خمس=5 ستة=6 ست=6 سبعة=7 سبع=7 ثمانية=8
    ثمان=8 تسعة=9 تسع=9 عشرة=10 عشر=10 عشرون=20 عشرين=20
    दो=2 तीन=3 चार=4 पांच=5 पाँच=5 छह=6 छः=6 सात=7 आठ=8 नौ=9 दस=10 बारह=12 बीस=20 तीस=30
    두=2 세=3 네=4 다섯=5 여섯=6 일곱=7 여덟=8 아홉=9 열=10 스무=20
    """
)
"""Numbers in words, in the languages of the function words.

*One*, *first* and *second* are left to be words: they rarely count; so are numbers that mean
something else in another of the languages, such as Italian *due* or Spanish *dos*.
"""

MAGNITUDES = {
    word: int(power)
    for word, power in _table(
        """
        hundred=2 thousand=3 million=6 mn=6 billion=9 bn=9 trillion=12 tn=12
        hundert=2 tausend=3 millionen=6 milliarde=9 milliarden=9 millions=6 milliard=9 milliards=9
        millón=6 millones=6 milhão=6 milhões=6 milione=6 milioni=6 miliardo=9 miliardi=9
        honderd=2 duizend=3 miljoen=6 miljard=9 тысяча=3 тысячи=3 тысяч=3 миллион=6 миллиона=6
        миллионов=6 миллиард=9 миллиарда=9 миллиардов=9 مئة=2 ألف=3 آلاف=3 مليون=6 ملايين=6
        सौ=2 हज़ार=3 हजार=3 लाख=5 करोड़=7 万=4 萬=4 만=4 亿=8 億=8 억=8
        """
    ).items()
}
"""Powers of ten that a number may be followed by."""

_DIGITS = {digit: at for at, digit in enumerate("〇一二三四五六七八九")}
_DIGITS |= {"零": 0, "两": 2, "兩": 2}
_POWERS = {"十": 1, "百": 2, "千": 3, "万": 4, "萬": 4, "亿": 8, "億": 8}
_COUNTER = (
    "公斤|公里|公尺|小时|小時|时间|時間|分钟|分鐘|星期|世纪|世紀|个月|個月|か月|ヶ月|개월|시간|キロ|グラム|メートル|センチ"
    "|กิโลกรัม|กิโลเมตร|กรัม|เมตร|ชั่วโมง|นาที|เดือน|วัน|ปี|คน|บาท|千克|美元|欧元|歐元|ドル|ユーロ|[个個名位只隻]\\w?|[人年月日天次岁歲歳元円块塊里斤米克吨噸件条條张張本枚匹回倍层層"
    "号號点點分秒时時周週度台冊册页頁间間户戶句把种種つ명개년살층번원권]"
)
"""What numbers count, in scripts without spaces."""
COUNTER = re.compile(_COUNTER)
_CHARACTERS = "〇零一二三四五六七八九两兩十百千万萬亿億"
_THAI = _table("สอง=2 สาม=3 สี่=4 ห้า=5 หก=6 เจ็ด=7 แปด=8 เก้า=9 สิบ=10")
NUMERAL = re.compile(
    rf"(?!十分|千万)(?:[{_CHARACTERS}]{{2,}}|[二三四五六七八九两兩十百千])(?=[多余餘]?(?:{_COUNTER}))"
    "|สอง|สาม(?!ารถ)|สี่|ห้า(?!ม)|หก(?!ล)|เจ็ด|แปด|เก้า|สิบ"
)
"""A number in such a script: of characters before what they count, or a Thai word."""


def digits(numeral: str) -> str:
    """What ``NUMERAL`` matched, in digits."""
    if numeral in _THAI:
        return _THAI[numeral]
    if not set(numeral) & _POWERS.keys():
        return "".join(str(_DIGITS[each]) for each in numeral).lstrip("0") or "0"
    total = section = digit = 0
    for each in numeral:
        power = 10 ** _POWERS.get(each, 0)
        if each in _DIGITS:
            digit = _DIGITS[each]
        elif power < 10_000:
            section, digit = section + (digit or 1) * power, 0
        else:  # 亿 multiplies the 万 before it as well
            carried = total if power > 10_000 else 0
            total += (carried + section + digit or 1) * power - carried
            section = digit = 0
    return str(total + section + digit)
