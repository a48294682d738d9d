"""Question types: each is one module with one class. To add a type, add a module.

This package imports every module of the folder, which registers its type. It may import `core`, and
of `definition` what lies below the questions. Start reading in `registry`, then in `select_one`.
"""

from importlib import import_module
from pkgutil import iter_modules

from survey.definition.types.registry import QUESTION_TYPES, QuestionType, question_type

for module in iter_modules(__path__):
    import_module(f"{__name__}.{module.name}")

__all__ = ["QUESTION_TYPES", "QuestionType", "question_type"]
