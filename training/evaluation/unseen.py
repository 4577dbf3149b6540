"""Tasks with tools that no training can have shown, alone, among others like them, and beside the toolbox."""

from collections.abc import Mapping
from typing import Any

from training.evaluation.answers import Amount, Chooses, Figure, Never, No, Says, Text, Unable, Yes
from training.evaluation.calls import AnyOf, Wanted
from training.evaluation.single import changed, looked, reckoned
from training.evaluation.task import FOUR, Task
from training.evaluation.world import World, converted

FULL, NONE_LEFT = r"\b(?:full|no (?:free )?(?:parking|space))", r"\b(?:none|sold out|0\b)"


def one(number: int, tools: tuple[str, ...], arguments: Mapping[str, Any], question: str, *says: Says) -> Task:
    """One call of the first of the tools; the others, if any, are not needed."""
    name, *others = tools
    return Task(
        id=f"unseen-{number:02}",
        group="unseen tools",
        kind="one unseen tool" if not others else "among others",
        question=question,
        tools=tools if number % 2 else tuple(reversed(tools)),
        calls=(Wanted(name, arguments),),
        says=says,
    )


def several(
    number: int,
    tools: tuple[str, ...],
    question: str,
    calls: tuple[Wanted, ...],
    *says: Says,
    world: World | None = None,
) -> Task:
    """More than one call, of which one at least is of an unseen tool."""
    return Task(
        id=f"unseen-steps-{number:02}",
        group="unseen tools",
        kind="unseen, two steps",
        question=question,
        tools=tools,
        world=world or World(),
        calls=calls,
        says=says,
    )


TRAM = ("next_tram", "free_parking")
_ONE: tuple[tuple[Any, ...], ...] = (
    (
        ("tide_table",),
        {"harbour": "Saltmouth"},
        "When is high water in Saltmouth today?",
        Text(("06:42", "6:42", "6.42")),
    ),
    (
        ("tide_table", "lake_temperature"),
        {"harbour": "Greyhaven"},
        "At what time do we have low tide in Greyhaven?",
        Text(("15:31", "3:31")),
    ),
    (
        TRAM,
        {"stop": "Mill Lane", "line": 9},
        "I'm at Mill Lane. How long until the next 9 leaves?",
        Amount(12, "minutes"),
    ),
    (
        ("next_tram",),
        {"stop": "Opera", "line": 4},
        "how many minutes to the next number 4 tram at Opera",
        Amount(3, "minutes"),
    ),
    (("stock_level",), {"article_number": "TR-88"}, "How many TR-88 do we still have?", Figure(1240)),
    (
        ("stock_level", "find_part", *FOUR),
        {"article_number": "BOLT-M6"},
        "Check the stock of article BOLT-M6 please.",
        Figure(8800),
    ),
    (
        ("find_part", "track_order"),
        {"part": "drive belt"},
        "What's the article number of the drive belt?",
        Text(("KX-410",)),
    ),
    (("allotment_owner",), {"plot": 31}, "Who rents plot 31?", Text(("Hank Obuya", "Obuya"))),
    (
        ("allotment_owner", "phone_extension"),
        {"plot": 12},
        "whose garden is number 12",
        Text(("Wilma Sandoval", "Sandoval")),
    ),
    (
        ("pollen_count",),
        {"plant": "birch", "region": "Northvale"},
        "How bad is the birch pollen in Northvale?",
        Amount(210, "grains"),
    ),
    (
        ("pollen_count", "particulates", "get_current_weather"),
        {"plant": "grass", "region": "Lower Esk"},
        "I'm allergic to grass. What's the count in Lower Esk?",
        Amount(88, "grains"),
    ),
    (
        ("free_parking",),
        {"garage": "Castle Square"},
        "Any free parking spaces at Castle Square? How many?",
        Figure(148),
    ),
    (
        ("free_parking", "next_tram"),
        {"garage": "Central Station"},
        "Can I still park at Central Station?",
        No((FULL, r"\b0\b", r"\bzero\b"), ()),
    ),
    (
        ("due_back",),
        {"card": "B7731"},
        "My library card is B7731. When do I have to bring my book back?",
        Text(("14 December", "December 14", "14th of December", "December 14th", "14th December")),
    ),
    (("due_back", "get_time"), {"card": "B9020"}, "what book is out on card B9020", Text(("Tidewrack",))),
    (
        ("parcel_price",),
        {"kilograms": 5, "zone": "union"},
        "What does it cost to send 5 kilograms to zone union?",
        Amount(17.5, "EUR"),
    ),
    (
        ("parcel_price", "convert_currency"),
        {"kilograms": 2.5, "zone": "world"},
        "Postage for a 2.5 kg parcel, zone world?",
        Amount(27, "EUR"),
    ),
    (
        ("paint_litres",),
        {"square_metres": 64, "coats": 2},
        "I'm painting 64 square metres twice (2 coats). How many litres of paint do I need?",
        Amount(16, "litres"),
    ),
    (
        ("paint_litres", "calculator"),
        {"square_metres": 36, "coats": 1},
        "One coat on 36 square metres of wall - how much paint is that in litres?",
        Amount(4.5, "litres"),
    ),
    (("phone_extension",), {"surname": "Oyelaran"}, "What's Oyelaran's extension?", Figure(4023)),
    (
        ("phone_extension", "queue_length"),
        {"surname": "Brandt"},
        "I have to ring Ms Brandt, which internal number?",
        Figure(4390),
    ),
    (("concert_tickets",), {"band": "Velvet Antlers"}, "How much is a ticket for Velvet Antlers?", Amount(48, "USD")),
    (
        ("concert_tickets", "track_order"),
        {"band": "The Mumbling Few"},
        "Are there any tickets left for The Mumbling Few?",
        No((NONE_LEFT,), ()),
    ),
    (("ski_run",), {"name": "Eagle"}, "Is the Eagle run open?", Yes((r"\bopen\b",), (r"\bclosed\b",))),
    (
        ("ski_run", "get_current_weather"),
        {"name": "Bear Gully"},
        "How many cm of snow are there on Bear Gully?",
        Amount(20, "cm"),
    ),
    (("watering_interval",), {"plant": "peace lily"}, "How often does a peace lily need water?", Amount(6, "days")),
    (
        ("watering_interval", "lake_temperature"),
        {"plant": "aloe"},
        "after how many days should I water my aloe again?",
        Amount(21, "days"),
    ),
    (("particulates",), {"town": "Ashford"}, "How much fine dust is in the air of Ashford?", Amount(31.5, "µg/m³")),
    (("gate_of",), {"flight": AnyOf(("ZQ 118", "ZQ118"))}, "Which gate does ZQ 118 leave from?", Text(("C14", "C 14"))),
    (
        ("gate_of", "get_time", "track_order"),
        {"flight": AnyOf(("ZQ 552", "ZQ552"))},
        "When does boarding start for flight ZQ 552?",
        Text(("08:05", "8:05")),
    ),
    (
        ("track_order",),
        {"order_id": "88-1311"},
        "What's up with order 88-1311?",
        Text(("waiting for payment", "payment")),
    ),
    (
        ("track_order", "stock_level"),
        {"order_id": "88-1207"},
        "Has 88-1207 been shipped, and on which day?",
        Text(("Tuesday",)),
    ),
    (("electricity_reading",), {"flat": 7}, "Give me the electricity meter reading of flat 7.", Amount(20977, "kWh")),
    (
        ("last_match",),
        {"team": "Harrowgate Rovers"},
        "How did Harrowgate Rovers play last time?",
        Text(("3:1", "3-1", "3 to 1")),
    ),
    (
        ("last_match", "medals"),
        {"team": "Elmstead"},
        "Did Elmstead win their last match?",
        No((r"\blost\b",), (r"\bwon\b(?! by)",)),
    ),
    (("canteen_menu",), {"weekday": "Thursday"}, "what's for lunch in the canteen on thursday", Text(("goulash",))),
    (
        ("canteen_menu", "search", "get_time"),
        {"weekday": "Friday"},
        "Which dish do they serve on Friday?",
        Text(("pancakes", "pancake")),
    ),
    (("star_distance",), {"star": "Kelu"}, "How far away is Kelu?", Amount(9.9, "light years")),
    (
        ("star_distance", "calculator"),
        {"star": "Vantar"},
        "Distance to the star Vantar in light years?",
        Amount(41.7, "light years"),
    ),
    (
        ("lake_temperature", "get_current_weather"),
        {"lake": "Stone Tarn"},
        "Is Stone Tarn warm enough to swim, I mean how many degrees has the water?",
        Amount(9.1, "degrees"),
    ),
    (
        ("monthly_rate",),
        {"loan": 12000, "yearly_percent": 6, "years": 5},
        "I borrow 12000 at 6 percent a year and pay it back in 5 years. What's the monthly rate?",
        Figure(231.99),
    ),
    (("to_roman",), {"number": 1947}, "Write 1947 in Roman numerals.", Text(("MCMXLVII",))),
    (("to_roman", "calculator", "get_time"), {"number": 64}, "what is 64 as a roman number", Text(("LXIV",))),
    (("count_letters",), {"text": "hippopotamus"}, "How many letters are in the word hippopotamus?", Figure(12)),
    (("is_prime",), {"number": 221}, "Is 221 a prime number?", No((), (r"\bis (?:a )?prime",))),
    (("is_prime", "to_roman"), {"number": 409}, "Tell me if 409 is prime.", Yes((r"\bis (?:a )?prime",), ())),
    (
        ("exhibit_floor", "free_parking"),
        {"exhibit": "star map"},
        "On which floor do I find the star map?",
        Text(("4", "fourth", "4th", "four")),
    ),
    (
        ("medals",),
        {"country": "Norland", "games": "Calvary 2031"},
        "How many gold medals did Norland win at Calvary 2031?",
        Figure(9),
    ),
    (
        ("dose_for",),
        {"medicine": "Verminol", "body_weight_kg": 14},
        "My dog has 14 kg. What's the daily dose of Verminol for him?",
        Amount(70, "mg"),
    ),
    (
        ("queue_length", "free_parking"),
        {"office": "passport office"},
        "How many people are in the queue of the passport office?",
        Figure(27),
    ),
    (("translate_term",), {"term": "bread", "into": "Ostric"}, "What's bread in Ostric?", Text(("skarn",))),
    (
        ("translate_term", "count_letters"),
        {"term": "water", "into": "Vellish"},
        "Translate water into Vellish",
        Text(("mirra",)),
    ),
    (
        ("hotel_price",),
        {"hotel": "Harbour Inn", "nights": 3},
        "What do 3 nights in the Harbour Inn cost?",
        Amount(216, "GBP"),
    ),
    (
        ("printer_toner", "stock_level"),
        {"printer": "Copper"},
        "How much toner does the printer Copper have left?",
        Amount(12, "percent"),
    ),
    (("road_closed",), {"road": "B17"}, "Until when is the B17 closed?", Text(("Friday evening", "Friday"))),
    (
        ("road_closed", "next_tram"),
        {"road": "A40"},
        "Is the A40 closed at the moment?",
        No((r"\bopen\b",), (r"\bis closed\b",)),
    ),
    (
        ("sort_weights",),
        {"grams": [310, 45, 120]},
        "Sort these weights: 310, 45 and 120 grams.",
        Text(
            (
                "45, 120, 310",
                "45, 120 and 310",
                "45.0, 120.0, 310.0",
                "45 g, 120 g, 310 g",
                "45, 120, and 310",
                "45.0, 120.0 and 310.0",
            )
        ),
    ),
)

_SEVERAL: tuple[Task, ...] = (
    several(
        1,
        ("find_part", "stock_level"),
        "How many drive belts are in stock? You need the article number first.",
        (Wanted("find_part", {"part": "drive belt"}), Wanted("stock_level", {"article_number": "KX-410"})),
        Figure(63),
    ),
    several(
        2,
        ("stock_level", "find_part"),
        "Find out the article number of the tripod and then how many we have of it.",
        (Wanted("find_part", {"part": "tripod"}), Wanted("stock_level", {"article_number": "TR-88"})),
        Figure(1240),
    ),
    several(
        3,
        ("concert_tickets", "convert_currency"),
        "What does one ticket for Velvet Antlers cost in euros?",
        (Wanted("concert_tickets", {"band": "Velvet Antlers"}), changed(48, "USD", "EUR")),
        Amount(converted(48, "USD", "EUR"), "EUR"),
    ),
    several(
        4,
        ("hotel_price", *FOUR),
        "2 nights at The Gilded Heron: how many US dollars?",
        (
            Wanted("hotel_price", {"hotel": AnyOf(("The Gilded Heron", "Gilded Heron")), "nights": 2}),
            changed(280, "GBP", "USD"),
        ),
        Amount(converted(280, "GBP", "USD"), "USD"),
    ),
    several(
        5,
        ("star_distance",),
        "Which star is nearer to us, Ophelis or Vantar?",
        (Wanted("star_distance", {"star": "Ophelis"}), Wanted("star_distance", {"star": "Vantar"})),
        Chooses("Vantar", "Ophelis", r"near|clos", r"far|more"),
    ),
    several(
        6,
        ("lake_temperature", "get_current_weather"),
        "Lake Mirren or Stone Tarn, which one has the warmer water?",
        (Wanted("lake_temperature", {"lake": "Lake Mirren"}), Wanted("lake_temperature", {"lake": "Stone Tarn"})),
        Chooses("Mirren", "Stone Tarn", r"warm", r"cold|cool"),
    ),
    several(
        7,
        ("free_parking", "calculator"),
        "How many free spaces do Castle Square and Riverside have together?",
        (Wanted("free_parking", {"garage": "Castle Square"}), Wanted("free_parking", {"garage": "Riverside"})),
        Figure(154),
    ),
    several(
        8,
        ("dose_for", "calculator"),
        "A cat of 5 kg takes Calmavet. How many mg does she get in 7 days, if the tool gives a day's dose?",
        (Wanted("dose_for", {"medicine": "Calmavet", "body_weight_kg": 5}), reckoned(14)),
        Amount(14, "mg"),
    ),
    several(
        9,
        ("particulates",),
        "Compare the fine dust of Ashford and Lakehurst, where is the air cleaner?",
        (Wanted("particulates", {"town": "Ashford"}), Wanted("particulates", {"town": "Lakehurst"})),
        Chooses("Lakehurst", "Ashford", r"clean|less|lower", r"more|dirt|higher|worse"),
    ),
    several(
        10,
        ("ski_run", "get_current_weather"),
        "Is Bear Gully open, and is it below zero in Innsbruck?",
        (Wanted("ski_run", {"name": "Bear Gully"}), looked("Innsbruck")),
        Text(("closed", "not open", "isn't open")),
        Text(("below", "-6.5", "yes", "minus 6.5", "freezing")),
        world=World({"Innsbruck": 0.0}, {"Innsbruck": -6.5}),
    ),
    several(
        11,
        ("parcel_price", "convert_currency"),
        "I send a parcel of 10 kg, zone home. Price in Polish zloty?",
        (Wanted("parcel_price", {"kilograms": 10, "zone": "home"}), changed(16.9, "EUR", "PLN")),
        Amount(converted(16.9, "EUR", "PLN"), "PLN"),
    ),
    several(
        12,
        ("exhibit_floor", "queue_length"),
        "On which floors are the mammoth and the steam engine?",
        (Wanted("exhibit_floor", {"exhibit": "mammoth"}), Wanted("exhibit_floor", {"exhibit": "steam engine"})),
        Text(("0", "ground", "zero")),
        Text(("2", "second", "2nd", "two")),
    ),
    several(
        13,
        ("electricity_reading", "calculator"),
        "By how many kWh does the meter of flat 7 read more than that of flat 3?",
        (Wanted("electricity_reading", {"flat": 7}), Wanted("electricity_reading", {"flat": 3})),
        Amount(10495, "kWh"),
    ),
    several(
        14,
        ("stock_level", "track_order", "phone_extension"),
        "How many KX-415 are left? I also need Tanaka's extension.",
        (Wanted("stock_level", {"article_number": "KX-415"}), Wanted("phone_extension", {"surname": "Tanaka"})),
        Text(("0", "no", "none", "zero")),
        Figure(4417),
    ),
)

_NOTHING: tuple[Task, ...] = (
    Task(
        id="unseen-missing-01",
        group="unseen tools",
        kind="unseen, nothing found",
        question="Who rents plot 99?",
        tools=("allotment_owner",),
        calls=(Wanted("allotment_owner", {"plot": 99}, "not_found"),),
        says=(Unable(phrases=(r"not rented", r"nobody", r"no ?one")), Never(("Sandoval", "Obuya", "Pereira"))),
    ),
    Task(
        id="unseen-missing-02",
        group="unseen tools",
        kind="unseen, nothing found",
        question="What's the water temperature of Lake Owlet?",
        tools=("lake_temperature", "get_current_weather"),
        calls=(Wanted("lake_temperature", {"lake": AnyOf(("Lake Owlet", "Owlet"))}, "not_found"),),
        says=(Unable(),),
    ),
    Task(
        id="unseen-missing-03",
        group="unseen tools",
        kind="unseen, nothing found",
        question="Which gate for flight ZQ 900?",
        tools=("gate_of",),
        calls=(Wanted("gate_of", {"flight": AnyOf(("ZQ 900", "ZQ900"))}, "not_found"),),
        says=(Unable(), Never(("C14", "A3"))),
    ),
)

TASKS: tuple[Task, ...] = (*(one(number, *row) for number, row in enumerate(_ONE, 1)), *_SEVERAL, *_NOTHING)
