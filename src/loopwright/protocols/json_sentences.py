"""What a model is told of the JSON form of a reply, by language. Data only; the form itself is `json_form`."""

from msgspec import Struct


class Sentences(Struct, frozen=True):
    """The sentences of one language. The names of fields stay English in all of them."""

    step: str
    """The form of a step with an action."""
    last: str
    """The form of the last step."""
    either: str
    """Stands before the two forms of a reply; behind a reminder."""
    both: str
    """Why a reply that has both cannot be used."""


ENGLISH = Sentences(
    step=(
        'Write every step as one JSON object and nothing else. Its "thought" says what you know, what is missing, and '
        'what to do next. Its "step" holds "action", the name of one tool, and "action_input", an object with its '
        "arguments; those that are not needed are null.\n"
        "\n"
        "Then stop. The next message brings the result, after the label Observation. Rely only on what observations "
        "say, and never invent a result."
    ),
    last=(
        'When you know enough, or when it cannot be found out, the "step" holds "final_answer" alone: the whole '
        "answer, for the person who asked; nothing else that you wrote is shown."
    ),
    either="Write one of these:",
    both='it has both "action" and "final_answer". Give one of them.',
)
GERMAN = Sentences(
    step=(
        'Schreibe jeden Schritt als genau ein JSON-Objekt und sonst nichts. Sein "thought" sagt, was du weißt, was '
        'fehlt und was als Nächstes zu tun ist. Sein "step" enthält "action", den Namen eines Werkzeugs, und '
        '"action_input", ein Objekt mit dessen Argumenten; nicht benötigte sind null.\n'
        "\n"
        "Dann höre auf. Die nächste Nachricht bringt das Ergebnis. Verlass dich nur auf solche Ergebnisse und erfinde "
        "nie eines."
    ),
    last=(
        'Wenn du genug weißt oder es sich nicht herausfinden lässt, enthält "step" nur "final_answer": die ganze '
        "Antwort für die Person, die gefragt hat; nichts anderes, was du geschrieben hast, wird gezeigt."
    ),
    either="Schreibe eines von beiden:",
    both='sie enthält sowohl "action" als auch "final_answer". Gib nur eines davon an.',
)
FRENCH = Sentences(
    step=(
        "Écris chaque étape sous forme d'un seul objet JSON et rien d'autre. Son \"thought\" dit ce que tu sais, ce "
        'qui manque et ce qu\'il faut faire ensuite. Son "step" contient "action", le nom d\'un outil, et '
        '"action_input", un objet avec ses arguments ; ceux qui ne servent pas sont null.\n'
        "\n"
        "Puis arrête-toi. Le message suivant apporte le résultat. Ne te fie qu'à ces résultats et n'en invente jamais."
    ),
    last=(
        'Quand tu en sais assez, ou quand cela ne peut pas être trouvé, "step" contient seulement "final_answer" : la '
        "réponse entière, pour la personne qui a demandé ; rien d'autre de ce que tu as écrit n'est montré."
    ),
    either="Écris l'une de ces deux formes :",
    both='elle contient à la fois "action" et "final_answer". Donne l\'un des deux.',
)
SPANISH = Sentences(
    step=(
        'Escribe cada paso como un solo objeto JSON y nada más. Su "thought" dice qué sabes, qué falta y qué hacer a '
        'continuación. Su "step" contiene "action", el nombre de una herramienta, y "action_input", un objeto con sus '
        "argumentos; los que no hacen falta son null.\n"
        "\n"
        "Luego detente. El mensaje siguiente trae el resultado. Fíate solo de esos resultados y nunca inventes uno."
    ),
    last=(
        'Cuando sepas lo suficiente, o cuando no se pueda averiguar, "step" contiene solo "final_answer": la respuesta '
        "completa, para la persona que preguntó; nada más de lo que escribiste se muestra."
    ),
    either="Escribe una de estas dos formas:",
    both='contiene tanto "action" como "final_answer". Da solo uno de los dos.',
)
FINNISH = Sentences(
    step=(
        'Kirjoita jokainen vaihe yhtenä JSON-oliona eikä mitään muuta. Sen "thought" kertoo, mitä tiedät, mitä puuttuu '
        'ja mitä seuraavaksi tehdään. Sen "step" sisältää kentän "action", jossa on yhden työkalun nimi, ja kentän '
        '"action_input", jossa on olio sen argumenteista; tarpeettomat ovat null.\n'
        "\n"
        "Lopeta sitten. Seuraava viesti tuo tuloksen. Luota vain näihin tuloksiin äläkä koskaan keksi tulosta."
    ),
    last=(
        'Kun tiedät tarpeeksi tai kun asiaa ei voi selvittää, "step" sisältää vain kentän "final_answer": koko '
        "vastauksen kysyjälle; mitään muuta kirjoittamaasi ei näytetä."
    ),
    either="Kirjoita jompikumpi näistä:",
    both='siinä on sekä "action" että "final_answer". Anna vain toinen niistä.',
)
HEBREW = Sentences(
    step=(
        'כתוב כל צעד כאובייקט JSON אחד ותו לא. השדה "thought" אומר מה ידוע לך, מה חסר ומה לעשות עכשיו. השדה "step" '
        'מכיל את "action", השם של כלי אחד, ואת "action_input", אובייקט עם הארגומנטים שלו; מה שאין בו צורך הוא null.\n'
        "\n"
        "אחר כך עצור. ההודעה הבאה תביא את התוצאה. הסתמך רק על תוצאות כאלה, ולעולם אל תמציא תוצאה."
    ),
    last=(
        'כאשר ידוע לך מספיק, או כאשר אי אפשר לברר זאת, השדה "step" מכיל רק את "final_answer": התשובה המלאה, עבור מי '
        "ששאל; שום דבר אחר שכתבת אינו מוצג."
    ),
    either="כתוב אחת משתי הצורות:",
    both='יש בה גם "action" וגם "final_answer". תן רק אחד מהם.',
)
CHINESE = Sentences(
    step=(
        '每一步只写一个 JSON 对象,不写其他内容。"thought" 说明你已知什么、还缺什么、下一步做什么。"step" 包含 "action"'
        '(一个工具的名称)和 "action_input"(由其参数组成的对象);不需要的参数写 null。\n'
        "\n"
        "然后停下。下一条消息会给出结果。只依据这些结果,绝不要编造结果。"
    ),
    last=('当你知道得足够多,或者无法查明时,"step" 只包含 "final_answer":给提问者的完整答案;你写的其他内容都不会显示。'),
    either="写成以下两种形式之一:",
    both='其中既有 "action" 又有 "final_answer"。只给出其中一个。',
)
JAPANESE = Sentences(
    step=(
        '各ステップを一つの JSON オブジェクトだけで書いてください。"thought" には、わかっていること、足りないこと、'
        '次にすることを書きます。"step" には "action"(一つのツールの名前)と "action_input"(その引数のオブジェクト)'
        "を入れます。不要な引数は null にします。\n"
        "\n"
        "そこで止まってください。次のメッセージで結果が届きます。その結果だけを頼りにし、結果を決して作らないでください。"
    ),
    last=(
        '十分にわかったとき、または調べられないときは、"step" に "final_answer" だけを入れます。質問した人への完全な'
        "答えです。ほかに書いたものは表示されません。"
    ),
    either="次のどちらかを書いてください:",
    both='"action" と "final_answer" の両方があります。どちらか一方にしてください。',
)

SENTENCES: dict[str, Sentences] = {
    "en": ENGLISH,
    "de": GERMAN,
    "fr": FRENCH,
    "es": SPANISH,
    "fi": FINNISH,
    "he": HEBREW,
    "zh": CHINESE,
    "ja": JAPANESE,
}
"""By the code of the language (ISO 639-1)."""


def sentences_of(language: str) -> Sentences:
    """The sentences of a language; in English where it has none."""
    return SENTENCES.get(language, ENGLISH)
