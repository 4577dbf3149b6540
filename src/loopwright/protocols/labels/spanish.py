"""Spanish: labels and sentences of the protocols. Data only."""

from loopwright.protocols.labels.words import Labels, Problems, Reasons, Wording

SPANISH = Labels(
    language="es",
    thought=("Pensamiento", "Razonamiento", "Reflexión", "Reflexion"),
    action=("Acción", "Accion"),
    input=(
        "Entrada de la acción",
        "Entrada de la accion",
        "Entrada de acción",
        "Entrada de accion",
        "Entrada para la acción",
        "Entrada acción",
        "Argumentos de la acción",
        "Parámetros de la acción",
        "Parametros de la accion",
    ),
    observation=("Observación", "Observacion", "Observaciones"),
    final=("Respuesta final", "Respuesta definitiva"),
    answer=("Respuesta",),
    below=("Entrada", "Entrada de la herramienta", "Argumentos", "Parámetros", "Parametros"),
    none=(
        "ninguno",
        "ninguna",
        "nada",
        "no aplica",
        "no es necesario",
        "no es necesaria",
        "no necesario",
        "ninguna acción",
        "ninguna accion",
        "ninguna acción necesaria",
        "ninguna acción requerida",
        "ninguna otra acción",
        "sin acción",
        "no se necesita ninguna acción",
        "no se requiere ninguna acción",
        "ninguna herramienta",
        "ninguna herramienta necesaria",
    ),
    placeholders=(
        "el nombre de una herramienta",
        "el nombre de la herramienta",
        "nombre de la herramienta",
        "<herramienta",
    ),
    joiners=("y",),
    wording=Wording(
        tools=(
            "Resuelves la tarea paso a paso. Estas son las herramientas que puedes usar, cada una con sus argumentos:"
        ),
        no_tools="Para esta tarea no tienes herramientas. Piénsala bien y después responde.",
        step=(
            "Escribe cada paso exactamente de esta forma, cada etiqueta al principio de su propia línea:\n"
            "\n"
            "Pensamiento: qué sabes, qué falta y qué hay que hacer ahora\n"
            "Acción: el nombre de una herramienta, un espacio y sus argumentos como un solo objeto JSON, todo en una "
            "línea\n"
            "\n"
            "Después detente. El mensaje siguiente trae el resultado, detrás de la etiqueta Observación. Fíate solo de "
            "lo que dicen las observaciones: nunca escribas tú una Observación ni inventes un resultado."
        ),
        several=(
            "Las acciones que no necesitan el resultado de las otras pueden escribirse juntas bajo el mismo "
            "Pensamiento, cada una en su propia línea."
        ),
        last=(
            "Cuando sepas lo suficiente, o cuando no se pueda averiguar, termina así:\n"
            "\n"
            "Pensamiento: por qué la tarea queda resuelta\n"
            "Respuesta final: la respuesta completa, para la persona que preguntó; no se le muestra nada más de lo que "
            "escribiste"
        ),
        example="Por ejemplo, un paso puede ser así:\n\n{step}",
        thought="Esto es lo primero que necesito.",
        unreadable="Tu último mensaje no se pudo usar.",
        because="Qué estaba mal: {problem}",
        empty="Tu último mensaje estaba vacío.",
        thinking="Eso era solo un pensamiento. Sigue con el paso siguiente.",
        repeating=(
            "Hiciste la misma llamada que antes y dio el mismo resultado. Repetirla no lo cambiará: usa lo que tienes, "
            "prueba otra cosa o responde."
        ),
        failing=(
            "Este tipo de llamada falla una y otra vez. Cambia los argumentos o toma otro camino; si no hay ninguno, "
            "responde y di qué no se pudo averiguar."
        ),
        act_first=(
            "Respondiste antes de usar una herramienta. Compruébalo primero con una herramienta y después responde."
        ),
        either="Llama a una herramienta o responde a la tarea.",
        closing=(
            "Ya no se pueden usar herramientas ({reason}). Responde ahora a la tarea con lo que sabes y di qué falta."
        ),
        reminder=(
            'Escribe o bien\nPensamiento: ...\nAcción: herramienta {"argumento": "valor"}\n'
            "o bien\nPensamiento: ...\nRespuesta final: ..."
        ),
        form="Escribe:\nPensamiento: ...\nRespuesta final: ...",
    ),
    reasons=Reasons(
        steps="se alcanzó el límite de pasos",
        model_calls="se alcanzó el límite de preguntas",
        tool_calls="se alcanzó el límite de llamadas",
        tokens="se alcanzó el límite de tokens",
        cost="se alcanzó el límite de coste",
        seconds="se acabó el tiempo",
        unreadable="demasiados mensajes no se pudieron usar",
        no_progress="no hay avances",
    ),
    problems=Problems(
        no_label="ninguna línea empieza con Acción ni con Respuesta final.",
        no_tool=(
            "da una entrada pero no nombra ninguna herramienta. Escribe el nombre de la herramienta detrás de Acción."
        ),
        no_answer="dice que no hay ninguna acción, pero no da una Respuesta final.",
        empty_answer="no hay nada detrás de Respuesta final.",
        placeholder=(
            "repite las instrucciones en vez de seguirlas. Escribe detrás de Acción el nombre de una herramienta que "
            "exista."
        ),
        fenced=(
            "hay una acción dentro de un bloque de código y otra acción o respuesta fuera de él; no está claro cuál "
            "vale. Escribe un solo paso, sin bloques de código."
        ),
        quoted=(
            "no está claro si la acción va en serio o solo se cita como ejemplo. Escribe un solo paso, sin bloques de "
            "código y sin texto detrás."
        ),
        contradictory=(
            "la entrada aparece dos veces, con valores distintos. Escribe otra vez la llamada entera, con una sola "
            "entrada"
        ),
        inline="hay una etiqueta en medio de una línea. Escribe cada etiqueta al principio de su propia línea.",
        invented=(
            "la respuesta se apoya en una Observación que escribiste tú. Llama a una herramienta y espera el resultado."
        ),
        cut="se cortó en el límite de longitud. Escribe uno más corto.",
        broken_off="se interrumpió antes de terminar. Escríbelo otra vez.",
        thinking="terminó antes de que acabaras de pensar.",
        command="no se reconoció ningún comando. Escribe un comando en una línea.",
        no_arguments="esta herramienta no tiene argumentos; escribe {}",
        not_closed="la entrada está incompleta: un corchete no se cierra nunca. Escribe otra vez la llamada entera",
        label_inside=(
            "una línea de la entrada empieza con una etiqueta, así que no está claro dónde acaba. Envíala como cadena "
            "en un objeto JSON, con \\n para los saltos de línea"
        ),
        unlabelled=(
            "las líneas bajo el nombre de la herramienta no tienen etiqueta, así que no está claro si son su entrada. "
            "Escribe los argumentos detrás del nombre de la herramienta como un solo objeto JSON"
        ),
        expected="esta herramienta necesita sus argumentos como un solo objeto JSON: {shape}",
    ),
    frequent=(
        "el la los las un una unos unas de del al y o pero es son está están esta era fue qué que quién quien cuál "
        "cuáles cual dónde donde cuándo cuando cómo como cuánto cuánta cuántos cuántas cuanto por para con sin en "
        "sobre entre desde hasta hay no si sí me mi mis tu tus su sus nos yo él ella más menos muy hoy mañana ahora "
        "busca encuentra dime calcula dame lista tiene tienen puede hace ser en "
        "escribe crea convierte traduce mas veces dividido cuesta suma multiplica escribió"
    ),
    traces=("ñ", "¿", "¡", "ción", "á", "ó", "í", "idad", "uev", "ues", "ier"),
)
