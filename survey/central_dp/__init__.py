"""Publication from plain questions by a trusted curator: what is released, at what loss, how exact.

The server has the plain answers as they were given, and publishes statistics with noise, so that
whoever reads them can hardly tell whether a respondent's answers were among them (Dwork and Roth,
The Algorithmic Foundations of Differential Privacy, 2014). This room says what is computed, how
much one respondent changes it, and how far the noise may take it;
`survey/central_dp/opendp_sampler.py` draws.

One neighbouring relation holds for all: data with one respondent more or fewer. The number of
responses is public (the survey's pages show it), and so a fixed number here, never a secret. About
what somebody answered who is known to have taken part, the loss is therefore at most twice as
much: one set of answers is taken out and another one put in.
"""
