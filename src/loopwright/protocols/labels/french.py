"""French: labels and sentences of the protocols. Data only."""

from loopwright.protocols.labels.words import Labels, Problems, Reasons, Wording

FRENCH = Labels(
    language="fr",
    thought=("Pensée", "Pensee", "Réflexion", "Reflexion", "Raisonnement"),
    action=("Action",),
    input=(
        "Entrée de l'action",
        "Entrée de l’action",
        "Entree de l'action",
        "Entrée d'action",
        "Entrée d’action",
        "Entrée action",
        "Entrée pour l'action",
        "Paramètres de l'action",
        "Paramètres de l’action",
        "Arguments de l'action",
        "Arguments de l’action",
    ),
    observation=("Observation", "Observations"),
    final=("Réponse finale", "Reponse finale", "Réponse définitive"),
    answer=("Réponse", "Reponse"),
    below=("Entrée", "Entree", "Entrée de l'outil", "Entrée de l’outil", "Arguments", "Paramètres"),
    none=(
        "aucun",
        "aucune",
        "rien",
        "néant",
        "sans objet",
        "pas nécessaire",
        "non nécessaire",
        "aucune action",
        "aucune action nécessaire",
        "aucune action requise",
        "aucune autre action",
        "aucune autre action nécessaire",
        "pas d'action",
        "pas d’action",
        "aucun outil",
        "aucun outil nécessaire",
        "pas d'outil",
        "pas d’outil",
    ),
    placeholders=("le nom d'un outil", "le nom d’un outil", "le nom de l'outil", "nom de l'outil", "<outil"),
    joiners=("et",),
    wording=Wording(
        tools="Tu résous la tâche étape par étape. Voici les outils que tu peux utiliser, chacun avec ses arguments :",
        no_tools="Pour cette tâche, tu n'as pas d'outils. Réfléchis-y, puis réponds.",
        step=(
            "Écris chaque étape exactement sous cette forme, chaque étiquette au début de sa propre ligne :\n"
            "\n"
            "Pensée: ce que tu sais, ce qui manque et ce qu'il faut faire ensuite\n"
            "Action: le nom d'un outil, une espace et ses arguments sous forme d'un seul objet JSON, le tout sur une "
            "seule ligne\n"
            "\n"
            "Puis arrête-toi. Le message suivant apporte le résultat, après l'étiquette Observation. Ne te fie qu'aux "
            "observations : n'écris jamais toi-même d'Observation et n'invente jamais de résultat."
        ),
        several=(
            "Les actions qui n'ont pas besoin du résultat des autres peuvent être écrites ensemble sous la même "
            "Pensée, chacune sur sa propre ligne."
        ),
        last=(
            "Quand tu en sais assez, ou quand cela ne peut pas être trouvé, termine ainsi :\n"
            "\n"
            "Pensée: pourquoi la tâche est ainsi résolue\n"
            "Réponse finale: la réponse complète, pour la personne qui a posé la question ; rien d'autre de ce que tu "
            "as écrit ne lui est montré"
        ),
        example="Par exemple, une étape peut ressembler à ceci :\n\n{step}",
        thought="C'est ce qu'il me faut d'abord.",
        unreadable="Ton dernier message n'a pas pu être utilisé.",
        because="Ce qui n'allait pas : {problem}",
        empty="Ton dernier message était vide.",
        thinking="Ce n'était qu'une réflexion. Continue avec l'étape suivante.",
        repeating=(
            "Tu as refait le même appel et il a donné le même résultat. Le refaire n'y changera rien : sers-toi de ce "
            "que tu as, essaie autre chose ou réponds."
        ),
        failing=(
            "Ce genre d'appel échoue à chaque fois. Change les arguments ou prends un autre chemin ; s'il n'y en a "
            "pas, réponds et dis ce qui n'a pas pu être trouvé."
        ),
        act_first="Tu as répondu avant d'avoir utilisé un outil. Vérifie d'abord avec un outil, puis réponds.",
        either="Appelle un outil ou réponds à la tâche.",
        closing=(
            "Plus aucun outil ne peut être utilisé ({reason}). Réponds maintenant à la tâche avec ce que tu sais et "
            "dis ce qui manque."
        ),
        reminder=(
            'Écris soit\nPensée: ...\nAction: outil {"argument": "valeur"}\nsoit\nPensée: ...\nRéponse finale: ...'
        ),
        form="Écris :\nPensée: ...\nRéponse finale: ...",
    ),
    reasons=Reasons(
        steps="la limite d'étapes est atteinte",
        model_calls="la limite de questions est atteinte",
        tool_calls="la limite d'appels est atteinte",
        tokens="la limite de jetons est atteinte",
        cost="la limite de coût est atteinte",
        seconds="le temps est écoulé",
        unreadable="trop de messages n'ont pas pu être utilisés",
        no_progress="rien n'avance plus",
    ),
    problems=Problems(
        no_label="aucune ligne ne commence par Action ni par Réponse finale.",
        no_tool="il donne une entrée mais ne nomme aucun outil. Écris le nom de l'outil après Action.",
        no_answer="il dit qu'il n'y a pas d'action, mais ne donne pas de Réponse finale.",
        empty_answer="il n'y a rien après Réponse finale.",
        placeholder="il répète les consignes au lieu de les suivre. Écris après Action le nom d'un outil qui existe.",
        fenced=(
            "une action est dans un bloc de code et une autre action ou réponse en dehors ; on ne sait pas laquelle "
            "compte. Écris une seule étape, sans bloc de code."
        ),
        quoted=(
            "on ne sait pas si l'action est voulue ou seulement citée en exemple. Écris une seule étape, sans bloc de "
            "code et sans texte après."
        ),
        contradictory=(
            "l'entrée est donnée deux fois, avec des valeurs différentes. Réécris l'appel entier, avec une seule entrée"
        ),
        inline="une étiquette est au milieu d'une ligne. Écris chaque étiquette au début de sa propre ligne.",
        invented=(
            "la réponse repose sur une Observation que tu as écrite toi-même. Appelle un outil et attends le résultat."
        ),
        cut="il a été coupé à la limite de longueur. Écris-en un plus court.",
        broken_off="il s'est interrompu avant la fin. Écris-le de nouveau.",
        thinking="il s'est terminé avant la fin de ta réflexion.",
        command="aucune commande n'a été reconnue. Écris une commande sur une ligne.",
        no_arguments="cet outil n'a pas d'arguments ; écris {}",
        not_closed="l'entrée est incomplète : un crochet n'est jamais fermé. Écris de nouveau tout l'appel",
        label_inside=(
            "une ligne de l'entrée commence par une étiquette ; on ne sait donc pas où elle finit. Envoie-la comme "
            "chaîne dans un objet JSON, avec \\n pour les sauts de ligne"
        ),
        unlabelled=(
            "les lignes sous le nom de l'outil n'ont pas d'étiquette ; on ne sait donc pas si elles sont son entrée. "
            "Écris les arguments derrière le nom de l'outil, sous forme d'un seul objet JSON"
        ),
        expected="cet outil veut ses arguments sous forme d'un seul objet JSON : {shape}",
    ),
    frequent=(
        "le la les un une des du de au aux et ou mais est sont était ont quel quelle quels quelles qui que qu quoi "
        "où quand pourquoi comment combien ne pas pour avec sans dans sur sous par entre en je tu il elle nous vous "
        "ils mon ma mes ton ta tes son sa ses ce cette ces plus moins si donc fait aujourd hui demain trouve cherche "
        "donne calcule dis moi peux peut être lis écris crée convertis traduis font leur leurs même très jusqu "
        "chaque fois divisé égale vaut coûte capitale signifie additionne multiplie"
    ),
    traces=("ç", "è", "ê", "œ", "à", "eau", "eux"),
    colons=(":", " :"),
)
