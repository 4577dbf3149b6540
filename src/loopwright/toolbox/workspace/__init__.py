"""A folder that a model may work in: list, read, search, write and edit its texts, and nothing else.

`Workspace(folder).tools` are the tools. `names` and `rules` say which paths are taken; `opening`, `beneath` and `walk`
open them so that nothing leads out; `files` puts these together. `content`, `edits`, `changes`, `matching` and `search`
work on the texts, and `tools` is what the model sees.
"""

from loopwright.toolbox.workspace.tools import Workspace

__all__ = ["Workspace"]
