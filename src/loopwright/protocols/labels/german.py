"""German: labels and sentences of the protocols. Data only."""

from loopwright.protocols.labels.words import Labels, Problems, Reasons, Wording

GERMAN = Labels(
    language="de",
    thought=("Gedanke", "Gedanken", "Gedankengang", "Überlegung", "Ueberlegung"),
    action=("Aktion", "Handlung"),
    input=(
        "Aktionseingabe",
        "Eingabe der Aktion",
        "Eingabe für die Aktion",
        "Eingabe zur Aktion",
        "Aktion Eingabe",
        "Aktionsparameter",
        "Aktionsargumente",
    ),
    observation=("Beobachtung", "Beobachtungen"),
    final=(
        "Endgültige Antwort",
        "Endgueltige Antwort",
        "Abschließende Antwort",
        "Abschliessende Antwort",
        "Finale Antwort",
        "Endantwort",
        "Schlussantwort",
    ),
    answer=("Antwort",),
    below=("Eingabe", "Werkzeugeingabe", "Tool Eingabe", "Argumente", "Parameter"),
    none=(
        "keine",
        "keines",
        "keins",
        "nichts",
        "entfällt",
        "nicht nötig",
        "nicht notwendig",
        "nicht erforderlich",
        "keine aktion",
        "keine aktion nötig",
        "keine aktion notwendig",
        "keine aktion erforderlich",
        "keine weitere aktion",
        "keine weitere aktion nötig",
        "keine weitere aktion erforderlich",
        "kein werkzeug",
        "kein werkzeug nötig",
        "kein tool nötig",
    ),
    placeholders=("der name eines werkzeugs", "der name des werkzeugs", "name des werkzeugs", "<werkzeug"),
    joiners=("und",),
    wording=Wording(
        tools=(
            "Du löst die Aufgabe Schritt für Schritt. Diese Werkzeuge kannst du benutzen, jedes mit seinen Argumenten:"
        ),
        no_tools="Für diese Aufgabe hast du keine Werkzeuge. Denke sie durch und antworte dann.",
        step=(
            "Schreibe jeden Schritt genau in dieser Form, jedes Stichwort am Anfang einer eigenen Zeile:\n"
            "\n"
            "Gedanke: was du weißt, was fehlt und was als Nächstes zu tun ist\n"
            "Aktion: der Name eines Werkzeugs, ein Leerzeichen und seine Argumente als ein JSON-Objekt, alles in einer "
            "Zeile\n"
            "\n"
            "Dann höre auf. Die nächste Nachricht bringt das Ergebnis hinter dem Stichwort Beobachtung. Verlasse dich "
            "nur auf das, was in Beobachtungen steht: Schreibe nie selbst eine Beobachtung und erfinde nie ein "
            "Ergebnis."
        ),
        several=(
            "Aktionen, die das Ergebnis der anderen nicht brauchen, dürfen zusammen unter demselben Gedanken stehen, "
            "jede in einer eigenen Zeile."
        ),
        last=(
            "Wenn du genug weißt oder wenn es sich nicht herausfinden lässt, schließe so ab:\n"
            "\n"
            "Gedanke: warum die Aufgabe damit erledigt ist\n"
            "Endgültige Antwort: die ganze Antwort für den Menschen, der gefragt hat; sonst bekommt er nichts von dem "
            "zu sehen, was du geschrieben hast"
        ),
        example="Ein Schritt kann zum Beispiel so aussehen:\n\n{step}",
        thought="Das brauche ich zuerst.",
        unreadable="Deine letzte Nachricht war nicht verwendbar.",
        because="Was nicht stimmte: {problem}",
        empty="Deine letzte Nachricht war leer.",
        thinking="Das war nur ein Gedanke. Mach mit dem nächsten Schritt weiter.",
        repeating=(
            "Du hast denselben Aufruf noch einmal gemacht und dasselbe Ergebnis bekommen. Noch einmal zu fragen ändert "
            "daran nichts: Nutze, was du hast, versuche etwas anderes oder antworte."
        ),
        failing=(
            "Diese Art von Aufruf schlägt immer wieder fehl. Ändere die Argumente oder nimm einen anderen Weg; wenn es "
            "keinen gibt, antworte und sage, was sich nicht herausfinden ließ."
        ),
        act_first=(
            "Du hast geantwortet, bevor du ein Werkzeug benutzt hast. Sieh zuerst mit einem Werkzeug nach und antworte "
            "dann."
        ),
        either="Rufe ein Werkzeug auf oder beantworte die Aufgabe.",
        closing=(
            "Es können keine Werkzeuge mehr benutzt werden ({reason}). Beantworte die Aufgabe jetzt mit dem, was du "
            "weißt, und sage, was fehlt."
        ),
        reminder=(
            'Schreibe entweder\nGedanke: ...\nAktion: werkzeug {"argument": "wert"}\n'
            "oder\nGedanke: ...\nEndgültige Antwort: ..."
        ),
        form="Schreibe:\nGedanke: ...\nEndgültige Antwort: ...",
    ),
    reasons=Reasons(
        steps="die Grenze der Schritte ist erreicht",
        model_calls="die Grenze der Anfragen ist erreicht",
        tool_calls="die Grenze der Aufrufe ist erreicht",
        tokens="die Grenze der Tokens ist erreicht",
        cost="die Kostengrenze ist erreicht",
        seconds="die Zeit ist um",
        unreadable="zu viele Nachrichten waren nicht verwendbar",
        no_progress="es geht nicht voran",
    ),
    problems=Problems(
        no_label="Am Anfang einer Zeile steht weder Aktion noch Endgültige Antwort.",
        no_tool="Sie gibt eine Eingabe an, nennt aber kein Werkzeug. Schreibe hinter Aktion den Namen des Werkzeugs.",
        no_answer="Sie sagt, dass es keine Aktion gibt, gibt aber keine Endgültige Antwort.",
        empty_answer="Hinter Endgültige Antwort steht nichts.",
        placeholder=(
            "Sie wiederholt die Anweisung, statt ihr zu folgen. Schreibe hinter Aktion den Namen eines Werkzeugs, das "
            "es gibt."
        ),
        fenced=(
            "Eine Aktion steht in einem Codeblock und eine andere Aktion oder Antwort außerhalb; es ist nicht klar, "
            "welche gilt. Schreibe einen einzigen Schritt, ohne Codeblock."
        ),
        quoted=(
            "Es ist nicht klar, ob die Aktion gemeint ist oder nur als Beispiel dasteht. Schreibe einen einzigen "
            "Schritt, ohne Codeblock und ohne Text dahinter."
        ),
        contradictory=(
            "Die Eingabe steht zweimal da, mit verschiedenen Werten. Schreibe den ganzen Aufruf noch einmal, mit einer "
            "einzigen Eingabe"
        ),
        inline="Ein Stichwort steht mitten in einer Zeile. Schreibe jedes Stichwort an den Anfang einer eigenen Zeile.",
        invented=(
            "Die Antwort stützt sich auf eine Beobachtung, die du selbst geschrieben hast. Rufe ein Werkzeug auf und "
            "warte auf das Ergebnis."
        ),
        cut="Sie wurde an der Längengrenze abgeschnitten. Schreibe eine kürzere.",
        broken_off="Sie brach ab, bevor sie fertig war. Schreibe sie noch einmal.",
        thinking="Sie endete, bevor du zu Ende gedacht hattest.",
        command="Es war kein Befehl zu erkennen. Schreibe einen Befehl in einer Zeile.",
        no_arguments="dieses Werkzeug hat keine Argumente; schreibe {}",
        not_closed=(
            "die Eingabe ist nicht vollständig: eine Klammer wird nie geschlossen. Schreibe den ganzen Aufruf noch "
            "einmal"
        ),
        label_inside=(
            "in der Eingabe beginnt eine Zeile mit einem Stichwort, darum ist nicht klar, wo sie endet. Schicke sie "
            "als Zeichenkette in einem JSON-Objekt, mit \\n für Zeilenumbrüche"
        ),
        unlabelled=(
            "die Zeilen unter dem Namen des Werkzeugs haben kein Stichwort, darum ist nicht klar, ob sie seine Eingabe "
            "sind. Schreibe die Argumente als ein JSON-Objekt hinter den Namen des Werkzeugs"
        ),
        expected="dieses Werkzeug braucht seine Argumente als ein JSON-Objekt: {shape}",
    ),
    frequent=(
        "der die das den dem des ein eine einen einem einer und oder aber ist sind war waren wird werden wie was wer "
        "wo wann warum welche welcher welches welchen wieviel viel viele nicht kein keine für mit von zu zum zur im am "
        "auf aus bei nach über unter zwischen ich du er wir ihr mir mich mein meine dein deine es sich auch noch wenn "
        "dann dass ob habe hat haben kann kannst soll heute morgen bitte finde suche nenne gib zeige rechne berechne "
        "sie ihn um ins alle lies schreibe erstelle übersetze "
        "ergibt mal geteilt minus macht schrieb liegt heißt kostet gehört addiere multipliziere summe hauptstadt"
    ),
    traces=("ß", "ü", "ö", "ä", "schr", "chst", "icht", "ung"),
)
