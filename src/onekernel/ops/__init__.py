"""The operators of the course, by name: each module beside this one is one, but for `base`."""

from importlib import import_module
from pkgutil import iter_modules

from onekernel.ops.base import Case, Ledger, Mismatch, Operator, Parameter

OPERATORS: dict[str, Operator] = {
    name: import_module(f"{__name__}.{name}").OPERATOR for _, name, _ in iter_modules(__path__) if name != "base"
}

__all__ = ["OPERATORS", "Case", "Ledger", "Mismatch", "Operator", "Parameter"]
