"""Which language a task is written in."""

import pytest

from loopwright.protocols.labels import LANGUAGES, detect

TASKS = {
    "en": """
What is the weather in Helsinki today?
How much is 100 US dollars in euros?
If it rains in Oslo, convert 20 EUR to NOK.
Who wrote The Name of the Rose?
Find the population of Lima and compare it with that of Bogotá.
Please list the three largest lakes in Finland.
Which of these cities is warmer: Madrid or Rome?
Calculate 17 * 23 and tell me whether it is prime.
When does the next train from Bern to Zürich leave?
Show me all files that mention the budget.
What time is it in Tokyo and in São Paulo?
Why is the sky blue?
Translate "Wo ist der Bahnhof und wie komme ich dorthin?" into English.
Summarise the report in two sentences.
Is it colder in Reykjavík than in Nuuk at the moment?
What does the word «déjà vu» mean?
""",
    "de": """
Wie ist das Wetter in Berlin?
Wie viel sind 100 US-Dollar in Euro?
Wenn es in Oslo regnet, rechne 20 Euro in Kronen um.
Wer hat den Roman Der Name der Rose geschrieben?
Finde die Einwohnerzahl von Lima und vergleiche sie mit der von Bogotá.
Nenne bitte die drei größten Seen in Finnland.
Welche dieser Städte ist wärmer: Madrid oder Rom?
Berechne 17 mal 23 und sage mir, ob das Ergebnis eine Primzahl ist.
Wann fährt der nächste Zug von Bern nach Zürich?
Zeige mir alle Dateien, in denen das Budget erwähnt wird.
Wie spät ist es in Tokio und in New York?
Warum ist der Himmel blau?
Übersetze "Where is the station and how do I get there?" ins Deutsche, und zwar höflich.
Fasse den Bericht in zwei Sätzen zusammen, aber ohne die Zahlen.
Ist es in Reykjavík gerade kälter als in Nuuk?
Gibt es morgen Regen? Dann nehme ich einen Schirm mit.
""",
    "fr": """
Quel temps fait-il à Helsinki aujourd'hui ?
Combien font 100 dollars américains en euros ?
S'il pleut à Oslo, convertis 20 euros en couronnes.
Qui a écrit Le Nom de la rose ?
Trouve la population de Lima et compare-la avec celle de Bogotá.
Donne-moi les trois plus grands lacs de Finlande.
Laquelle de ces villes est la plus chaude : Madrid ou Rome ?
Calcule 17 fois 23 et dis-moi si le résultat est premier.
À quelle heure part le prochain train de Berne pour Zurich ?
Montre-moi tous les fichiers qui mentionnent le budget.
Quelle heure est-il à Tokyo et à New York ?
Pourquoi le ciel est-il bleu ?
Traduis « Where is the station? » en français, s'il te plaît.
Résume le rapport en deux phrases, sans les chiffres.
Fait-il plus froid à Reykjavík qu'à Nuuk en ce moment ?
Où se trouve la plus haute montagne des Alpes ?
""",
    "es": """
¿Qué tiempo hace hoy en Helsinki?
¿Cuánto son 100 dólares estadounidenses en euros?
Si llueve en Oslo, convierte 20 euros a coronas.
¿Quién escribió El nombre de la rosa?
Busca la población de Lima y compárala con la de Bogotá.
Dime los tres lagos más grandes de Finlandia.
¿Cuál de estas ciudades es más cálida: Madrid o Roma?
Calcula 17 por 23 y dime si el resultado es primo.
¿A qué hora sale el próximo tren de Berna a Zúrich?
Muéstrame todos los archivos que mencionan el presupuesto.
¿Qué hora es en Tokio y en Nueva York?
Por qué el cielo es azul
Traduce "Where is the station?" al español, por favor.
Resume el informe en dos frases, sin las cifras.
¿Hace más frío en Reikiavik que en Nuuk ahora mismo?
como esta el tiempo en la capital
""",
    "fi": """
Mikä on sää Helsingissä tänään?
Paljonko 100 Yhdysvaltain dollaria on euroina?
Jos Oslossa sataa, muunna 20 euroa kruunuiksi.
Kuka kirjoitti kirjan Ruusun nimi?
Etsi Liman väkiluku ja vertaa sitä Bogotán väkilukuun.
Luettele Suomen kolme suurinta järveä, ole hyvä.
Kumpi näistä kaupungeista on lämpimämpi: Madrid vai Rooma?
Laske 17 kertaa 23 ja kerro, onko tulos alkuluku.
Milloin lähtee seuraava juna Bernistä Zürichiin?
Näytä kaikki tiedostot, joissa mainitaan budjetti.
Mitä kello on Tokiossa ja New Yorkissa?
Miksi taivas on sininen?
Käännä "Where is the station?" suomeksi ja englanniksi.
Tiivistä raportti kahteen virkkeeseen ilman lukuja.
Onko Reykjavíkissa nyt kylmempää kuin Nuukissa?
Etsi halvin juna Helsingistä Tampereelle huomenna.
""",
    "he": """
מה מזג האוויר בהלסינקי היום?
כמה הם 100 דולר אמריקאי באירו?
אם יורד גשם באוסלו, המר 20 אירו לכתרים.
מי כתב את "שם הוורד"?
מצא את מספר התושבים בלימה והשווה אותו לבוגוטה.
מהם שלושת האגמים הגדולים בפינלנד?
איזו עיר חמה יותר: מדריד או רומא?
חשב 17 כפול 23 ואמור לי אם התוצאה ראשונית.
מתי יוצאת הרכבת הבאה מברן לציריך?
הצג את כל הקבצים שמזכירים את התקציב.
מה השעה בטוקיו ובניו יורק?
למה השמיים כחולים?
תרגם לעברית: "Where is the station?"
סכם את הדו״ח בשני משפטים.
כמה עולה iPhone 15 Pro בארה״ב?
""",
    "zh": """
赫尔辛基今天天气怎么样？
100美元是多少欧元？
如果奥斯陆下雨，请把20欧元换成挪威克朗。
《玫瑰之名》是谁写的？
查一下利马的人口，并与波哥大比较。
请列出芬兰最大的三个湖。
马德里和罗马哪个更热？
计算17乘以23，并告诉我结果是不是质数。
下一班从伯尔尼到苏黎世的火车几点出发？
找出所有提到预算的文件。
东京和纽约现在几点？
天空为什么是蓝色的？
請把"Where is the station?"翻譯成中文。
用两句话总结这份报告。
用Python计算斐波那契数列的前十项
优の良品在哪里可以买到？
""",
    "ja": """
今日のヘルシンキの天気は？
100米ドルは何ユーロですか。
オスロで雨が降っていたら、20ユーロをクローネに換算してください。
『薔薇の名前』を書いたのは誰ですか。
リマの人口を調べて、ボゴタと比べてください。
フィンランドで大きい湖を三つ挙げて。
マドリードとローマではどちらが暖かいですか。
17かける23を計算して、素数かどうか教えて。
ベルンからチューリッヒへの次の電車は何時に出ますか。
予算に触れているファイルをすべて見せてください。
東京とニューヨークは今何時？
空はなぜ青いのですか。
「Where is the station?」を日本語に訳してください。
報告書を二文で要約して
明日東京天気予報教えて
""",
}
CASES = [(code, task) for code, tasks in TASKS.items() for task in tasks.strip().splitlines()]


def test_every_language_is_tried_on_fifteen_tasks() -> None:
    assert TASKS.keys() == LANGUAGES.keys()
    assert min(len(tasks.strip().splitlines()) for tasks in TASKS.values()) >= 15


@pytest.mark.parametrize(("code", "task"), CASES)
def test_a_task_tells_its_language(code: str, task: str) -> None:
    assert detect(task) == code


@pytest.mark.parametrize(
    ("task", "code"),
    [
        ("Was ergibt 2 plus 3?", "de"),
        ("Rechne 17 mal 23.", "de"),
        ("Wer schrieb Faust?", "de"),
        ("Combien font 2 plus 3 ?", "fr"),
        ("Calcule 17 fois 23.", "fr"),
        ("Que vaut 2 fois 3 ?", "fr"),
        ("Cuanto es 2 mas 3?", "es"),
        ("¿Cuál es la suma de 2 y 3?", "es"),
        ("Paljonko on 2 plus 3?", "fi"),
        ("Laske 17 kertaa 23.", "fi"),
        ("What was the war about?", "en"),
        ("What is 2 plus 3 times 4?", "en"),
    ],
)
def test_short_questions_tell_their_language(task: str, code: str) -> None:
    assert detect(task) == code


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n",
        "42",
        "17 * 23 = ?",
        "Berlin",
        "Wetter Berlin",
        "Zürich Hauptbahnhof",
        "São Paulo, Bogotá, Málaga",
        "Weather in München and in Zürich?",
        "What is the capital of Åland?",
        "Ernest Medina participated in a Vietnam War war crime.",
        "Sayyeshaa starred on Broadway.",
        "What 1986 drama directed by Lee Doo-yong starred Lee Mi-sook?",
        "Both hospitals are located in Washington, D.C., near D.C. General",
        "click[B07C45LP2C]",
        '{"key": "a"}, {"key": "b"}',
        "Die Hard: who was the director?",
        "Who sang La vie en rose and when was it recorded?",
        "Is El Niño to blame for the heat?",
        "How do you say こんにちは in Finnish?",
        "What does 你好吗 mean?",
        "Who wrote 源氏物語, and when was it translated?",
        "What is 日本国憲法第九条 about, and is it still in force?",
        "Explain the word שלום to a child, please.",
        "Translate 'das ist nicht mein Haus, und der Hund ist weg' to French.",
        "Что такое любовь?",
        "오늘 서울 날씨는 어때요?",
        "ما هو الطقس اليوم؟",
        "Qual é a capital do Brasil e como está o tempo hoje?",
        "Quanto costa un biglietto per Roma e come ci arrivo con il treno?",
        "Hoe is het weer in Amsterdam en wat is de temperatuur?",
        "Hur är vädret i Stockholm och vad är klockan?",
        "Hvordan er vejret i København, og hvad er klokken nu?",
    ],
)
def test_short_mixed_and_other_texts_count_as_english(text: str) -> None:
    assert detect(text) == "en"


def test_what_is_only_quoted_counts_where_there_is_nothing_else() -> None:
    assert detect('"Wie ist das Wetter in Berlin, und was kostet die Fahrt?"') == "de"


def test_of_a_long_text_only_the_beginning_counts() -> None:
    german, english = "Was ist das und wie viel kostet es? ", "What is this, and how much does it cost? "
    assert detect(german * 200 + english * 10_000) == "de"
    assert detect(english * 200 + german * 10_000) == "en"
