"""Best and worst: how many more people choose an item as the best than as the worst."""

from dataclasses import replace

import numpy as np

from survey.definition.types import QUESTION_TYPES
from survey.estimation.quantities import mean_of_answers, quantity
from survey.estimation.types import ESTIMATION
from survey.estimation.types.select_one import ChoiceEstimation


@ESTIMATION.of(type(QUESTION_TYPES["best_worst"]))
class BestWorstEstimation(ChoiceEstimation):
    """A figure for each item, and the shares of the pairs."""

    def quantities(self, randomizer, tally, level, size):
        figures = []
        for item in self.question.listed:
            values = np.array(
                [
                    float(pair.best.name == item.name) - (pair.worst.name == item.name)
                    for pair in self.question.choices
                ]
            )
            found = mean_of_answers(self.question, randomizer, tally, values, level, size)
            label = f"“{item.label}”: best minus worst"
            figures.append(replace(quantity("best_minus_worst", label, found, ""), item=item))
        return tuple(figures)

    def weighs(self, quantity):
        return True

    def ends(self):
        return -1.0, 1.0
