"""Build hook: puts the built web client into the wheel as ``server/web``, and the compiled modules as ``server/_compiled``.

A hook and not a plain ``force-include``, because an editable install must work before the client is built, and a wheel can be
made without a C compiler.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BuiltFilesHook(BuildHookInterface):  # type: ignore[type-arg]  # the hook takes any builder's configuration
    """Adds to a wheel what is built: ``web_client/dist``, and the compiled modules, which make it one for this platform."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Names the files to add.

        Args:
            version: ``standard`` for a wheel, ``editable`` for a checkout, which finds what is built by itself.
            build_data: hatchling's settings of this build, changed in place.

        Raises:
            FileNotFoundError: the client is not built.
        """
        if version == "editable":
            return
        built = Path(self.root, "web_client", "dist")
        if not (built / "index.html").is_file():
            raise FileNotFoundError("The web client is not built: run `make build`, which does both.")
        build_data["force_include"][str(built)] = "server/web"
        compiled = Path(self.root, "server", "_compiled")
        subprocess.run([sys.executable, str(Path(self.root, "scripts", "compile.py"))], check=True)
        if compiled.is_dir():
            build_data["force_include"][str(compiled)] = "server/_compiled"
            build_data["pure_python"] = False
            build_data["infer_tag"] = True
