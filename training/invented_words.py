"""Words for the values of invented tools: names, places, things, sentences.

Owns lists only; `invented_values` takes from them.
"""

from collections.abc import Mapping, Sequence


def _words(text: str) -> list[str]:
    return [word.strip() for line in text.strip().splitlines() for word in line.split(",") if word.strip()]


FIRST = _words(
    """
    Anna, Ben, Chiara, Dmitri, Elif, Farid, Greta, Hiro, Ines, Jonas, Katya, Liam, Mei, Noor, Oskar, Priya, Quentin,
    Rosa, Samir, Tara, Ulla, Viktor, Wanda, Ximena, Yusuf, Zoe, Aisha, Bruno, Carla, Daniel, Esther, Felix, Gita,
    Hannah, Ivan, Julia, Kofi, Lena, Marco, Nadia, Omar, Petra, Ravi, Sofia, Tomas, Uma, Vera, Walter, Yara, Emil,
    Ingrid, Pablo, Nina
    """
)
LAST = _words(
    """
    Kovacs, Brandt, Okafor, Lindgren, Rossi, Nakamura, Haddad, Petrov, Silva, Novak, Jensen, Murphy, Tanaka, Schmidt,
    Costa, Ivanova, Dubois, Meyer, Nguyen, Khan, Larsen, Moreau, Weber, Santos, Eriksen, Fischer, Bianchi, Horvat,
    Popescu, Singh, Mbeki, Vega, Andersen, Keller, Rahman, Walsh, Dvorak, Ferrari, Gupta, Sato, Torres, Yilmaz,
    Baker, Clark, Olsen, Quinn
    """
)
TOWNS = _words(
    """
    Graz, Malmo, Porto, Leeds, Turin, Kyoto, Cusco, Tartu, Ghent, Basel, Bergen, Krakow, Split, Cork, Lagos, Nairobi,
    Hobart, Quebec City, Santa Fe, Aarhus, Bruges, Cadiz, Dresden, Esbjerg, Faro, Galway, Haifa, Izmir, Jaipur,
    Kazan, Lviv, Mombasa, Nantes, Odense, Padua, Quito, Riga, Salzburg, Tampere, Utrecht, Varna, Windhoek, Xiamen,
    Yerevan, Zadar, New Haven, San Sebastian, Trondheim, Uppsala, Vilnius, Winterthur, Zwolle, Brno, Gdansk, Linz,
    Oulu, Perth, Rennes, Savannah, Tromso
    """
)
COUNTRIES = _words(
    """
    Chile, Norway, Japan, Kenya, Portugal, Canada, Vietnam, Iceland, Peru, Morocco, Estonia, Greece, India, Ireland,
    Ghana, New Zealand, South Korea, Sri Lanka, Costa Rica, Austria, Belgium, Croatia, Denmark, Egypt, Finland,
    Hungary, Israel, Jordan, Latvia, Mexico, Nepal, Oman, Poland, Romania, Slovenia, Tunisia, Uruguay, Zambia
    """
)
THINGS = _words(
    """
    desk lamp, garden hose, AA batteries, oak shelf, steel bolts, printer paper, coffee filters, bicycle pump,
    rain jacket, ink cartridge, office chair, water kettle, yoga mat, USB cable, wall clock, paint roller,
    hiking boots, copper wire, safety goggles, dog leash, picture frame, tent pegs, frying pan, wool blanket,
    phone charger, drill bits, salad bowl, travel mug, notebook A5, whiteboard, extension cord, mouse pad,
    candle holder, toolbox, umbrella, sewing kit, blender, camping stove, shower curtain, flour sack, gloves size M,
    cat litter, garden rake, hand soap, door mat, bread knife
    """
)
FOODS = _words(
    """
    lentil soup, apple pie, mushroom risotto, pancakes, goulash, falafel, carrot cake, pad thai, shakshuka,
    potato salad, banana bread, ratatouille, chicken curry, onion tart, miso soup, cheese fondue, rice pudding,
    fish tacos, beef stew, tomato soup, waffles, spinach lasagne, pumpkin gnocchi, borscht, paella, tiramisu, ramen,
    cornbread, kimchi, moussaka
    """
)
INGREDIENTS = _words(
    """
    flour, eggs, milk, butter, rice, tomatoes, onions, garlic, basil, lentils, carrots, ginger, honey, salt, cream,
    yeast, potatoes, cheese, spinach, mushrooms, lemons, olive oil, chickpeas, cumin, apples, oats, walnuts, beans
    """
)
BOOKS = _words(
    """
    The Glass Orchard, Night Ferry, A Map of Rain, The Ninth Door, Salt and Cedar, The Quiet Engine, Paper Moons,
    Dust Roads, The Clockmaker's Son, Winter Bees, The Long Harbour, Seven Keys, Under Blue Hills,
    The Last Lamplighter, Stone Songs, Copper Sky, The Hollow Crown Inn, River of Foxes, Ashes at Noon,
    The Tin Piano, Half a Lighthouse, Letters to Oslo
    """
)
WORDS_OF_A_LANGUAGE = _words(
    """
    happy, brittle, murmur, candid, abundant, frugal, swift, gloomy, obscure, lucid, timid, vast, eager, calm,
    fierce, humble, weary, vivid, scarce, clumsy, gentle, ancient, hollow, stubborn, sincere, fragile, bold, quarrel,
    wander, gather, meadow
    """
)
GERMAN = _words(
    """
    Brot, Fenster, Wolke, Schrank, Apfel, Brücke, Zug, Garten, Löffel, Himmel, Schlüssel, Bahnhof, Regen, Straße,
    Vogel
    """
)
PLANTS = _words(
    """
    basil, monstera, lavender, aloe vera, rosemary, orchid, peace lily, snake plant, tomato, fern, jade plant,
    bonsai, mint, cactus, hydrangea, sunflower, oleander, lemon tree, ivy, begonia, bamboo palm, thyme, strawberry,
    azalea
    """
)
ELEMENTS = _words(
    """
    helium, lithium, carbon, neon, sodium, iron, copper, zinc, silver, tin, iodine, xenon, gold, lead, radon,
    uranium, argon, calcium, nickel, cobalt, krypton, platinum, mercury, sulfur, silicon, boron, titanium
    """
)
DRUGS = _words(
    """
    Nerovil, Calmexa, Dorvatin, Pulmera, Zanofex, Tevarol, Oxilane, Bridacol, Sonapret, Vastigen, Lumetrin, Hexadorm
    """
)
COMPANIES = _words(
    """
    Northwind Foods, Alpha Freight, Bluebird Media, Cobalt Labs, Dune Textiles, Evergreen Tools, Foxglove Pharma,
    Granite Bank, Harbor Logistics, Iris Optics, Juniper Travel, Kestrel Air, Lumen Energy, Maple Homes,
    Nimbus Cloud, Orchard Toys
    """
)
TEAMS = _words(
    """
    Rovers, Lakeside United, Red Hawks, Dynamo North, Harbour City, Blue Foxes, Valley Rangers, Iron Wolves,
    Coastal Stars, Mountain Bears, River Kings, Old Town FC, Royal Falcons, Storm Eleven
    """
)
FILMS = _words(
    """
    Moonlit Harbour, The Paper Spy, Seven Winters, Orbit Nine, A Cat in Tokyo, The Silent Orchard, Dust and Diamonds,
    Level 13, The Baker's Secret, Northern Light, Red Umbrella, Echo Valley, The Last Tram, Ghost Notes, Tiny Giants
    """
)
CHORES = _words(
    """
    buy milk, call the plumber, renew passport, water the plants, pay the rent, book a dentist, clean the garage,
    fix the bike, send the invoice, pick up Lena from school, order new glasses, back up the laptop,
    return the library books, walk the dog, prepare slides for Monday, empty the dishwasher, write to the landlord,
    change the tyres, check the smoke alarm, mail the tax form, sort old photos, buy 3 lightbulbs, cancel the gym,
    iron the shirts, renew the domain
    """
)
MESSAGES = [
    "I'll be ten minutes late",
    "The keys are under the mat",
    "Meeting moved to room 4",
    "Happy birthday!",
    "Please bring the red folder",
    "Dinner is at seven",
    "The printer is fixed",
    "Thanks for your help",
    "Call me when you land",
    "Server 3 is back up",
    "The package has arrived",
    "See you at the station",
    "Lunch is on me today",
    "Don't forget the tickets",
    "The draft is ready for review",
    "Gate changed to B12",
]
SENTENCES = [
    "the quick brown fox",
    "never odd or even",
    "Rain falls softly on tin roofs",
    "stressed desserts",
    "hello world",
    "All that glitters is not gold",
    "a stitch in time saves nine",
    "Loops are patient",
    "drawn onward",
    "open sesame",
    "Green ideas sleep furiously",
    "two plus two",
    "Lorem ipsum dolor sit amet",
    "pack my box",
    "silence is golden",
    "Every cloud has a silver lining",
    "early bird",
    "good morning Berlin",
    "to be or not to be",
    "coffee first",
    "blue whales sing",
    "The cat sat on the mat",
    "error 404 page not found",
    "level up",
    "sunny side up",
    "one small step for a man",
    "tea at four",
    "Kites fly high",
    "slow and steady",
    "the answer is 42",
]
ROOMS = _words(
    """
    kitchen, living room, bedroom, hallway, garage, bathroom, office, attic, cellar, nursery, dining room, porch,
    study
    """
)
DOMAINS = _words(
    """
    example.com, mailbox.org, acme.io, post.net, lumen.co, fastmail.example, corp.example, uni.edu
    """
)
SITES = _words(
    """
    example.com, acme.io, shop.lumen.co, wiki.corp.example, docs.orchard.dev, blog.kestrel.air, post.net
    """
)
SERVERS = _words(
    """
    web-01, web-02, db-main, db-replica, cache-3, mail-gw, build-7, api-eu, api-us, proxy-2, files-9, queue-1
    """
)
LANGUAGES = _words(
    """
    Spanish, French, Finnish, Polish, Turkish, Korean, Italian, Dutch, Greek, Hindi, Swahili, Welsh
    """
)
MUSEUMS = _words(
    """
    City Museum, Harbour Aquarium, Old Mint, Botanical Garden, Railway Museum, Rose Library, Central Pool,
    Hill Observatory, Market Hall, Glass Pavilion, Puppet Theatre, North Gallery, Toy Museum, Castle Café
    """
)
TRASH = _words(
    """
    pizza box, light bulb, yoghurt cup, tea bags, broken mirror, spray can, old paint, batteries, milk carton,
    cat litter, egg shells, wine bottle, styrofoam, coffee capsules, toothbrush, frying pan, newspaper, CDs
    """
)
STREETS = _words(
    """
    Mill Lane, Station Road, Park Avenue, Elm Street, Harbour Street, Church Square, Castle Hill, River Walk,
    Oak Close, Market Street, Garden Row, Bridge Street, King Street, School Lane
    """
)
ANIMALS = _words(
    """
    badger, otter, emu, red panda, axolotl, gecko, puffin, ibex, lynx, manatee, narwhal, okapi, tapir, wombat,
    hedgehog, koala
    """
)
SUBJECTS = _words(
    """
    algebra, biology, Roman history, drawing, chemistry, geography, music theory, physics, Latin, economics
    """
)
PORTS = _words(
    """
    Port Ellen, Saint-Malo, Whitby, Dover, Cuxhaven, Halifax, Bristol, Calais, Esbjerg Harbour, Brest, Lowestoft,
    Darwin
    """
)
HOTELS = _words(
    """
    Hotel Aurora, The Anchor Inn, Pension Lotte, Grand Plaza, Casa Verde, Sea View Lodge, Station Hotel, Zum Adler
    """
)
STOCKS = _words(
    """
    NWFD, ALFR, BLBD, CBLT, DUNE, EVGT, FXGL, GRBK, HRBL, IRSO, JNPR, KSTL, LUMN, MPLH
    """
)
CURRENCIES = _words(
    """
    EUR, USD, GBP, SEK, CHF, PLN, NOK, CZK, JPY, CAD
    """
)
CARS = _words(
    """
    Fiat Panda, VW Golf, Volvo V60, Skoda Octavia, Toyota Yaris, Kia Niro, Mazda 3, Renault Zoe, Dacia Duster
    """
)
GENRES = _words(
    """
    jazz, folk, techno, blues, opera, reggae, ambient, metal, soul, bossa nova
    """
)

FOREIGN = [
    "Dove si trova la stazione",
    "Wo ist der Bahnhof",
    "Merci beaucoup",
    "Hasta la vista",
    "Tack så mycket",
    "Dobrý den",
    "Het regent vandaag",
    "Hyvää huomenta",
    "Gracias por todo",
    "Obrigado pela ajuda",
    "Teşekkür ederim",
    "Dzień dobry",
    "Ich habe Hunger",
    "Quelle heure est-il",
    "Buongiorno a tutti",
    "Kde je nádraží",
    "Jag är trött",
    "Vi ses i morgen",
]
REVIEWS = [
    "The soup was cold",
    "Best holiday ever",
    "Never again",
    "It does what it should",
    "Friendly staff but noisy rooms",
    "I waited two hours",
    "Worth every cent",
    "The handle broke after a week",
    "Lovely view from the balcony",
    "Too salty",
    "My kids adore it",
    "Not bad for the price",
    "The manual is useless",
    "Fast delivery",
    "I expected more",
]
URLS = [
    "https://example.com/spring/offers?id=44",
    "https://acme.io/docs/setup",
    "https://shop.lumen.co/cart/view/9912",
    "https://wiki.corp.example/pages/tea-kitchen",
    "http://post.net/archive/2019/08",
    "https://blog.kestrel.air/a-new-route",
    "https://docs.orchard.dev/guide/install.html",
    "https://example.org/a/b/c/d.pdf",
    "https://maps.example/place/7f3a",
]

COLOURS = _words("blue, red, green, white, black, yellow, grey, brown, orange, purple, silver, pink")
SIZES = _words("XL, 40 cm, no 7, mini, 2 m, size S, 500 ml, set of 4")

WORDS: Mapping[str, Sequence[str]] = {
    "first": FIRST,
    "last": LAST,
    "town": TOWNS,
    "country": COUNTRIES,
    "thing": THINGS,
    "food": FOODS,
    "book": BOOKS,
    "ingredient": INGREDIENTS,
    "word": WORDS_OF_A_LANGUAGE,
    "german": GERMAN,
    "plant": PLANTS,
    "element": ELEMENTS,
    "drug": DRUGS,
    "company": COMPANIES,
    "team": TEAMS,
    "film": FILMS,
    "chore": CHORES,
    "message": MESSAGES,
    "sentence": SENTENCES,
    "room": ROOMS,
    "domain": DOMAINS,
    "site": SITES,
    "server": SERVERS,
    "language": LANGUAGES,
    "museum": MUSEUMS,
    "trash": TRASH,
    "street": STREETS,
    "animal": ANIMALS,
    "subject": SUBJECTS,
    "port": PORTS,
    "hotel": HOTELS,
    "stock": STOCKS,
    "currency": CURRENCIES,
    "car": CARS,
    "genre": GENRES,
    "foreign": FOREIGN,
    "review": REVIEWS,
    "url": URLS,
    "colour": COLOURS,
    "size": SIZES,
}

MADE: Sequence[Sequence[str]] = (
    _words("""
    Vel, Tar, Mor, Kes, Lun, Bra, Dor, Fen, Gal, Hal, Jor, Kir, Lom, Nar, Ost, Pel, Quen, Rav, Sil, Tor, Ulm, Wex, Yar
    """),
    ["a", "e", "i", "o", "u", "an", "el", "ir", "or"],
    _words("dale, mora, nik, ster, ville, vik, ra, ton, lin, gard, sund, bury, stad, nova, field, ica, mere, bach"),
)
"""Beginnings, middles and ends of names that no list holds."""

MIXES: Mapping[str, Sequence[str]] = {
    "last": ["{made}", "{made}"],
    "town": ["{made}", "{made}", "New {made}", "Port {made}", "{made} Bay"],
    "thing": ["{colour} {thing}", "{thing} {size}", "{made} {thing}"],
    "food": ["{made} stew", "{ingredient} curry", "{ingredient} soup", "{made} cake", "{ingredient} salad"],
    "book": ["The {made} Papers", "{made}", "A Night in {made}", "The Road to {town}", "{first} and the {animal}"],
    "film": ["Return to {made}", "{made}", "The {animal} of {town}", "{first} Forever", "{made} Rising"],
    "plant": ["{made} fern", "{colour} {plant}", "{made} rose"],
    "drug": ["{made}", "{made} forte"],
    "company": ["{made} Labs", "{made} & {made}", "{last} Motors", "{made} Foods", "{town} Steel"],
    "team": ["{town} {animal}s", "{made} United", "{made} Rovers", "{town} City"],
    "museum": ["{made} Museum", "{town} Gallery", "Museum of {made}", "Villa {made}"],
    "street": ["{made} Street", "{last} Road", "{made} Lane", "{first} Square"],
    "port": ["Port {made}", "{made} Harbour", "{made}"],
    "hotel": ["Hotel {made}", "{made} Lodge", "The {animal} Inn", "Villa {first}"],
    "server": ["{made}-01", "node-{made}", "{first}-pc"],
    "chore": [
        "buy {colour} {thing}",
        "call {first} {made}",
        "repair the {thing}",
        "cook {food}",
        "ask {first} about {thing}",
    ],
    "message": [
        "See you in {made}",
        "I have found the {thing}",
        "{first} is waiting for you",
        "We need more {ingredient}",
    ],
    "sentence": [
        "{word} {animal} in {town}",
        "{first} likes {food}",
        "{colour} {thing} for {first}",
        "{word} and {word}",
    ],
    "review": ["The {food} was {word}", "{word} staff", "I lost my {thing} there", "{made} was better"],
    "trash": ["{colour} {thing}", "old {thing}"],
    "animal": ["{made} fox", "{made} owl"],
}
"""Other values that a list of words may give: `{made}` is a made-up name, the rest are lists."""
