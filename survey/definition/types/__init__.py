"""Types of questions: each is one module with one class. Adding one is adding one module.

Every module of this folder is imported here, which registers its type. It may import `core`, and
of `definition` what lies below the questions. Start reading in `registry`, then in `select_one`.
"""

from importlib import import_module
from pkgutil import iter_modules

from survey.definition.types.registry import QUESTION_TYPES, QuestionType, question_type

for module in iter_modules(__path__):
    import_module(f"{__name__}.{module.name}")

__all__ = ["QUESTION_TYPES", "QuestionType", "question_type"]
