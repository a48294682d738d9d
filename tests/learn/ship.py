"""The people of the Titanic and the codes of their answers, for several test modules."""

from survey.learn.trees.tree_ways import ALL_PEOPLE, DATA_SETS, PASSENGERS
from survey.web.titanic_people import titanic_people

PEOPLE = titanic_people()
CLASS, SEX, AGE = range(3)
WOMAN, CHILD = 1, 1
ALL, SOME = DATA_SETS[ALL_PEOPLE], DATA_SETS[PASSENGERS]
