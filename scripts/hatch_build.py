"""Build hook: puts the built web client into the wheel as ``server/web``.

A hook and not a plain ``force-include``, because an editable install must work before the client is built.
"""

from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class WebClientHook(BuildHookInterface):  # type: ignore[type-arg]  # the hook takes any builder's configuration
    """Adds ``web_client/dist`` to a wheel."""

    def initialize(self, version: str, build_data: dict[str, dict[str, str]]) -> None:
        """Names the files to add.

        Args:
            version: ``standard`` for a wheel, ``editable`` for a checkout, which finds the client by itself.
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
