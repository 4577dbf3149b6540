"""English: labels and sentences of the protocols. Data only."""

from loopwright.protocols.labels.words import Labels, Problems, Reasons, Wording

ENGLISH = Labels(
    language="en",
    thought=("Thought",),
    action=("Action",),
    input=("Action Input", "Action Arguments", "Action Args"),
    observation=("Observation",),
    final=("Final Answer",),
    answer=("Answer",),
    below=("Input", "Tool Input", "Arguments", "Args", "Parameters"),
    none=(
        "none",
        "n/a",
        "na",
        "nil",
        "null",
        "no",
        "nothing",
        "no action",
        "no tool",
        "none needed",
        "none required",
        "no action needed",
        "no action required",
        "no further action",
        "no further action needed",
        "no further action required",
        "no tool needed",
        "no tool required",
        "not applicable",
        "not needed",
        "not required",
    ),
    placeholders=(
        "the action to take",
        "should be one of",
        "must be one of",
        "the tool's name",
        "the name of one tool",
        "the name of the tool",
        "<tool",
        "tool_name",
    ),
    joiners=("and",),
    wording=Wording(
        tools="You solve the task step by step. These are the tools you can use, each with its arguments:",
        no_tools="You have no tools for this task. Think it through, then answer.",
        step=(
            "Write every step in exactly this form, each label at the start of a line of its own:\n"
            "\n"
            "Thought: what you know, what is missing, and what to do next\n"
            "Action: the name of one tool, a space, and its arguments as one JSON object, all on one line\n"
            "\n"
            "Then stop. The next message brings the result, after the label Observation. Rely only on what "
            "observations say: never write an Observation yourself, and never invent a result."
        ),
        several=(
            "Actions that do not need each other's results may be written together, each on a line of its own below "
            "the same Thought."
        ),
        last=(
            "When you know enough, or when it cannot be found out, end with:\n"
            "\n"
            "Thought: why this settles the task\n"
            "Final Answer: the whole answer, for the person who asked; nothing else that you wrote is shown"
        ),
        example="For example, a step may look like this:\n\n{step}",
        thought="I need this first.",
        unreadable="Your last message could not be used.",
        because="What was wrong: {problem}",
        empty="Your last message was empty.",
        thinking="That was only a thought. Go on with the next step.",
        repeating=(
            "You made the same call as before and it gave the same result. Asking again will not change it: use what "
            "you have, try something else, or answer."
        ),
        failing=(
            "The same kind of call keeps failing. Change the arguments or take another way; if there is none, answer "
            "and say what could not be found out."
        ),
        act_first="You answered before you used any tool. Look with a tool first, then answer.",
        either="Call a tool, or answer the task.",
        closing=(
            "No more tools can be used ({reason}). Answer the task now with what you know, and say what is missing."
        ),
        reminder=(
            'Write either\nThought: ...\nAction: tool {"argument": "value"}\nor\nThought: ...\nFinal Answer: ...'
        ),
        form="Write:\nThought: ...\nFinal Answer: ...",
    ),
    reasons=Reasons(
        steps="the limit of steps",
        model_calls="the limit of model calls",
        tool_calls="the limit of tool calls",
        tokens="the limit of tokens",
        cost="the limit of cost",
        seconds="the time is up",
        unreadable="too many messages could not be used",
        no_progress="no progress",
    ),
    problems=Problems(
        no_label="it has neither an Action nor a Final Answer at the start of a line.",
        no_tool="it gives an input but names no tool. Write the tool's name after Action.",
        no_answer="it says that there is no action, but gives no Final Answer.",
        empty_answer="nothing stands after Final Answer.",
        placeholder="it repeats the instructions instead of following them. Put a real tool's name after Action.",
        fenced=(
            "it has an action inside a code fence and another action or answer outside of it, so it is not clear which "
            "one counts. Write one step, without code fences."
        ),
        quoted=(
            "it is not clear whether its action is meant or only quoted as an example. Write one step, without code "
            "fences and with nothing behind it."
        ),
        contradictory="the input is given twice, with different values. Write the whole call again, with one input",
        inline="it has a label in the middle of a line. Write each label at the start of its own line.",
        invented="its answer rests on an Observation that you wrote yourself. Call a tool and wait for the result.",
        cut="it was cut off at the limit of its length. Write a shorter one.",
        broken_off="it broke off before it was finished. Write it again.",
        thinking="it ended before your thinking did.",
        command="no command could be recognised. Write one command on one line.",
        no_arguments="this tool takes no arguments; write {}",
        not_closed="the input is not complete: a bracket is never closed. Write the whole call again",
        label_inside=(
            "the input holds a line that begins with a label, so it is not clear where it ends. Send it as a string in "
            "a JSON object, with \\n for line breaks"
        ),
        unlabelled=(
            "the lines below the tool's name have no label, so it is not clear whether they are its input. Write the "
            "arguments behind the tool's name as one JSON object"
        ),
        expected="this tool needs its arguments as one JSON object: {shape}",
    ),
    frequent=(
        "the a an and or of to is are was were be what which who where when why how if it its for from with by on at "
        "this that these those i you he she we they my your his her our their me do does did can could will would "
        "should not no than then there many much please find tell give show between about into as has have"
    ),
)
