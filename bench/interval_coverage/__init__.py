"""Studies whose results stand in docs/: run by hand, checked by the tests in part."""
