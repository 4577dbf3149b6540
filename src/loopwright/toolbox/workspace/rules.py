"""Which files of a workspace are offered, by their names: suffixes, hidden files, keys.

Owns the lists. Nothing here looks at a file; its kind and size are checked when it is open.
"""

import re

from msgspec import Struct

from loopwright.toolbox.workspace.names import about, fault_in_name

SUFFIXES = frozenset(
    """
    .adoc .asm .astro .awk .bash .bat .bib .c .cc .cfg .cjs .clj .cls .cmake .cmd .conf .cpp .cs .csproj .css .csv .cxx
    .d .dart .diff .dot .eex .el .elm .erl .ex .exs .f .f90 .feature .fish .fs .gd .go .gql .gradle .graphql .groovy
    .h .hbs .hcl .hh .hpp .hrl .hs .htm .html .hxx .in .inc .ini .ipynb .java .jinja .jinja2 .jl .js .json .json5
    .jsonl .jsx .kt .kts .latex .less .lisp .lock .log .lua .m .mako .markdown .md .mdx .mjs .mk .ml .mli .mm .nim
    .nix .org .pas .patch .php .pl .pm .po .pot .properties .proto .ps1 .pug .pxd .py .pyi .pyx .qml .r .rb .rego .rkt
    .rs .rst .s .sass .sbt .scala .scm .scss .sh .sln .sol .sql .srt .sty .sv .svelte .svg .swift .tcl .tex .tf .toml
    .ts .tsv .tsx .txt .typ .v .vb .vhd .vim .vtt .vue .wat .xml .xsd .xsl .yaml .yml .zig .zsh
    """.split()  # noqa: SIM905 - a list of one hundred literals is no easier to read
)
"""Suffixes of texts that people write and read."""
NAMES = frozenset(
    """
    authors brewfile cargo.lock changelog changes codeowners configure contributing contributors copying dockerfile
    gemfile go.mod go.sum go.work install jenkinsfile justfile licence license maintainers makefile manifest news notice
    pipfile procfile rakefile readme thanks todo vagrantfile version
    """.split()  # noqa: SIM905 - a list of one hundred literals is no easier to read
)
"""Texts whose names have no suffix, in lower case."""
NOT_ENTERED = frozenset({"__pycache__", "node_modules", "site-packages", "venv"})
"""Folders that are made by programs: listed by name, and entered only where they are asked for."""
OWN = frozenset({"loopwright.toml"})
"""What says how loopwright itself behaves: it can be read, and only a person writes it."""

_BACKUP = r"(\.(bak|backup|copy|old|orig|save|txt|\d+))*"
_KEYS = re.compile(
    r"(_?netrc|htpasswd|g?shadow|passwd|passwords?|authorized_keys|known_hosts|credentials?|secrets?)"
    rf"(\.(json|ya?ml|toml|ini|cfg|conf|env|xml|csv|properties))?{_BACKUP}"
    r"|id_(rsa|dsa|ecdsa|ed25519)(_sk)?(\..*)?"
    r"|.*\.(pem|key|p12|pfx|pkcs12|jks|keystore|kdbx?|ppk|gpg|pgp|asc|ovpn|tfstate|tfvars|env|htpasswd|netrc)"
    rf"(\.json)?{_BACKUP}"
    r"|(service[-_]?account|client[-_]secret|gcp[-_]key|.*firebase[-_]adminsdk).*\.json"
    r"|wallet\.dat"
)
PRIVATE_KEY = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
    r"(?:\\n|[ \t]*\r?\n(?:[\w-]+: [^\n]*\n|[ \t]*\r?\n){0,10})[A-Za-z0-9+/=]{40}"
)
"""The beginning of a key as OpenSSL, OpenSSH and PGP write it, with some of its content behind it."""


def may_hold_keys(name: str) -> bool:
    """Whether files of this name usually hold keys or passwords."""
    return name.casefold().startswith(".env") or _KEYS.fullmatch(name.casefold()) is not None


class Rules(Struct, frozen=True):
    """Which names are offered."""

    suffixes: frozenset[str] = SUFFIXES
    """In lower case, with their dot."""
    names: frozenset[str] = NAMES
    """Files without a suffix, in lower case."""
    hidden: frozenset[str] = frozenset()
    """Names with a dot in front that are offered all the same, such as .github."""

    def fault_in_folder(self, name: str) -> str:
        """Why a folder of this name is not offered; empty where it is."""
        return fault_in_name(name) or self._hidden(name)

    def fault_in_file(self, name: str) -> str:
        """Why a file of this name is not offered; empty where it is."""
        return fault_in_name(name) or self._secret(name) or self._hidden(name) or self._suffix(name)

    def fault_in(self, parts: tuple[str, ...], *, file: bool) -> str:
        """Why a path is not offered; empty where it is. The form of the path was checked before."""
        path = "/".join(parts)
        for number, name in enumerate(parts, 1):
            fault = self.fault_in_file(name) if file and number == len(parts) else self.fault_in_folder(name)
            if fault:
                return about(path, name, fault)
        return ""

    def _secret(self, name: str) -> str:
        if may_hold_keys(name):
            return "may hold keys or passwords; such files are never read or written here"
        return ""

    def _hidden(self, name: str) -> str:
        if name.startswith(".") and name not in self.hidden:
            return "is hidden; what begins with a dot is left to the person"
        return ""

    def _suffix(self, name: str) -> str:
        stem, dot, suffix = name.rpartition(".")
        if name.casefold() in self.names or (name in self.hidden and not stem):
            return ""
        if not dot or not stem:
            return "has no suffix; only texts with a known suffix are offered, and list_files shows folders"
        if f".{suffix.casefold()}" in self.suffixes:
            return ""
        return f"ends with .{suffix}, and such files are not offered; only texts are, such as .py"
