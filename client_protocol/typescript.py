"""Writes the browser's copy of the wire, `web_client/src/lib/protocol.ts`, from the message structs.

    python -m client_protocol.typescript            writes the file
    python -m client_protocol.typescript --check    compares, and ends with 1 when the file is out of date

Python stays the one source: names, order and docstrings are taken from the modules' own text, types from
their annotations.
"""

from __future__ import annotations

import ast
import inspect
import types
import typing
from collections.abc import Iterator
from pathlib import Path

import msgspec

from client_protocol import (
    campaigns,
    choices,
    clocks,
    explained,
    forces,
    from_client,
    from_server,
    leagues,
    luck,
    maps,
    players,
    shapes,
    view,
)
from client_protocol.generated import write_or_check

MODULES = (
    shapes,
    explained,
    choices,
    clocks,
    view,
    forces,
    campaigns,
    maps,
    leagues,
    luck,
    players,
    from_client,
    from_server,
)
TARGET = Path(__file__).parent.parent / "web_client" / "src" / "lib" / "protocol.ts"
BANNER = """\
// Generated from client_protocol/*.py by `python -m client_protocol.typescript`: do not edit.
/* eslint-disable */
"""
WIDTH = 110
_PLAIN: dict[object, str] = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    bytes: "Uint8Array",
    type(None): "null",
    typing.Any: "unknown",
}


class _Names:
    """Knows which annotations have a name of their own, so that `Id` does not become `string`."""

    def __init__(self) -> None:
        self._named: list[tuple[object, str]] = []

    def add(self, name: str, annotation: object) -> None:
        self._named.append((annotation, name))

    def of(self, annotation: object) -> str | None:
        return next((name for known, name in self._named if known == annotation), None)


def typescript(annotation: object, names: _Names) -> str:
    """Return a Python annotation as a TypeScript type.

    Args:
        annotation: a resolved annotation (no strings left in it).
        names: the annotations that have a name of their own.

    Raises:
        TypeError: the annotation is of a kind the wire does not use.
    """
    name = names.of(annotation)
    return name if name is not None else _structure(annotation, names)


def _structure(annotation: object, names: _Names) -> str:
    if annotation is typing.Any or (isinstance(annotation, type) and annotation in _PLAIN):
        return _PLAIN[annotation]
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        return annotation.__name__
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return typescript(arguments[0], names)
    if origin is typing.Literal:
        return " | ".join(f'"{value}"' for value in arguments)
    if origin in (typing.Union, types.UnionType):
        return " | ".join(typescript(part, names) for part in arguments)
    if origin is dict:
        return f"Record<{typescript(arguments[0], names)}, {typescript(arguments[1], names)}>"
    if origin is tuple and arguments[-1] is Ellipsis:
        inner = typescript(arguments[0], names)
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if origin is tuple:
        return f"[{', '.join(typescript(part, names) for part in arguments)}]"
    raise TypeError(f"The wire has no TypeScript form for {annotation!r}.")


def _comment(text: str, indent: str = "") -> str:
    lines = inspect.cleandoc(text).splitlines()
    if len(lines) == 1:
        return f"{indent}/** {lines[0]} */\n"
    return f"{indent}/**\n" + "".join(f"{indent} * {line}".rstrip() + "\n" for line in lines) + f"{indent} */\n"


def _alias(name: str, text: str) -> str:
    """Return a type alias, one alternative on a line if it does not fit on one."""
    line = f"export type {name} = {text};\n"
    if len(line) <= WIDTH or " | " not in text:
        return line
    return f"export type {name} =\n" + "\n".join(f"  | {part}" for part in text.split(" | ")) + ";\n"


def _tuple(struct: type[msgspec.Struct], hints: dict[str, object], names: _Names) -> str:
    """Return the type of a struct that is sent as an array: a tuple with labels."""
    parts = [f"{field.encode_name}: {typescript(hints[field.name], names)}" for field in msgspec.structs.fields(struct)]
    line = f"export type {struct.__name__} = [{', '.join(parts)}];\n"
    if len(line) <= WIDTH:
        return line
    return f"export type {struct.__name__} = [\n" + "".join(f"  {part},\n" for part in parts) + "];\n"


def _interface(struct: type[msgspec.Struct], hints: dict[str, object], names: _Names) -> str:
    """Return the type of a struct that is sent as a map; fields may be absent where defaults are omitted or a client sends."""
    config = struct.__struct_config__
    may_miss = config.omit_defaults or config.forbid_unknown_fields
    lines = [f"export interface {struct.__name__} {{\n"]
    if config.tag is not None:
        lines.append(f'  {config.tag_field}: "{config.tag}";\n')
    for field in msgspec.structs.fields(struct):
        mark = "?" if may_miss and not field.required else ""
        lines.append(f"  {field.encode_name}{mark}: {typescript(hints[field.name], names)};\n")
    return "".join(lines) + "}\n"


def _statements(module: types.ModuleType) -> Iterator[tuple[str, str]]:
    """Yield the public names that a module defines, in order, each with the text that documents it."""
    body = ast.parse(inspect.getsource(module)).body
    for statement, following in zip(body, [*body[1:], None], strict=True):
        if isinstance(statement, ast.ClassDef):
            name, text = statement.name, ast.get_docstring(statement) or ""
        elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            name, text = statement.targets[0].id, ""
            if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
                text = str(following.value.value)
        else:
            continue
        if not name.startswith("_"):
            yield name, text


def _longest(annotation: object) -> int | None:
    """Return the most characters of a text, if the annotation bounds it."""
    if typing.get_origin(annotation) is not typing.Annotated or typing.get_args(annotation)[0] is not str:
        return None
    return next((meta.max_length for meta in typing.get_args(annotation)[1:] if isinstance(meta, msgspec.Meta)), None)


def generate() -> str:
    """Return the whole text of `protocol.ts`."""
    names = _Names()
    parts = [BANNER]
    longest: dict[str, int] = {}
    for module in MODULES:
        parts.append(f"\n// {'-' * 20} {module.__name__.replace('.', '/')}.py {'-' * 20}\n")
        for name, text in _statements(module):
            found: object = getattr(module, name)
            parts.append("\n" + (_comment(text) if text else ""))
            if isinstance(found, int):
                parts.append(f"export const {name} = {found};\n")
            elif isinstance(found, str):
                parts.append(f'export const {name} = "{found}";\n')
            elif isinstance(found, type) and issubclass(found, msgspec.Struct):
                hints: dict[str, object] = typing.get_type_hints(found, include_extras=True)
                form = _tuple if found.__struct_config__.array_like else _interface
                parts.append(form(found, hints, names))
            else:
                parts.append(_alias(name, _structure(found, names)))
                # A name for a plain int must not replace every int.
                if not (isinstance(found, type) and found in _PLAIN):
                    names.add(name, found)
                most = _longest(found)
                if most is not None:
                    longest[name] = most
    parts.append("\n/** The most characters that texts of these types may have. */\nexport const LONGEST = {\n")
    parts.extend(f"  {name}: {most},\n" for name, most in longest.items())
    parts.append("} as const;\n")
    return "".join(parts)


def main(arguments: list[str] | None = None) -> int:
    """Write `protocol.ts`, or with `--check` return whether it is up to date (0) or not (1)."""
    return write_or_check("client_protocol.typescript", __doc__.partition("\n")[0], TARGET, generate(), arguments)


if __name__ == "__main__":
    raise SystemExit(main())
