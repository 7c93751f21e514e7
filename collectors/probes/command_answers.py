"""What commands answered, for probes that ask them for what files leave open."""


def read(answer, reader, otherwise):
    """The command's Input as its reader reads it; `otherwise` where it was not asked, did not run, or printed junk."""
    if answer is None or answer.text is None:
        return otherwise
    try:
        return reader(answer.text)
    except ValueError:
        return otherwise
