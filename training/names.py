"""Names of places, numbers in words and sums of money, in as many forms as people write them.

Owns forms only. Half of the places are no real ones: a name that cannot be remembered has to be copied.
"""

import random

from training.words import CITIES, CURRENCIES, SYMBOLS, grouped, pick

MORE_CITIES = tuple(
    """
    Aachen;Aarhus;Abidjan;Abuja;Acapulco;Agadir;Ahmedabad;Albuquerque;Aleppo;Alicante;Ancona;Ankara;Annecy;Antalya;Antwerp;
    Arequipa;Arezzo;Arnhem;Ashgabat;Assisi;Astana;Aswan;Asuncion;Atlanta;Augsburg;Austin;Avignon;Bamako;Bandung;Bangui;Bari;
    Barranquilla;Bath;Bayonne;Belem;Belfast;Belgrade;Belmopan;Bergamo;Bern;Bilbao;Birmingham;Bishkek;Blantyre;Bologna;Bonn;
    Bordeaux;Bratislava;Brest;Brighton;Bristol;Bruges;Bucharest;Bukhara;Bulawayo;Burgos;Cadiz;Cali;Cambridge;Cardenas;
    Cartagena;Catania;Cebu;Charleston;Chengdu;Chennai;Cincinnati;Cluj;Coimbra;Cologne;Conakry;Constanta;Cordoba;Cork;Coventry;
    Cuenca;Da Nang;Damascus;Dayton;Debrecen;Delft;Derby;Dijon;Djibouti;Dortmund;Dresden;Dundee;Dunedin;Durres;Eindhoven;
    El Paso;Erfurt;Exeter;Faro;Ferrara;Fes;Florence;Fortaleza;Frankfurt;Freetown;Freiburg;Funchal;Gaborone;Galway;
    Geneva;Genoa;Gijon;Giza;Goa;Gothenburg;Granada;Grenoble;Groningen;Guangzhou;Guayaquil;Gyor;Haarlem;Hannover;Hamilton;
    Harare;Hiroshima;Houston;Hue;Hyderabad;Iasi;Incheon;Indore;Inverness;Ipswich;Iquitos;Isfahan;Jaipur;Jakobstad;Jena;
    Juba;Kaohsiung;Karlsruhe;Kassel;Katowice;Kazan;Kigali;Kingston;Kinshasa;Kobe;Konya;Kosice;Krakow;Kuching;Kumamoto;Kuopio;
    Lausanne;Leeds;Leiden;Leipzig;Leon;Libreville;Liege;Lille;Limerick;Linz;Liverpool;Livorno;Lodz;Lome;Luanda;Lubeck;Lublin;
    Lucca;Lugano;Lund;Lusaka;Luxembourg;Lviv;Macau;Madurai;Malaga;Male;Managua;Manaus;Mandalay;Maputo;Maribor;Marseille;
    Maseru;Memphis;Merida;Messina;Metz;Milwaukee;Modena;Mombasa;Monrovia;Monterrey;Muscat;Mysore;Nagoya;Namur;Nancy;Naples;
    Nashville;Natal;Newcastle;Nice;Nicosia;Nuremberg;Oaxaca;Odense;Oran;Orleans;Osijek;Oulu;Oviedo;Oxford;Padua;Palermo;Palma;
    Pamplona;Parma;Patras;Penang;Perugia;Pescara;Philadelphia;Pisa;Plovdiv;Poznan;Praia;Pristina;Puebla;Pune;Rabat;Ravenna;
    Recife;Rennes;Rhodes;Rijeka;Rostock;Rotterdam;Rouen;Salamanca;Salem;Salerno;Salta;Salzburg;Samarkand;Sarajevo;Savannah;
    Sendai;Sheffield;Shiraz;Siena;Skopje;Sofia;Stavanger;Strasbourg;Stuttgart;Sucre;Suez;Swansea;Szczecin;Szeged;
    Tampere;Tangier;Taranto;Thessaloniki;Tirana;Toledo;Toulouse;Trier;Trieste;Trondheim;Tucson;Turin;Udine;Ulm;Uppsala;
    Utrecht;Varanasi;Varna;Verona;Vigo;Vilnius;Wichita;Windhoek;Wroclaw;Wuhan;York;Zadar;Zagreb;Zaragoza;Zwolle
    """.replace("\n", "").replace("    ", "").strip().split(";")
)  # fmt: skip
"""Real ones, without a time zone."""
_BEGIN = ("Al", "Bar", "Ber", "Bran", "Cal", "Car", "Cor", "Dal", "Der", "Dor", "El", "Fal", "Fen", "Gar", "Gol", "Hal", "Hor",
          "Is", "Jor", "Kar", "Kel", "Kir", "Lan", "Len", "Lor", "Mar", "Mel", "Mon", "Nar", "Nor", "Ol", "Or", "Pal", "Per",
          "Quar", "Ral", "Ros", "Sal", "Sel", "Sor", "Tal", "Ter", "Tor", "Ul", "Val", "Ver", "Wal", "Win", "Yar", "Zel", "Za",
          "Bri", "Cha", "Du", "Fi", "Gre", "Hu", "Ja", "Ki", "Lu", "Mi", "Na", "Pi", "Ri", "Shi", "Stra", "Tsu", "Vi", "Xi")  # fmt: skip
_MIDDLE = ("", "", "", "a", "e", "i", "o", "ba", "da", "di", "ga", "go", "ka", "ke", "la", "li", "ma", "mi", "na", "ni", "ra", "ri", "sa",
           "si", "ta", "te", "vo", "za", "nder", "sta", "ngo", "chi")  # fmt: skip
_END = ("bach", "berg", "bo", "borg", "burg", "by", "ca", "dal", "den", "do", "dorf", "field", "ford", "gan", "grad", "ham", "hus", "ia",
        "ko", "la", "land", "lin", "lo", "mar", "mouth", "na", "nik", "no", "now", "pool", "port", "ra", "ro", "sk", "stad", "ta", "thal",
        "ton", "tz", "va", "ville", "wick", "witz", "yama", "zen", "zhou")  # fmt: skip
_AROUND = ("{}", "{}", "{}", "{}", "{}", "{}", "{}", "{}", "San {}", "New {}", "Port {}", "Bad {}", "{} Bay", "St. {}", "Upper {}", "{} Beach",
           "Puerto {}", "Fort {}", "{} Falls", "Mount {}", "El {}", "{} City", "North {}", "Santa {}")  # fmt: skip
SMALL = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
STRANGE_MONEY = {
    "AED": ("dirhams", "UAE dirhams"), "ARS": ("Argentine pesos",), "BDT": ("taka",), "CLP": ("Chilean pesos",),
    "COP": ("Colombian pesos",), "DZD": ("Algerian dinars",), "ETB": ("birr",), "GEL": ("Georgian lari", "lari"),
    "GHS": ("cedis", "Ghanaian cedis"), "JMD": ("Jamaican dollars",), "JOD": ("Jordanian dinars",), "KWD": ("Kuwaiti dinars",),
    "KZT": ("tenge",), "LKR": ("Sri Lankan rupees",), "MAD": ("Moroccan dirhams",), "MKD": ("Macedonian denars",),
    "NGN": ("naira", "Nigerian naira"), "NPR": ("Nepalese rupees",), "PEN": ("Peruvian soles",), "PKR": ("Pakistani rupees",),
    "QAR": ("Qatari riyals",), "RSD": ("Serbian dinars",), "SAR": ("Saudi riyals",), "TND": ("Tunisian dinars",),
    "TWD": ("Taiwan dollars",), "TZS": ("Tanzanian shillings",), "UAH": ("hryvnia", "Ukrainian hryvnia"),
    "UGX": ("Ugandan shillings",), "UYU": ("Uruguayan pesos",), "UZS": ("Uzbek som",), "XAF": ("Central African francs",),
    "ZMW": ("Zambian kwacha",), "BTC": ("bitcoins",), "ALL": ("Albanian lek",), "AMD": ("dram",), "BBD": ("Barbados dollars",),
}  # fmt: skip
"""Money that has no rate here."""
BARE = {"EUR": "euro", "USD": "dollar", "GBP": "pound", "JPY": "yen", "CHF": "franc", "PLN": "zloty", "CZK": "koruna", "HUF": "forint",
        "INR": "rupee", "ZAR": "rand", "THB": "baht", "KRW": "won", "CNY": "yuan", "ILS": "shekel", "MYR": "ringgit", "TRY": "lira",
        "SEK": "krona", "NOK": "krone", "BRL": "real", "IDR": "rupiah", "RON": "leu", "BGN": "lev"}  # fmt: skip
"""One of it, as in `a 20 euro note`."""


def spot(chance: random.Random) -> str:
    """A place, real or not."""
    kind = chance.random()
    if kind < 0.25:
        return pick(chance, tuple(CITIES))
    if kind < 0.55:
        return pick(chance, MORE_CITIES)
    return made(chance)


def spots(chance: random.Random, count: int) -> list[str]:
    """Different places."""
    found: list[str] = []
    while len(found) < count:
        one = spot(chance)
        if one not in found:
            found.append(one)
    return found


def made(chance: random.Random) -> str:
    """A name that no map has."""
    return pick(chance, _AROUND).format(pick(chance, _BEGIN) + pick(chance, _MIDDLE) + pick(chance, _END))


def counted(chance: random.Random, number: int) -> str:
    """A small number in digits or as a word."""
    return SMALL[number - 2] if 2 <= number <= 12 and chance.random() < 0.4 else str(number)


def money(chance: random.Random, value: float, code: str) -> str:
    """A sum in one of many forms: `€1,500`, `1500 EUR`, `EUR 1500`, `35 francs (CHF)`, `1,500 Swiss francs`."""
    number, kind = grouped(chance, value), chance.random()
    if kind < 0.1 and code in SYMBOLS:
        return f"{SYMBOLS[code]}{number}"
    if kind < 0.15:
        return f"{code} {number}"
    if kind < 0.22:
        return f"{number} {pick(chance, CURRENCIES[code])} ({code})"
    return f"{number} {pick(chance, CURRENCIES[code])}" if kind < 0.7 else f"{number} {code}"


def coin(chance: random.Random, code: str) -> str:
    """A currency by name more often than by code, at times with both."""
    kind = chance.random()
    if kind < 0.08:
        return f"{pick(chance, CURRENCIES[code])} ({code})"
    return pick(chance, CURRENCIES[code]) if kind < 0.65 else code


def any_money(chance: random.Random, but: str = "") -> str:
    """A currency code: the rare ones as often as the large ones."""
    while True:
        code = pick(chance, ("EUR", "USD", "GBP")) if chance.random() < 0.22 else pick(chance, tuple(CURRENCIES))
        if code != but:
            return code
