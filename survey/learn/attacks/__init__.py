"""The attacks of the course texts, on made-up people: a table of raw answers, then Candor.

Each attack is a module with a function that draws the people and attacks both tables. `registry`
lists the attacks with their sentences. The lesson, its notebook and the command `attack` use it.
"""
