"""Tools that take two things, such as a word and a dialect: which of the two goes where has to be read from the question.

Owns them, and tools for things that are in stock, where the question has more than one and the tool wants one.
"""

import random
from collections.abc import Callable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from loopwright.core.messages import ToolSpec
from loopwright.tools.result import not_found, ok
from training.invented_values import Value, source, value
from training.names import any_money, coin, made, spot
from training.things import capital, done, lead_for, plainly
from training.toolbox_steps import CALCULATOR, CURRENCY, calculation, convert
from training.toolbox_tasks import plural
from training.trajectories import Episode, Step
from training.words import CURRENCIES, THINGS, pick


class Pair(Struct, frozen=True):
    """A tool with two parameters, what people ask of it, and what it tells."""

    names: str
    about: str
    first: str
    """Parameter names, then where the value comes from."""
    second: str
    asks: tuple[str, ...]
    need: str
    gives: str
    """Field names, values and unit."""


PAIRS: tuple[Pair, ...] = (
    Pair("season_goals, goals_of", "Goals of a club in a season.", "club, team = made({} Rovers)", "season, year = n(1950,2025)",
         ("How many goals did {a} score in {b}?", "In {b}, how many goals were {a}'s?", "Goals of {a} in the season of {b}?"), "the goals of {a} in {b}", "goals, count = n(4,130) : goals"),
    Pair("road_distance, km_between", "Distance by road between two places, in km.", "start, from_place, a = spot", "end, to_place, b = spot",
         ("How far is it from {a} to {b}?", "What's the distance between {a} and {b}?", "I drive from {a} to {b}. How many km?", "To {b} from {a}, how far is it?"), "the distance from {a} to {b}", "km, distance_km = n(3,2000) : km"),
    Pair("bus_fare, fare_between", "Fare of a coach between two places.", "origin, from_city = spot", "destination, to_city = spot",
         ("What is the fare from {a} to {b}?", "How much do I pay for the coach from {a} to {b}?", "What does a coach to {b} cost from {a}?"), "the coach fare from {a} to {b}", "fare_eur, price_eur = f(3,90,1) : EUR"),
    Pair("recipe_grams, flour_needed", "Grams of flour for a recipe and a number of guests.", "recipe, dish = @food", "guests, people = n(2,40)",
         ("How much flour does {a} need for {b} people?", "{b} guests are coming and I make {a}. How many grams of flour?", "Flour for {a}, {b} people?"), "the flour for {a} for {b} people", "grams, flour_g = n(50,4000) : grams"),
    Pair("train_coach, coach_of_seat", "In which coach of a train a seat is.", "train, train_number = code(IC 999,RX 9999)", "seat, seat_number = n(1,500)",
         ("I have seat {b} on {a}. Which coach is it?", "In which coach of {a} is seat {b}?", "Coach for seat {b}, train {a}?"), "the coach of seat {b} on {a}", "coach, wagon = n(1,25)"),
    Pair("race_time, runner_time", "Time of a runner in a race, in minutes.", "runner, athlete = person", "race, event = made({} Run)",
         ("How long did {a} take for {b}?", "In {b}, what was the time of {a}?", "{a}, {b}: how many minutes?"), "the time of {a} in {b}", "minutes, time = n(14,400) : minutes"),
    Pair("part_price, spare_price", "Price of a spare part for a machine.", "part, spare_part = pick(gasket,drum,fuse,hinge,rotor,valve,spring,gear)", "machine, model = code(MX-99,TR-999)",
         ("What does a {a} for {b} cost?", "I need a new {a} for my {b}. How much is it?", "{b} needs a {a}; price?"), "the price of a {a} for {b}", "price_usd, usd = f(2,300,2) : USD"),
    Pair("subject_teacher, who_teaches", "Who teaches a subject in a class.", "subject, topic = pick(history,physics,music,Latin,geography,art,chemistry)", "class_name, form = code(5a,7b,9C,11)",
         ("Who teaches {a} in {b}?", "Which teacher does {b} have for {a}?", "In {b}, who gives {a}?"), "the {a} teacher of {b}", "teacher, name = person"),
    Pair("bird_count, birds_seen", "How many birds of a kind were counted in a month.", "bird, species = pick(wagtail,kingfisher,lapwing,siskin,curlew,nuthatch,bittern)", "month, in_month = pick(January,March,April,June,August,October,November)",
         ("How many {a}s were counted in {b}?", "In {b}, how often was a {a} seen?", "{a} count for {b}?"), "the count of the {a} in {b}", "count, seen = n(0,900) : birds"),
    Pair("article_price, shop_price", "Price of an article in a shop.", "article, item, product = pick(desk fan,tea strainer,wall clock,bread knife,garden hose,picture frame,door mat,foot pump,rain barrel)", "shop, store = made({} Stores)",
         ("What does the {a} cost at {b}?", "How much is a {a} at {b}?", "Does {b} have the {a}, and at what price?"), "the price of the {a} at {b}", "price_gbp, gbp = f(1,400,2) : GBP"),
    Pair("boiling_time, cooking_minutes", "Minutes that a vegetable cooks, by its weight.", "vegetable, food = pick(turnip,beetroot,leek,parsnip,artichoke,kohlrabi)", "weight_g, grams = n(20,900)",
         ("How long must a {a} of {b} grams cook?", "A {a} weighs {b} grams. For how many minutes do I boil it?", "{b} grams of {a}: how many minutes?"), "the cooking time of a {a} of {b} grams", "minutes, time_min = n(3,90) : minutes"),
    Pair("book_chapter, chapter_pages", "Number of pages of a chapter in a book.", "book, title = @book", "chapter, number = n(1,40)",
         ("How many pages has chapter {b} of {a}?", "I read chapter {b} in '{a}'. How long is it, in pages?", "{a}, chapter {b}: pages?"), "the pages of chapter {b} of {a}", "pages, length = n(3,60) : pages"),
    Pair("house_owner, owner_of_house", "Who owns a house, by street and number.", "street, street_name = pick(Mill Lane,Castle Row,Long Acre,Quay Street,Rose Alley,Bell Yard)", "number, house_number = n(1,200)",
         ("Who owns {b} {a}?", "Whose is the house at {b} {a}?", "I want to know who owns number {b} in {a}."), "the owner of number {b} in {a}", "owner, name = person"),
    Pair("plank_price, wood_price", "Price of a plank of wood of a length in metres.", "wood, kind = pick(larch,ash,walnut,cedar,maple,pine)", "metres, length_m = n(1,12)",
         ("How much is a {a} plank of {b} metres?", "I need {b} metres of {a}. Price?", "{b} m of {a}, what does it cost?"), "the price of a {a} plank of {b} metres", "price_eur, eur = f(2,300,2) : EUR"),
    Pair("vote_share, votes_for", "Share of the votes of a party in a town, in percent.", "party, list_name = pick(Green Bell,Harbour List,Free Hills,New Bridge,Old Town Union)", "town, place = spot",
         ("How many percent did {a} get in {b}?", "In {b}, what was the share of {a}?", "What did people in {b} give to {a}, in percent?"), "the share of {a} in {b}", "percent, share = f(0.5,70,1) : percent"),
    Pair("room_rent, rent_for", "Rent of a room for a number of hours.", "room, hall = pick(Room Iris,Room Lark,Studio 9,the Blue Hall,Cellar 4,Loft B)", "hours, duration_h = n(1,24)",
         ("What does {a} cost for {b} hours?", "I want {a} for {b} hours. What is the rent?", "{b} hours of {a}: how much?"), "the rent of {a} for {b} hours", "rent_chf, total_chf = n(10,900) : CHF"),
    Pair("cup_score, match_result", "Result of a match between a home and an away club.", "home, home_club = made({} FC)", "away, guest = made({} United)",
         ("How did {a} against {b} end?", "What was the score of {a} versus {b}?", "{a} played at home to {b}. The result?"), "the result of {a} against {b}", "score, result = code(9:9)"),
    Pair("visa_days, stay_allowed", "Days that people of one country may stay in another.", "nationality, passport = pick(Norland,Estavia,Qumar,Belmora,Tyrosa,Vandia)", "country, visiting = pick(Ostrava Isles,Krelia,Sundara,Mirovia,Palonia)",
         ("How many days may people from {a} stay in {b}?", "I have a passport of {a}. For how long can I be in {b}?", "Going to {b} with {a} papers: how many days?"), "the days that people from {a} may stay in {b}", "days, limit = n(7,180) : days"),
    Pair("shift_on, who_works", "Who is on duty at a place on a weekday.", "place, post = pick(the gate,the desk,ward 3,the kiosk,the tower,the bar)", "day, weekday = pick(Monday,Tuesday,Wednesday,Thursday,Friday,Saturday,Sunday)",
         ("Who works at {a} on {b}?", "On {b}, who is at {a}?", "Who has duty at {a} this {b}?"), "who works at {a} on {b}", "person, name = person"),
    Pair("paint_tins, tins_for", "Tins of varnish for a floor of a size with a number of layers.", "floor_m2, area = n(4,200)", "layers, times = n(1,5)",
         ("How many tins of varnish do {a} square metres need with {b} layers?", "The floor has {a} square metres and gets {b} layers. How many tins?", "{b} layers on {a} square metres: tins?"), "the tins for {a} square metres with {b} layers", "tins, count = n(1,60) : tins"),
    Pair("plane_gate, gate_of", "Gate of a flight at an airport.", "flight, flight_number = code(QA 999,ZB 9999)", "airport, at = spot",
         ("From which gate does {a} leave in {b}?", "I'm at the airport of {b}. Where is the gate of {a}?", "Gate for {a}, {b}?"), "the gate of {a} in {b}", "gate, number = code(A99,C9)"),
    Pair("song_key, key_for", "In which key a singer sings a song.", "song, title = pick(Paper Moon Tango,Nine Lanterns,Hollow Road,The Miller's Waltz,Sugar Rain,Last Tram Home)", "singer, voice = person",
         ("In which key does {b} sing '{a}'?", "Which key of {a} is right for {b}?", "{b} wants to sing {a}. Which key?"), "the key of {a} for {b}", "key, pitch = pick(A flat,E minor,F sharp,B flat,D minor)"),
)  # fmt: skip


def drawn(c: random.Random, kind: str) -> Value:
    """A value for a parameter or a field."""
    if kind == "spot":
        return value(spot(c))
    if kind.startswith("made"):
        return value(kind[5:-1].format(next(name for name in iter(lambda: made(c), "") if " " not in name)))
    return source(kind).draw(c, {})


def parameter(c: random.Random, text: str) -> tuple[str, Value, dict[str, Any]]:
    """A parameter: its name, its value, its schema."""
    names, kind = text.split(" = ")
    given = drawn(c, kind)
    schema = {"type": "integer" if isinstance(given.given, int) else "string"}
    return pick(c, names.split(", ")), given, schema


def two_given(c: random.Random) -> Episode:
    """A tool with two parameters; at times its figure is converted or multiplied."""
    pair = pick(c, PAIRS)
    (one, a, first), (two, b, second) = parameter(c, pair.first), parameter(c, pair.second)
    if a.shown == b.shown:
        return two_given(c)
    order = [(one, first), (two, second)] if c.random() < 0.7 else [(two, second), (one, first)]
    name = pick(c, pair.names.split(", "))
    spec = ToolSpec(
        name, pair.about, {"type": "object", "properties": dict(order), "required": [key for key, _ in order]}
    )
    given = {one: a.given, two: b.given}
    fields, _, told = pair.gives.partition(" = ")
    kind, _, unit = told.partition(" : ")
    found, key = drawn(c, kind).given, pick(c, fields.split(", "))
    need = pair.need.format(a=a.shown, b=b.shown)
    question = (
        pick(c, pair.asks).format(a=a.shown, b=b.shown)
        if c.random() < 0.75 or need.startswith("who")
        else plainly(c, need)
    )
    arguments = {key: given[key] for key, _ in order}
    seen: Any = found if c.random() < 0.4 else {key: found} if c.random() < 0.6 else {**given, key: found}
    thought = pick(
        c,
        (
            f"{capital(one)} is {a.shown}, {two} is {b.shown}.",
            lead_for(c, need, name),
            f"I need {need}: {one} {a.shown}, {two} {b.shown}.",
        ),
    )
    step = Step(thought, name, arguments, ok(seen))
    shown = f"{found} {unit}".strip()
    if unit in CURRENCIES and c.random() < 0.5:
        target = any_money(c, but=unit)
        question = f"{question.rstrip('?.')}{pick(c, (f', in {coin(c, target)}?', f'? In {coin(c, target)}, please.', f'? I pay in {coin(c, target)}.'))}"
        paid = convert(
            c, found, unit, target, f"{capital(need)} is {found} {unit}. I convert {found} {unit} to {target}."
        )
        answer = f"{need} is {found} {unit}, which is {paid.converted} {target}."
        return done(c, question, [spec, CURRENCY], [step, paid.step], "The amount is known.", answer)
    if unit and unit not in CURRENCIES and c.random() < 0.25:
        n = c.randrange(2, 20)
        question = pick(
            c, (f"What is {n} times {need}?", f"Multiply {need} by {n}.", f"{question} And what is it times {n}?")
        )
        total, result = calculation(f"{n} * {found}", f"{capital(need)} is {shown}. I calculate {n} times {found}.")
        return done(
            c,
            question,
            [spec, CALCULATOR],
            [step, total],
            f"The result is {result} {unit}.",
            f"{need} is {shown}, and {n} times that is {result} {unit}.",
        )
    if c.random() < 0.06:
        step = replace(step, result=not_found(f"there is no {one} {a.shown!r}"))
        return done(
            c,
            question,
            [spec],
            [step],
            f"There is no {one} {a.shown}.",
            f"I could not find {a.shown}, so I do not know {need}.",
        )
    fact = f"{found} {need[4:]}" if need.startswith("who") else f"{need} is {shown}"
    return done(c, question, [spec], [step], f"The result says that {fact}.", f"{fact}.")


def stocked(c: random.Random) -> Episode:
    """Things in stock: the question has many, the tool takes one; at times by a number that another tool gives."""
    item, many = pick(c, THINGS), c.randrange(1, 3000)
    things = plural(item)
    key = pick(c, ("article", "item", "thing", "product", "name"))
    house = pick(c, ("warehouse", "shop", "shed", "cellar", "storeroom", "depot"))
    about = pick(
        c,
        (
            f"How many of an article the {house} has.",
            f"Pieces of an item in the {house}.",
            f"Count of a product in the {house}.",
        ),
    )
    question = pick(
        c,
        (
            f"How many {things} are in the {house}?",
            f"How many {things} do we still have in the {house}?",
            f"Have we got {things} left in the {house}, and how many?",
            f"Number of {things} in the {house}?",
            f"I need {things}. How many does the {house} have?",
            f"Count the {things} in the {house}.",
        ),
    )
    name = pick(c, (f"{house}_count", f"count_in_{house}", "pieces_left", "on_hand", f"{house}_pieces", "quantity"))
    answer, thought = f"There are {many} {things} in the {house}.", f"The {house} has {many} {things}."
    if c.random() < 0.45:
        spec = ToolSpec(name, about, {"type": "object", "properties": {key: {"type": "string"}}, "required": [key]})
        step = Step(
            f"{capital(things)} are asked about; the {key} is {item}.",
            name,
            {key: item},
            ok(many if c.random() < 0.5 else {key: item, "pieces": many}),
        )
        return done(c, question, [spec], [step], thought, answer)
    code = pick(c, ("sku", "number", "shelf", "code", "bin"))
    ident = source(pick(c, ("code(AA-99)", "code(9999-A)", "code(aa999)", "code(99-999)"))).draw(c, {}).given
    finder = ToolSpec(pick(c, (f"{code}_of", f"get_{code}", f"find_{key}", f"look_up_{code}")), f"The {code} of an {key}." if key[0] in "ai" else f"The {code} of a {key}.",
                      {"type": "object", "properties": {key: {"type": "string"}}, "required": [key]})  # fmt: skip
    spec = ToolSpec(
        name,
        f"{about.rstrip('.')}, by its {code}.",
        {"type": "object", "properties": {code: {"type": "string"}}, "required": [code]},
    )
    tail = pick(
        c,
        (
            "",
            "",
            f" It is listed by {code}.",
            f" Mind that this goes by {code}.",
            f" (by {code})",
        ),
    )
    steps = [
        Step(
            f"{name} needs the {code}, so first the {code} of the {item}.",
            finder.name,
            {key: item},
            ok(ident if c.random() < 0.5 else {code: ident}),
        ),
        Step(
            f"The {code} of the {item} is {ident}. With it {name} gives the count.",
            name,
            {code: ident},
            ok(many if c.random() < 0.5 else {"pieces": many, code: ident}),
        ),
    ]
    return done(c, question + tail, [finder, spec], steps, thought, answer)


TWOS: tuple[tuple[float, Callable[[random.Random], Episode]], ...] = ((3.0, two_given), (1.0, stocked))
"""Each with its share."""
