import time, warnings
import pytest
from tests.admin.test_regression import *
@pytest.mark.parametrize("n",[60])
def test_slow(researcher, store, n):
    every_type(store, n)
    names = kinds(options(shown(researcher, "/regression"), "outcome"))
    for place, outcome in enumerate(names):
        other, third = names[place - 1], names[place - 2]
        for predictors in ([other], [other, third]):
            t=time.time()
            try:
                page = shown(researcher, "/regression", outcome=outcome, predictors=predictors)
                r=('id="coefficients"' in page),(REFUSED in page)
            except Exception as e:
                r=repr(e)
            print(f"{time.time()-t:.2f}", outcome, predictors, r, flush=True)
