"""Publication from plain questions by a trusted curator: what is released, at what loss, how exact.

The server has the plain answers as they were given, and publishes statistics with noise, so that
whoever reads them can hardly tell whether a respondent's answers were among them (Dwork and Roth,
The Algorithmic Foundations of Differential Privacy, 2014). docs/explanation/dp-releases.md has the
neighbouring relation: data with one respondent more or fewer, where the number of responses is
public. It may import `core` to `planning`. Start reading in `dp_request`; `opendp_sampler` alone
draws.
"""
