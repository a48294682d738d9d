"""What a package does with a question of each type: a class with the defaults, and its subclasses.

A package that treats types differently has a folder `types/` with a module for each type that
differs. A question of a type without a class of its own has the class of the type from which its
type derives.
"""

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Generic, Protocol, TypeVar

from survey.definition.types.registry import QuestionType

Behaviour = TypeVar("Behaviour")


class HasKind(Protocol):
    """A question, or what a package knows about one."""

    @property
    def kind(self) -> QuestionType: ...


class TypeBehaviours(Generic[Behaviour]):
    """What one package does with questions, by their type: `BEHAVIOURS[question].method()`.

    A class is called with the question.

    Parameters
    ----------
    folder : the package whose modules declare the classes, such as "survey.estimation.types". They
        are imported at the first look-up, because they import the modules that look them up.
    """

    def __init__(self, folder: str):
        self.folder = folder
        self.loaded = False
        self.by_type: dict[type[QuestionType], type[Behaviour]] = {}

    def of(self, kind: type[QuestionType]) -> Callable[[type[Behaviour]], type[Behaviour]]:
        """The decorator of the class of a question type, and of all types that derive from it."""

        def declare(declared: type[Behaviour]) -> type[Behaviour]:
            if kind in self.by_type:
                raise ValueError(f"{kind.__name__} has a class in {self.folder} already.")
            self.by_type[kind] = declared
            return declared

        return declare

    def __getitem__(self, question: HasKind) -> Behaviour:
        if not self.loaded:
            folder = import_module(self.folder)
            for module in iter_modules(folder.__path__):
                import_module(f"{self.folder}.{module.name}")
            self.loaded = True
        kinds = type(question.kind).__mro__
        declared: Any = next(self.by_type[each] for each in kinds if each in self.by_type)
        behaviour: Behaviour = declared(question)
        return behaviour
