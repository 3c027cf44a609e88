"""`scripts/fields.h`: what the compiled modules read of an object is what Python reads, whatever they have read before."""

from __future__ import annotations

import os
import shlex
import subprocess
import sysconfig
from collections.abc import Callable
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
from typing import Any

import pytest
from msgspec import Struct

from tests.support.compiling import script_that_can_compile

SOURCE = """
static PyObject *read_field(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    return PyObject_GetAttr(args[0], args[1]);
}
static PyMethodDef methods[] = {{"read", (PyCFunction)(void *)read_field, METH_FASTCALL, 0}, {0}};
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "reading", 0, -1, methods};
PyMODINIT_FUNC PyInit_reading(void) { return PyModule_Create(&definition); }
"""
"""A module with one place that reads a field."""

Read = Callable[[object, str], Any]


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Read:
    """Reads a field of an object, always at the same place in the code."""
    tool = script_that_can_compile()
    folder = tmp_path_factory.mktemp("reading")
    (folder / "reading.c").write_text(SOURCE)
    made = folder / f"reading{sysconfig.get_config_var('EXT_SUFFIX')}"
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC"))
    flags = ["-shared", "-fPIC", "-O2", "-Wall", "-Werror", f"-I{sysconfig.get_path('include')}"]
    command = [*compiler, *flags, "-include", str(tool.FIELDS), str(folder / "reading.c"), "-o", str(made)]
    subprocess.run(command, check=True)
    loader = ExtensionFileLoader("reading", str(made))
    spec = spec_from_loader("reading", loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    found: Read = module.read
    return found


class Squad(Struct, frozen=True, gc=False):
    name: str
    figures: int

    @property
    def label(self) -> str:
        return f"{self.name} of {self.figures}"


class Crew(Squad, frozen=True, gc=False):
    gunner: str


def test_the_same_place_reads_one_field_after_the_other(read: Read) -> None:
    squad = Squad("Red", 8)
    for _ in range(3):
        assert [read(squad, name) for name in ("name", "figures", "label")] == ["Red", 8, "Red of 8"]


def test_the_same_place_reads_objects_of_one_class_after_the_other(read: Read) -> None:
    class Backwards(Struct):
        figures: int
        aboard: str
        name: str

    others = (Squad("Red", 8), Crew("Blue", 3, "k"), Backwards(4, "", "Green"))
    for _ in range(3):
        assert [(read(other, "name"), read(other, "figures")) for other in others] == [
            ("Red", 8),
            ("Blue", 3),
            ("Green", 4),
        ]


def test_a_name_that_is_made_anew_each_time_is_read_too(read: Read) -> None:
    crew = Crew("Blue", 3, "k")
    halves = [("gun", "ner"), ("na", "me")] * 100
    # Each name is gone before the next one is made, perhaps at the same address.
    found = [read(crew, "".join(half)) for half in halves]
    assert found == ["k", "Blue"] * 100


def test_a_class_that_is_changed_is_looked_up_again(read: Read) -> None:
    class Changed:
        __slots__ = ("name",)

    changed: Any = Changed()
    changed.name = "before"
    assert read(changed, "name") == "before"
    Changed.name = property(lambda _self: "after")  # type: ignore[attr-defined]  # that is what changes
    assert read(changed, "name") == "after"


def test_a_class_that_looks_names_up_in_its_own_way_is_asked(read: Read) -> None:
    class Own:
        __slots__ = ("name",)

        def __getattribute__(self, name: str) -> str:
            return f"own {name}"

    own: Any = Own()
    own.name = "set"
    for _ in range(2):
        assert read(own, "name") == "own name"


def test_a_field_that_was_never_set_raises_what_python_raises(read: Read) -> None:
    class Empty:
        __slots__ = ("name",)

    empty: Any = Empty()
    for _ in range(2):
        with pytest.raises(AttributeError, match="name"):
            read(empty, "name")
    empty.name = "set"
    assert read(empty, "name") == "set"
    with pytest.raises(AttributeError, match="rank"):
        read(empty, "rank")


def test_what_is_read_is_kept_alive_by_the_one_who_reads_it(read: Read) -> None:
    squad = Squad(str(bytearray(b"Red"), "ascii"), 8)
    name = read(squad, "name")
    del squad
    assert name == "Red"
