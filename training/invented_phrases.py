"""Turns of phrase for episodes with invented tools: how people ask, how a thought goes, how an answer is told.

Owns words only; which of them is used where stands in `invented`.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Pairs = Sequence[tuple[str, str]]

# Questions. {need} is a noun such as "the price of the desk lamp", for an act "set a timer for 5 minutes".

ONE = (
    "What is {need}?",
    "Is there a way to see {need}?",
    "What would {need} be?",
    "Please let me know {need}.",
    "I'm looking for {need}.",
    "I want to know {need}.",
    "Could you look up {need}, please?",
    "Get me {need}.",
    "Can you give me {need}?",
    "Check {need}.",
    "It would be nice to know {need}.",
    "My colleague wants to know {need}.",
    "For tomorrow I need {need}.",
    "Have you got {need}?",
    "Show me {need}.",
    "Hm, what was {need} again?",
    "need {need}",
    "{need} please",
    "{need}",
    "Could you tell me {need}?",
    "I need {need}.",
    "I'd like to know {need}.",
    "Tell me {need}.",
    "Give me {need}, please.",
    "Find out {need}.",
    "{Need}?",
    "Can you check {need} for me?",
    "Look up {need}.",
    "Do you know {need}?",
    "I was wondering about {need}.",
    "Please find {need}.",
    "I have to know {need} before noon.",
    "What's {need}?",
    "Somebody asked me for {need}.",
    "Would you mind checking {need}?",
    "Quickly: {need}?",
    "I forgot {need}. Can you help?",
    "We are missing {need}.",
    "Let me have {need}.",
    "Any idea what {need} is?",
)
MANY = (
    "What are {need}?",
    "Please let me know {need}.",
    "I'm looking for {need}.",
    "I want to know {need}.",
    "Get me {need}.",
    "Check {need}.",
    "Have you got {need}?",
    "{need} please",
    "Could you tell me {need}?",
    "I need {need}.",
    "I'd like to know {need}.",
    "Tell me {need}.",
    "Give me {need}, please.",
    "Find {need}.",
    "Can you look up {need} for me?",
    "Please list {need}.",
    "{Need}?",
    "Show me {need}.",
    "Somebody asked me for {need}.",
    "Would you look for {need}?",
    "I am after {need}.",
)
DO = (
    "Please {need}.",
    "{need}",
    "{need} pls",
    "I need you to {need}.",
    "It would be great if you could {need}.",
    "Time to {need}!",
    "Let's {need}.",
    "Can you {need}?",
    "{Need}.",
    "I want you to {need}.",
    "Would you {need} for me?",
    "{Need}, please.",
    "Could you please {need}?",
    "I'd like you to {need}.",
    "Be so kind and {need}.",
    "You should {need}.",
    "Now {need}.",
)
BOTH = (
    "Tell me {first} and {second}.",
    "What is {first}, and what is {second}?",
    "I need two things: {first} and {second}.",
    "{first}, and also {second}?",
    "Please check {first} and {second}.",
    "Find out {first}. Then find out {second}.",
    "Give me {first} as well as {second}.",
    "I'd like to know {first}, and {second} too.",
    "Look up {first} and {second}.",
    "Could you check both {first} and {second}?",
    "For my list: {first}, {second}.",
)
DO_BOTH = (
    "Please {first} and {second}.",
    "Can you {first} and then {second}?",
    "First {first}, then {second}.",
    "I want you to {first}. Then {second}.",
    "{first}, and {second} too.",
    "Two things: {first}, and {second}.",
)
MIXED = (
    "Tell me {first}, and {second}.",
    "Look up {first}. Then {second}.",
    "Find out {first} and then {second}, please.",
    "I need {first}. Also, {second}.",
    "Check {first}, and after that {second}.",
)
WHICH = (
    "Which is {word}: {first} or {second}?",
    "Compare {first} with {second}. Which is {word}?",
    "Is {first} or {second} {word}?",
    "{first} or {second}, which one is {word}?",
    "I want to know what is {word}, {first} or {second}.",
)
IS_IT = (
    "Is {need} {than} {limit}?",
    "Can you check whether {need} is {than} {limit}?",
    "I hope {need} is {than} {limit}. Is it?",
    "Tell me if {need} is {than} {limit}.",
    "Would you say that {need} is {than} {limit}?",
    "I need to know whether {need} is {than} {limit}.",
    "They say {need} is {than} {limit}. Is that right?",
    "is {need} {than} {limit}",
)
ONLY_IF = (
    "If {need} is {than} {limit}, {do}.",
    "Check {need}. If it is {than} {limit}, {do}.",
    "Please {do} if {need} is {than} {limit}.",
    "Look up {need}, and if it is {than} {limit}, {do}.",
    "When {need} is {than} {limit}, {do}; otherwise do nothing.",
    "Only if {need} is {than} {limit}: {do}.",
)
ASIDE = (
    "Yesterday I asked for {need}.",
    "I already have {need}.",
    "Never mind {need}.",
    "Somebody else looks for {need}.",
    "Forget {need} for now.",
)
BEFORE = (
    "Quick question.",
    "Hi there!",
    "Good morning.",
    "I'm in a hurry.",
    "My boss is asking.",
    "Hello,",
    "Hey,",
    "One more thing:",
    "I'm filling in a form.",
    "Sorry to bother you.",
    "I am on the phone with a customer.",
    "For the report:",
    "It's for a friend.",
    "I've been looking everywhere.",
    "We're about to leave.",
    "Ok,",
    "So,",
)
BEHIND = (
    "Thanks!",
    "Thank you.",
    "It's urgent.",
    "Please be quick.",
    "That would help me a lot.",
    "Cheers",
    "Many thanks in advance.",
    "A short answer is enough.",
    "I can't find it myself.",
)

# Thoughts before a call.

THINK = (
    "I need {need}; {tool} gives it.",
    "{tool} can tell me {need}.",
    "To answer this I have to look up {need}.",
    "The question is about {need}, so I call {tool}.",
    "I do not know {need} yet; {tool} does.",
    "Let me check {need} with {tool}.",
    "What is missing is {need}. I use {tool}.",
    "I should use {tool} to get {need}.",
    "{tool} is the tool for {need}.",
    "I look up {need} with {tool}.",
    "Wanted: {need}. That is what {tool} returns.",
    "For {need} there is {tool}.",
    "I cannot know {need} by myself, so I ask {tool}.",
    "The user wants {need}.",
    "Of these tools, {tool} fits: it gives {need}.",
)
THINK_TO_DO = (
    "I have to {need}; {tool} does that.",
    "{tool} lets me {need}.",
    "The user wants me to {need}, so I call {tool}.",
    "To {need} I use {tool}.",
    "I {need} with {tool}.",
    "{tool} is the right tool to {need}.",
    "I should {need} now.",
)
FIRST_OF_TWO = (
    "First {first}, with {tool}.",
    "Two things are asked; I begin with this one: {first}.",
    "I start with {first}: {tool}.",
    "There are two parts. First {first}.",
    "First of two: {first}. I call {tool}.",
)
SECOND_OF_TWO = (
    "{told}. Next {second}, with {tool}.",
    "The first is known: {told}. Now {second}.",
    "Now {second}: {tool}.",
    "One part is done. Still open: {second}.",
    "{told}. Now the other: {second}.",
)
FIRST_CHECK = (
    "Before anything else I check {need} with {tool}.",
    "It depends on {need}; {tool} gives it.",
    "First I need {need}, then I can decide.",
    "The condition is about {need}, so I call {tool}.",
)
SO_DO = (
    "{x} is {than} {limit}, so I {do}.",
    "The condition holds: {x} is {than} {limit}. I use {tool}.",
    "{need} is {x}, {than} {limit}; now I {do}.",
    "Since {x} is {than} {limit}, I have to {do}.",
)
FIND_ID = (
    "I need {need} first; {tool} gives it.",
    "Only the name is given, so first {need} with {tool}.",
    "For {later} I first need {need}.",
    "{tool} finds {need}; with it I can go on.",
)
FIND_ID_TO_DO = (
    "To {later} I first need {need}.",
    "Only the name is given, so first {need} with {tool}.",
    "I need {need} first; {tool} gives it.",
)
USE_ID_TO_DO = (
    "{fact}, so I call {tool} with {id}.",
    "{fact}. With it I can {need}.",
    "Now I have {id} and {need} with {tool}.",
)
FIRST_STEP = (
    "I need {need} first; {tool} gives it.",
    "For {later} I first need {need}.",
    "This takes two steps. First {need}, with {tool}.",
    "Before I can tell {later}, {tool} has to give {need}.",
)
USE_ID = (
    "{fact}. With it {tool} gives {need}.",
    "{fact}, so I call {tool} with {id}.",
    "Now I have {id} and look up {need}.",
    "{id} is what {tool} needs for {need}.",
)
GO_ON = (
    "{fact}. Now I need {need}.",
    "{fact}. With that {tool} gives {need}.",
    "The first step is done: {fact}. Next {need}.",
    "{fact}, so I call {tool} for {need}.",
)
TRY_AGAIN = (
    "{wrong} is not known; it should be {right}. I try again.",
    "The right spelling is {right}, so I call {tool} with that.",
    "{right} is meant, not {wrong}.",
    "The tool suggests {right}; I ask again with it.",
)

# Thoughts after a call, and answers.

KNOWN = (
    "The result says that {fact}.",
    "{tool} reports that {fact}.",
    "Now I know that {fact}.",
    "It came back: {fact}.",
    "I have what I need: {fact}.",
    "According to {tool}, {fact}.",
    "{fact}, so I can answer.",
    "The answer is there: {fact}.",
    "The observation tells me that {fact}.",
    "{fact}. That is all that was asked.",
)
TOLD = ("{fact}.",) * 9 + ("I checked: {fact}.", "Here it is: {fact}.")
BOTH_KNOWN = (
    "Both are known: {first}, and {second}.",
    "{first}, and {second}.",
    "I have both now: {first}; {second}.",
    "Nothing is missing: {first}, {second}.",
)
BOTH_TOLD = ("{first}, and {second}.", "{first}; {second}.", "{first}, while {second}.", "{first}. Also, {second}.")
COMPARED = (
    "{x} is {than} {y}, so {best} is {word}.",
    "I compare {x} with {y}: {best} is {word}.",
    "{best} is {x}, {other} is {y}; {x} is {word}.",
)
WINNER = (
    "{best} is {word}: {x} against {y}.",
    "{best} is {word}, {x} compared with {y} for {other}.",
    "{best} ({x}) is {word} than {other} ({y}).",
)
IT_IS: Pairs = (
    ("{x} is {than} {limit}, so yes.", "Yes, {need} is {x}, which is {than} {limit}."),
    ("The result is {x}. That is {than} {limit}.", "Yes, {need} is {x}, and that is {than} {limit}."),
    ("I compare {x} with {limit}: it is {than} {limit}.", "Yes: {need} is {x}."),
    ("{need} is {x}, {than} {limit}.", "Yes, with {x}, {need} is {than} {limit}."),
)
IT_IS_NOT: Pairs = (
    ("{x} is not {than} {limit}, so no.", "No, {need} is {x}, which is not {than} {limit}."),
    ("The result is {x}. That is not {than} {limit}.", "No, {need} is {x}, and that is not {than} {limit}."),
    ("I compare {x} with {limit}: it is not {than} {limit}.", "No: {need} is {x}."),
    ("{need} is {x}, not {than} {limit}.", "No, with {x}, {need} is not {than} {limit}."),
)
DONE: Pairs = (
    ("It is done: {fact}.", "{need} is {x}, so I did it: {fact}."),
    ("The condition held and {fact}.", "{need} is {x}, {than} {limit}, so {fact}."),
    ("Both steps are done; {fact}.", "Because {need} is {x}, I did as asked: {fact}."),
)
NOT_DONE: Pairs = (
    ("{x} is not {than} {limit}, so nothing is to be done.", "{need} is {x}, not {than} {limit}, so I did nothing."),
    ("The condition does not hold: {x} is not {than} {limit}.", "I did nothing, because {need} is {x}."),
    (
        "{x} is not {than} {limit}; I do not have to {do}.",
        "{need} is {x}, which is not {than} {limit}. Nothing was done.",
    ),
)

# Failures.

HALF: Pairs = (
    ("{fact}, but the second call failed.", "{fact}, but I could not get {need}: {because}."),
    ("One part is known: {fact}. The other failed.", "{fact}. I do not know {need}, because {because}."),
    ("Only the first call worked; {because}.", "{fact}; the look-up of {need} failed: {because}."),
)

NOT_FOUND = (
    "{what} does not exist",
    "no such {noun}",
    "nothing found for {what}",
    "no result: {what}",
    "no match for {what}",
    "0 results for {what}",
    "no entry for {what}",
    "{noun} not found",
)
LOST: Pairs = (
    ("{what} was not found, and I must not guess.", "I could not find {what}."),
    ("Nothing was found for {what}.", "There is nothing to be found for {what}."),
    ("The tool does not know {what}.", "Sorry, {what} was not found."),
    ("There is no result for {what}, so I say so.", "I could not find {what}, so I cannot tell {need}."),
    ("{what} is not known.", "I cannot tell you {need}: {what} was not found."),
)
LOST_TO_DO: Pairs = (
    ("{what} was not found, so nothing was done.", "I could not {need}, because {what} was not found."),
    ("The tool does not know {what}.", "Sorry, {what} was not found, so I did not {need}."),
    ("Nothing was found for {what}.", "I could not {need}: {what} was not found."),
)
CAUSES: Pairs = (
    ("TimeoutError: no answer within 10 seconds", "there was no answer within 10 seconds"),
    ("TimeoutError: timed out", "the service timed out"),
    ("NetworkError: no answer: the network cannot be reached", "the network cannot be reached"),
    ("ConnectionError: connection refused", "the connection was refused"),
    ("PermissionError: access denied", "access was denied"),
    ("HTTPError: 503 Service Unavailable", "the service is unavailable (503)"),
    ("HTTPError: 500 Internal Server Error", "the server failed (500)"),
    ("HTTPError: 401 Unauthorized", "access is not authorized (401)"),
    ("RateLimited: too many requests", "there were too many requests"),
    ("DatabaseError: database is locked", "the database is locked"),
    ("RuntimeError: service is down for maintenance", "the service is down for maintenance"),
    ("ToolError: backend offline", "the backend is offline"),
    ("KeyError: 'token'", "the tool failed with a KeyError"),
    ("ServerError: internal failure", "the server had an internal failure"),
)
FAILED: Pairs = (
    ("The tool failed: {because}.", "I could not get {need}: {because}."),
    ("{tool} gave an error, {because}.", "Sorry, I cannot tell {need} because {because}."),
    ("There is no result, {because}. I must not guess.", "I do not know {need}, because {because}."),
    ("The call failed since {because}.", "The look-up of {need} failed: {because}."),
)
FAILED_TO_DO: Pairs = (
    ("The tool failed: {because}.", "I could not {need}: {because}."),
    ("{tool} gave an error, {because}.", "Sorry, I was not able to {need}, because {because}."),
    ("It was not done, {because}.", "I tried to {need}, but {because}."),
)
DID_YOU_MEAN = (
    "{wrong} is not known; did you mean {right}?",
    "no {noun} '{wrong}'. Closest: '{right}'",
    "'{wrong}' not found, did you mean '{right}'?",
    "unknown {noun} {wrong}; similar: {right}",
)
NO_TOOL: Pairs = (
    ("None of the tools gives {need}.", "I have no tool for that, so I cannot tell {need}."),
    ("No tool here fits; I must not guess {need}.", "I have no tool that gives {need}."),
    ("The tools do other things; none gives {need}.", "Sorry, I have no tool to look up {need}."),
    ("I would need a tool for {need}, but there is none.", "I cannot find out {need}: I have no tool for that."),
)
NO_TOOL_TO_DO: Pairs = (
    ("None of the tools can {need}.", "I have no tool for that, so I cannot {need}."),
    ("No tool here lets me {need}.", "Sorry, I have no tool to {need}."),
    ("I would need another tool to {need}.", "I cannot {need}: I have no tool for that."),
)

# Without tools.

NONE_NEEDED = (
    "No tool is needed for this.",
    "I can answer this without a tool.",
    "This needs no look-up.",
    "None of the tools is needed; I know this.",
    "That is something I can say right away.",
)
SMALL_FRAMES = ("{}",) * 5 + (
    "Hi! {}",
    "Quick question. {}",
    "{} Thanks!",
    "Just for fun: {}",
    "{} Please answer briefly.",
)
WITHOUT_TOOLS: Pairs = (
    ("Hello!", "Hello! How can I help you?"),
    ("Thank you very much.", "You are welcome."),
    ("How are you?", "I am fine, thank you."),
    ("Good night.", "Good night!"),
    ("What colour is grass?", "Grass is green."),
    ("How many days has a week?", "A week has seven days."),
    ("What is the opposite of hot?", "The opposite of hot is cold."),
    ("Say hello in French.", "Hello in French is bonjour."),
    ("How many legs does a spider have?", "A spider has eight legs."),
    ("Which month comes after May?", "June comes after May."),
    ("What do bees make?", "Bees make honey."),
    ("What is the capital of France?", "The capital of France is Paris."),
    ("How many months are in a year?", "A year has twelve months."),
    ("What is ice made of?", "Ice is made of water."),
    ("Which animal barks?", "A dog barks."),
    ("What is the first letter of the alphabet?", "The first letter of the alphabet is A."),
    ("Which day comes after Monday?", "Tuesday comes after Monday."),
    ("How many sides has a triangle?", "A triangle has three sides."),
    ("Is fire hot or cold?", "Fire is hot."),
    ("What colour is snow?", "Snow is white."),
    ("Goodbye!", "Goodbye!"),
    ("What is two plus two?", "Two plus two is four."),
    ("Do fish live in water?", "Yes, fish live in water."),
    ("What is the plural of mouse?", "The plural of mouse is mice."),
    ("What is the past tense of go?", "The past tense of go is went."),
    ("How many hours has a day?", "A day has 24 hours."),
    ("How many minutes are in an hour?", "An hour has 60 minutes."),
    ("Which season comes after winter?", "Spring comes after winter."),
    ("What do you call a baby cat?", "A baby cat is called a kitten."),
    ("What do cows drink?", "Cows drink water."),
    ("Where does the sun rise?", "The sun rises in the east."),
    ("What is the largest ocean?", "The largest ocean is the Pacific Ocean."),
    ("Name a fruit that is yellow.", "A banana is yellow."),
    ("How many wheels has a bicycle?", "A bicycle has two wheels."),
    ("Name three colours.", "Red, green and blue."),
    ("What is the capital of Italy?", "The capital of Italy is Rome."),
    ("What is the capital of Japan?", "The capital of Japan is Tokyo."),
    ("Who are you?", "I am an assistant that answers questions, with tools where they are needed."),
    ("What can you do?", "I answer questions, and I use the tools that I am given."),
    ("Is ten more than nine?", "Yes, ten is more than nine."),
    ("Which planet do we live on?", "We live on the planet Earth."),
    ("What do you use an umbrella for?", "An umbrella keeps off the rain."),
    ("Tell me a short joke.", "Why did the bicycle fall over? It was two tired."),
    ("Sorry, wrong window.", "No problem."),
    ("What is a synonym of big?", "A synonym of big is large."),
    ("What is water made of?", "Water is made of hydrogen and oxygen."),
    ("How do you spell the number 8?", "The number 8 is spelt eight."),
    ("What rhymes with cat?", "Hat rhymes with cat."),
    ("Which is bigger, an elephant or a mouse?", "An elephant is bigger than a mouse."),
    ("Great, that helped!", "I am glad that it helped."),
)

# Tools.

PREFIXES = ("api_", "svc_", "my_", "do_", "tool_", "app__", "office__", "home_", "x_", "crm_", "hub-")
OPAQUE = (
    "tool_{number}",
    "fn_{letter}",
    "zorvex{number}",
    "q{number}",
    "helper_{letter}{number}",
    "Blip{number}",
    "op{number}{letter}",
    "run_{letter}",
    "kestrel{number}",
    "f{number}",
)
SIBLINGS = (
    ("list", ("List the ids of every {noun}.", "All {noun} ids."), False, "read"),
    ("count_all", ("Count every {noun} there is.", "How many {noun} records are stored."), False, "read"),
    ("delete", ("Delete {a}.", "Remove one {noun} for good."), True, "delete"),
    ("archive", ("Archive {a}.", "Move {a} to the archive."), True, "write"),
    ("create", ("Create an empty {noun} record.", "Make a new {noun} with this id."), True, "write"),
    ("rename", ("Give {a} a new id.", "Rename {a}."), True, "write"),
    ("export", ("Export every {noun} to a file.", "Write all records of type {noun} to a CSV file."), False, "write"),
    ("print", ("Print a label for {a}.", "Send the page of {a} to the printer."), True, "execute"),
    ("share", ("Share {a} with the team.", "Give others access to {a}."), True, "send"),
    ("import", ("Import {noun} records from a file.", "Load {noun} data from the last upload."), False, "write"),
    ("lock", ("Lock {a} against changes.", "Protect one {noun}."), True, "write"),
    ("subscribe_to", ("Get notified when {a} changes.", "Subscribe to news about {a}."), True, "write"),
)
VERBS = ("lookup", "query", "fetch", "check", "get", "read", "show", "find", "info_on", "ask_about")
NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
UNASKED: Mapping[str, Any] = {
    "verbose": {"type": "boolean"},
    "lang": {"type": "string"},
    "format": {"type": "string", "enum": ["json", "text"]},
    "timeout": {"type": "integer"},
    "page": {"type": "integer"},
    "include_history": {"type": "boolean"},
    "fields": {"type": "array", "items": {"type": "string"}},
    "use_cache": {"type": "boolean"},
    "region": {"type": "string"},
    "precision": {"type": "number"},
}
"""Parameters that any tool may have and that may always be left out."""
THIRD_PERSON = {
    "Get": "Gets",
    "Find": "Finds",
    "Look": "Looks",
    "Check": "Checks",
    "Count": "Counts",
    "List": "Lists",
    "Read": "Reads",
    "Set": "Sets",
    "Return": "Returns",
    "Send": "Sends",
    "Add": "Adds",
    "Create": "Creates",
    "Calculate": "Calculates",
    "Convert": "Converts",
    "Book": "Books",
    "Search": "Searches",
    "Start": "Starts",
    "Write": "Writes",
    "Put": "Puts",
    "Make": "Makes",
    "Mark": "Marks",
    "Order": "Orders",
    "Tell": "Tells",
    "Estimate": "Estimates",
}
"""How a description's first verb is written at times."""
EXTRAS: Sequence[tuple[str, Callable[[random.Random], Any]]] = (
    ("source", lambda chance: chance.choice(["cache", "live", "db", "manual"])),
    ("cached", lambda chance: chance.random() < 0.5),
    ("version", lambda chance: chance.randint(1, 9)),
    ("request_id", lambda chance: f"{chance.randrange(16**6):06x}"),
    ("took_ms", lambda chance: chance.randint(2, 900)),
    ("updated", lambda chance: f"{chance.randint(2019, 2026)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"),
    ("ok", lambda _: True),
    ("verified", lambda chance: chance.random() < 0.5),
    ("page", lambda _: 1),
)
