"""The lessons, in the order of the course. A new lesson is a module here and a line below."""

from survey.learn.lesson import Lesson
from survey.learn.lessons.before_and_after import BeforeAndAfter
from survey.learn.lessons.break_it import BreakIt
from survey.learn.lessons.clip_bounds import Clipping
from survey.learn.lessons.composition import Composition
from survey.learn.lessons.curator import Curator
from survey.learn.lessons.definition import Definition
from survey.learn.lessons.gamma import Gamma
from survey.learn.lessons.k_anonymity import KAnonymity
from survey.learn.lessons.known_facts import KnownFacts
from survey.learn.lessons.mechanisms import Mechanisms
from survey.learn.lessons.slips import Slips
from survey.learn.lessons.smokers import Smokers
from survey.learn.lessons.statistics import EightStatistics
from survey.learn.lessons.titanic_tree import TitanicTree
from survey.learn.lessons.two_coins import TwoCoins

LESSONS: tuple[Lesson, ...] = (
    Definition(),
    TwoCoins(),
    Gamma(),
    Curator(),
    Smokers(),
    Clipping(),
    Mechanisms(),
    EightStatistics(),
    Composition(),
    TitanicTree(),
    KnownFacts(),
    KAnonymity(),
    BeforeAndAfter(),
    BreakIt(),
    Slips(),
)
