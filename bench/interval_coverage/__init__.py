"""Simulation studies for docs/evidence. They are run by hand, and the tests check a part."""
