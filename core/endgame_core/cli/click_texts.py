"""Sentences of Click that users can meet, for the catalogue; Click asks the standard library for them itself."""

from __future__ import annotations

from endgame_core.language import N_, ngettext

_TEXTS = (
    N_("Usage:"),
    N_("Options"),
    N_("Commands"),
    N_("Show the version and exit."),
    N_("Show this message and exit."),
    N_("Do you want to continue?"),
    N_("Aborted!"),
    N_("Error: {message}"),
    N_("Error: invalid input"),
    N_("Try '{command} {option}' for help."),
    N_("Invalid value: {message}"),
    N_("Invalid value for {param_hint}: {message}"),
    N_("Missing argument"),
    N_("Missing option"),
    N_("Missing parameter"),
    N_("Missing command."),
    N_("No such option {name!r}."),
    N_("No such command {name!r}."),
    N_("Could not open file {filename!r}: {message}"),
    N_("Argument {name!r} takes {nargs} values."),
    N_("Option {name!r} does not take a value."),
    N_("Choose from:\n\t{choices}"),
    N_("default: {default}"),
    N_("env var: {var}"),
    N_("file"),
    N_("directory"),
    N_("path"),
    N_("{value!r} is not a valid {number_type}."),
    N_("{value} is not in the range {range}."),
    N_("{name} {filename!r} does not exist."),
    N_("{name} {filename!r} is a file."),
    N_("{name} {filename!r} is a directory."),
    N_("{name} {filename!r} is not readable."),
    N_("{name} {filename!r} is not writable."),
)

_PLURALS = (
    ngettext("Did you mean {possibility}?", "(Did you mean one of: {possibilities}?)", 1),
    ngettext("Got unexpected extra argument ({args})", "Got unexpected extra arguments ({args})", 1),
    ngettext("Option {name!r} requires an argument.", "Option {name!r} requires {nargs} arguments.", 1),
    ngettext("Takes {nargs} values but 1 was given.", "Takes {nargs} values but {len} were given.", 1),
    ngettext("{value!r} is not {choice}.", "{value!r} is not one of {choices}.", 1),
)
