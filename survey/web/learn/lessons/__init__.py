"""The lessons, in the order of the course. A new lesson is a module here and a line below."""

from survey.web.learn.lesson import Lesson
from survey.web.learn.lessons.before_and_after import BeforeAndAfter
from survey.web.learn.lessons.break_it import BreakIt
from survey.web.learn.lessons.clip_bounds import Clipping
from survey.web.learn.lessons.composition import Composition
from survey.web.learn.lessons.curator import Curator
from survey.web.learn.lessons.definition import Definition
from survey.web.learn.lessons.gamma import Gamma
from survey.web.learn.lessons.k_anonymity import KAnonymity
from survey.web.learn.lessons.known_facts import KnownFacts
from survey.web.learn.lessons.mechanisms import Mechanisms
from survey.web.learn.lessons.slips import Slips
from survey.web.learn.lessons.smokers import Smokers
from survey.web.learn.lessons.statistics import EightStatistics
from survey.web.learn.lessons.titanic_tree import TitanicTree
from survey.web.learn.lessons.two_coins import TwoCoins

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
