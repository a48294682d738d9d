"""Which passwords are taken, by OWASP ASVS 5.0, 6.2.

Twelve characters or more, of any kind; nothing expires, nothing has to be mixed. Refused is what
is guessed early: zxcvbn, which knows the 30,000 commonest passwords, names, words, keyboard rows,
dates, repeats and the usual replacements of letters, reckons how many guesses each would take;
fewer than 10^8 are too few. Of those 30,000 only some 230 have twelve characters, so that a list
alone, however long, would say little here: "password1234" is in none of them. Refused are, too,
passwords with the name of the account in them. Nobody else is asked, so whether a password was in
somebody's leak is not known.
"""

MIN_PASSWORD_CHARACTERS, MAX_PASSWORD_CHARACTERS = 12, 1000
MIN_ZXCVBN_SCORE = 3  # of zxcvbn's scores: at least 10^8 guesses
MIN_NAME_CHARACTERS = 3  # a shorter name is in a password by chance
MAX_SCORED_CHARACTERS = (
    32  # characters; its time grows steeply, and 32 that are hard to guess are enough
)


def password_fault(password: str, name: str) -> str | None:
    """What is wrong with a password for this account, as a sentence; None if nothing is."""
    if len(password) < MIN_PASSWORD_CHARACTERS:
        return f"Use at least {MIN_PASSWORD_CHARACTERS} characters."
    if len(password) > MAX_PASSWORD_CHARACTERS:
        return f"Use at most {MAX_PASSWORD_CHARACTERS} characters."
    if len(name) >= MIN_NAME_CHARACTERS and name.casefold() in password.casefold():
        return "The password contains the name of the account. Leave the name out."
    # loaded when a password is set: its lists of words take a twentieth of a second
    from zxcvbn import zxcvbn

    guessed = zxcvbn(password[:MAX_SCORED_CHARACTERS], user_inputs=["candor", name])
    if guessed["score"] < MIN_ZXCVBN_SCORE:
        return "This password is too easy to guess. Use four or five random words."
    return None
