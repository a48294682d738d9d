"""Central DP releases of non-private questions: requests, budget, noise, accuracy.

The server has the answers to non-private questions as given, and acts as a trusted curator. It
publishes statistics with noise. So readers can hardly tell whether the answers of a respondent were
among them. The reference is Dwork and Roth, The Algorithmic Foundations of Differential Privacy,
2014.

docs/explanation/dp-releases.md defines neighbouring data: one respondent more or fewer, where the
number of responses is public.

It may import `core` to `planning`. Start reading in `dp_request`. Only `opendp_sampler` draws
noise.
"""
