"""The refusals of the oracle, on the built-ins that the library's own exceptions derive from."""


class Refused(ValueError):
    """A value that the contract does not allow."""


class BadScore(Refused):
    """A score that is absent, not a number or infinite where arithmetic or ordering needs it."""


class WrongKind(TypeError):
    """An object of the wrong kind."""
