"""The command palette: every action of the screen at hand, in words."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from textual.app import App
from textual.binding import Binding
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.screen import Screen

from endgame_tui.widgets.bars import keys_of


class Actions(Provider):
    """All actions of the current screen and of the app."""

    def _actions(self) -> list[tuple[str, str, str]]:
        """Description, keys and action of every binding that does something here."""
        found: list[tuple[str, str, str]] = []
        for owner in (self.screen, self.app):
            prefix = "screen." if isinstance(owner, Screen) else "app."
            for binding in bindings_of(owner):
                if binding.description:
                    keys = self.app.get_key_display(binding)
                    found.append((binding.description, keys, prefix + binding.action))
        found.append(("Dark or light", "", "app.theme"))
        if all(action != "screen.syzygy" for _, _, action in found):
            found.append(("Syzygy files", "", "app.syzygy"))
        return found

    def _run(self, action: str) -> None:
        """Runs an action where it belongs."""
        owner, _, name = action.partition(".")
        node: App[object] | Screen[object] = self.app if owner == "app" else self.screen
        self.screen.call_later(node.run_action, name)

    async def discover(self) -> Hits:
        """Everything, before anything is typed."""
        for description, keys, action in self._actions():
            yield DiscoveryHit(description, partial(self._run, action), help=keys)

    async def search(self, query: str) -> Hits:
        """What matches the query."""
        matcher = self.matcher(query)
        for description, keys, action in self._actions():
            score = matcher.match(description)
            if score > 0:
                yield Hit(score, matcher.highlight(description), partial(self._run, action), help=keys)


def bindings_of(owner: App[object] | Screen[object]) -> list[Binding]:
    """The keys of an app or a screen, one for each action, described as in the game at hand."""
    game: str = getattr(owner.app, "game", "")
    keys = (key for key in keys_of(type(owner)) if not key.games or game in key.games)
    return [replace(key, description=key.told(game)) for key in keys]
