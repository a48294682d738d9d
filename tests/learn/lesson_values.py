"""Lessons with values of their controls, for several test modules."""

import random

import pytest

from survey.learn.controls import Draw, Slider, TypedNumber, Values, read_values
from survey.learn.lesson import Lesson
from survey.learn.lessons import LESSONS

each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.address)


def some_values(lesson: Lesson) -> list[Values]:
    """The usual values, both ends of all controls, and four draws of all by chance."""
    generator = random.Random(17)
    chosen = []
    for place in range(7):
        address = {}
        for control in lesson.controls:
            if isinstance(control, Slider):
                steps = (float(control.high) - float(control.low)) / float(control.step)
                at = generator.randint(0, round(steps)) * float(control.step)
                places = {0: control.start, 1: float(control.low), 2: float(control.high)}
                value: object = places.get(place, float(control.low) + at)
            elif isinstance(control, Draw):
                value = place + 1
            elif isinstance(control, TypedNumber):
                value = {0: "", 1: control.low, 2: control.high}.get(place, "63.75")
            else:
                options = list(control.options)
                places_of = {0: control.start, 1: options[0], 2: options[-1]}
                value = places_of.get(place, generator.choice(options))
            address[control.name] = str(value)
        chosen.append(read_values(lesson.controls, address))
    assert not any(values.refused for values in chosen)
    return chosen
