"""What a model is told of the command form of a reply, by language. Data only; the form itself is `command_text`."""

from msgspec import Struct


class Sentences(Struct, frozen=True):
    """The sentences of one language. The word ``think`` stays English in all of them."""

    tools: str
    """Introduces what the environment understands."""
    step: str
    """The form of a step."""
    last: str
    """Introduces the form of the last step."""
    answer: str
    """Stands behind the label of the final answer."""
    either: str
    """Stands before the two forms of a reply, in a reminder."""


ENGLISH = Sentences(
    tools="You act in an environment, step by step, by commands. This is what it understands:",
    step=(
        "Write every step in exactly this form:\n"
        "\n"
        "> think: what you know, and what to do next\n"
        "> one command\n"
        "\n"
        "Then stop. The next message is what the environment says. Rely only on that, and never write it yourself."
    ),
    last="When the task is done, or when it cannot be done, end with:",
    answer="the whole answer, for the person who asked; nothing else that you wrote is shown",
    either="Write one of these:",
)
GERMAN = Sentences(
    tools="Du handelst Schritt für Schritt in einer Umgebung, durch Befehle. Das versteht sie:",
    step=(
        "Schreibe jeden Schritt in genau dieser Form:\n"
        "\n"
        "> think: was du weißt und was als Nächstes zu tun ist\n"
        "> ein Befehl\n"
        "\n"
        "Dann höre auf. Die nächste Nachricht ist das, was die Umgebung sagt. Verlass dich nur darauf und schreibe sie "
        "nie selbst."
    ),
    last="Wenn die Aufgabe erledigt ist oder sich nicht erledigen lässt, schließe so ab:",
    answer="die ganze Antwort für den Menschen, der gefragt hat; sonst bekommt er nichts von dir zu sehen",
    either="Schreibe eines von beiden:",
)
FRENCH = Sentences(
    tools="Tu agis dans un environnement, étape par étape, par des commandes. Voici ce qu'il comprend :",
    step=(
        "Écris chaque étape exactement sous cette forme :\n"
        "\n"
        "> think: ce que tu sais et ce qu'il faut faire ensuite\n"
        "> une commande\n"
        "\n"
        "Puis arrête-toi. Le message suivant est ce que dit l'environnement. Ne te fie qu'à lui et ne l'écris jamais "
        "toi-même."
    ),
    last="Quand la tâche est accomplie, ou quand elle ne peut pas l'être, termine par :",
    answer="la réponse entière, pour la personne qui a demandé ; rien d'autre de ce que tu as écrit n'est montré",
    either="Écris l'une de ces deux formes :",
)
SPANISH = Sentences(
    tools="Actúas en un entorno, paso a paso, mediante órdenes. Esto es lo que entiende:",
    step=(
        "Escribe cada paso exactamente en esta forma:\n"
        "\n"
        "> think: qué sabes y qué hacer a continuación\n"
        "> una orden\n"
        "\n"
        "Luego detente. El mensaje siguiente es lo que dice el entorno. Fíate solo de eso y nunca lo escribas tú."
    ),
    last="Cuando la tarea esté hecha, o cuando no se pueda hacer, termina con:",
    answer="la respuesta completa, para la persona que preguntó; nada más de lo que escribiste se muestra",
    either="Escribe una de estas dos formas:",
)
FINNISH = Sentences(
    tools="Toimit ympäristössä vaihe vaiheelta komennoilla. Tätä se ymmärtää:",
    step=(
        "Kirjoita jokainen vaihe täsmälleen tässä muodossa:\n"
        "\n"
        "> think: mitä tiedät ja mitä seuraavaksi tehdään\n"
        "> yksi komento\n"
        "\n"
        "Lopeta sitten. Seuraava viesti on se, mitä ympäristö sanoo. Luota vain siihen äläkä koskaan kirjoita sitä "
        "itse."
    ),
    last="Kun tehtävä on tehty tai kun sitä ei voi tehdä, lopeta näin:",
    answer="koko vastaus kysyjälle; mitään muuta kirjoittamaasi ei näytetä",
    either="Kirjoita jompikumpi näistä:",
)
HEBREW = Sentences(
    tools="אתה פועל בסביבה, צעד אחר צעד, באמצעות פקודות. זה מה שהיא מבינה:",
    step=(
        "כתוב כל צעד בדיוק בצורה הזאת:\n"
        "\n"
        "> think: מה ידוע לך ומה לעשות עכשיו\n"
        "> פקודה אחת\n"
        "\n"
        "ואז עצור. ההודעה הבאה היא מה שהסביבה אומרת. הסתמך רק עליה, ואל תכתוב אותה בעצמך."
    ),
    last="כשהמשימה בוצעה, או כשאי אפשר לבצע אותה, סיים כך:",
    answer="התשובה המלאה, עבור מי ששאל; שום דבר אחר שכתבת אינו מוצג",
    either="כתוב אחת מהצורות האלה:",
)
CHINESE = Sentences(
    tools="你在一个环境中通过命令一步一步地行动。它能理解：",
    step=(
        "每一步都严格按照以下格式书写：\n"
        "\n"
        "> think: 你知道什么，下一步做什么\n"
        "> 一条命令\n"
        "\n"
        "然后停下。下一条消息是环境的回应。只依据它，绝不要自己写出来。"
    ),
    last="当任务完成，或者无法完成时，这样结束：",
    answer="给提问者的完整回答；你写的其他内容都不会显示",
    either="请写下面两种格式之一：",
)
JAPANESE = Sentences(
    tools="あなたは環境の中で、コマンドによって一歩ずつ行動します。環境が理解するのは次のものです：",
    step=(
        "各ステップは必ず次の形で書いてください：\n"
        "\n"
        "> think: わかっていることと、次にすること\n"
        "> コマンドを一つ\n"
        "\n"
        "そこで止めてください。次のメッセージが環境の応答です。それだけを頼りにし、自分で書いてはいけません。"
    ),
    last="課題が終わったとき、または終えられないときは、次のように締めくくってください：",
    answer="質問した人への完全な回答。それ以外に書いたものは表示されません",
    either="次のどちらかの形で書いてください：",
)

SENTENCES = {
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
