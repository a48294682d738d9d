"""The password policy, after OWASP ASVS 5.0, 6.2.

A password has at least twelve characters of any kind. It does not expire, and needs no mix of
characters. zxcvbn estimates how many guesses a password needs, and fewer than 10^8 are refused. It
knows the 30,000 most common passwords, names, words, keyboard rows, dates, repetitions and usual
letter replacements. Only about 230 of these 30,000 have twelve characters, so a list alone would
not help here: it does not contain "password1234". A password that contains the account's name is
also refused. Candor asks no other service, so it does not know whether a password has leaked.
"""

from survey.core.translate import translate

MIN_PASSWORD_CHARACTERS = 12
MAX_PASSWORD_CHARACTERS = 1000
# This score means at least 10^8 guesses.
MIN_ZXCVBN_SCORE = 3
# A shorter name can be part of a password by chance.
MIN_NAME_CHARACTERS = 3
# zxcvbn's time grows steeply with the length, and 32 characters are enough for a good score.
MAX_SCORED_CHARACTERS = 32


def password_fault(password: str, name: str) -> str | None:
    """A message about what is wrong with a password for this account, or None."""
    if len(password) < MIN_PASSWORD_CHARACTERS:
        return translate("Use at least %(n)s characters.", n=MIN_PASSWORD_CHARACTERS)
    if len(password) > MAX_PASSWORD_CHARACTERS:
        return translate("Use at most %(n)s characters.", n=MAX_PASSWORD_CHARACTERS)
    if len(name) >= MIN_NAME_CHARACTERS and name.casefold() in password.casefold():
        return translate("The password contains the name of the account. Leave the name out.")
    # Its word lists take 0.05 s to load, so import it only when a password is set.
    from zxcvbn import zxcvbn

    guessed = zxcvbn(password[:MAX_SCORED_CHARACTERS], user_inputs=["candor", name])
    if guessed["score"] < MIN_ZXCVBN_SCORE:
        return translate("This password is too easy to guess. Use four or five random words.")
    return None
