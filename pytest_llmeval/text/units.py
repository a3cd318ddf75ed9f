"""Units: what numbers are measured in, in one form, and which units measure the same thing."""

from __future__ import annotations

from .lexicon import stem

_DIMENSIONS = """
    mg milligram milligrams milligramm milligrammes мг / g gram grams gramm gramme grammes
    gramos gramas grammi г грамм грамма граммов غرام ग्राम 克 グラム กรัม / kg kilogram
    kilograms kilogramm kilogrammes kilo kilos kilogramos кг кило килограмм килограмма
    килограммов كيلوغرام किलो किलोग्राम 公斤 千克 キロ กิโลกรัม / ton tons tonne tonnes tonnen
    toneladas тонн тонны 吨 噸 / lb lbs / ounce ounces oz
    ;
    mm millimetre millimetres millimeter millimeters millimètres milímetros мм / cm centimetre
    centimetres centimeter centimeters zentimeter centimètres см 厘米 センチ / m metre metres
    meter meters mètre mètres metros metri м метр метра метров متر मीटर 米 公尺 メートル เมตร /
    km kilometre kilometres kilometer kilometers kilomètres kilómetros chilometri км километр
    километра километров كيلومتر किलोमीटर 公里 กิโลเมตร / mile miles mi / foot feet ft / inch
    inches / yard yards yd
    ;
    millisecond milliseconds ms / second seconds sec secs sekunde sekunden seconde secondes
    segundos secondi секунд секунды 秒 / minute minutes min mins minuten minutos minuti минут
    минуты دقيقة मिनट 分钟 分鐘 分 분 นาที / hour hours hr hrs h stunde stunden heure heures
    hora horas uur час часа часов ساعة घंटे 小时 小時 时间 時間 시간 ชั่วโมง / day days tag tage
    tagen jour jours día días dias giorni dagen день дня дней أيام दिन 天 日 일 วัน / week weeks
    woche wochen semaine semaines semanas settimane weken недели недель أسابيع 周 週 星期 /
    month months monat monate monaten mois meses mesi maanden месяц месяца месяцев أشهر महीने
    个月 個月 か月 ヶ月 개월 เดือน / year years yr yrs jahr jahre jahren ans années años anos
    anni jaar год года лет سنوات साल वर्ष 年 년 ปี / decade decades jahrzehnte / century
    centuries 世纪 世紀
    ;
    ml millilitre millilitres milliliter milliliters мл / litre litres liter liters l litros
    litri литр литра литров 升 / gallon gallons
    ;
    kb kilobyte kilobytes / mb megabyte megabytes / gb gigabyte gigabytes / tb terabyte
    terabytes
    ;
    watt watts w / kw kilowatt kilowatts / mw megawatt megawatts
    ;
    hz hertz / khz kilohertz / mhz megahertz / ghz gigahertz
    ;
    celsius c / fahrenheit f
    ;
    dollar $ dollars usd доллар доллара долларов 美元 ドル / euro € euros eur евро 欧元 歐元
    ユーロ / sterling £ gbp / yen ¥ jpy 円 / yuan rmb cny 元 / rupee ₹ rupees / rouble ₽ roubles
    rubles рубль рубля рублей
    ;
    percent % prozent процент процента процентов
"""
"""Dimensions, and in each its units: every unit with the ways in which it is written."""
_UNITS = [[unit.split() for unit in each.split("/")] for each in _DIMENSIONS.split(";")]

UNITS = {name: stem(unit[0]) for units in _UNITS for unit in units for name in unit}
"""For a unit, as it is written behind a number, in lower case: the form it is compared by."""

KIN = {
    form: frozenset(forms) - {form}
    for units in _UNITS
    for forms in [[stem(unit[0]) for unit in units]]
    for form in forms
}
"""For the form of a unit: the other units of the same dimension, which it must not be taken for."""
