from __future__ import annotations

from pathlib import Path

import pytest

from client_protocol import typescript


def test_the_copy_in_the_repository_is_up_to_date() -> None:
    assert typescript.TARGET.read_text(encoding="utf-8") == typescript.generate()


def test_check_tells_a_stale_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(typescript, "TARGET", tmp_path / "src" / "protocol.ts")
    assert typescript.main(["--check"]) == 1
    assert typescript.main([]) == 0
    assert typescript.main(["--check"]) == 0
    typescript.TARGET.write_text("// edited\n", encoding="utf-8")
    assert typescript.main(["--check"]) == 1
    assert "out of date" in capsys.readouterr().err


def test_names_tags_tuples_and_docstrings_are_kept() -> None:
    text = typescript.generate()
    assert "export type Die = [sides: number, face: number, mark: string];" in text
    assert (
        '/** Give up. Answered by `Accepted`. */\nexport interface Concede {\n  type: "concede";\n  id: string;' in text
    )
    # What a client sends may leave out defaults; what it gets holds them, unless the struct leaves them out.
    assert "  token?: Secret;\n" in text
    assert "  prompt: Prompt | null;\n" in text
    assert "  prompt?: Prompt | null;\n" in text
    # A number that has a name of its own gives it to no other one.
    assert "  expected: Myriad;\n" in text
    assert "  turn: number;\n" in text
