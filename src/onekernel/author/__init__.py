"""The author's door: what a new piece of the course needs, what is missing from one, and what is generated.

    onekernel/author/templates/SORT/   the files of a new piece, laid out as in the repository
    onekernel/author/new.py            writes them
    onekernel/author/verify.py         asks what is missing from one; `exercises` and `findings` know their own
    onekernel/author/generated.py      what is written from something else

The tests of the course ask the same functions of everything that there is.
"""

SORTS = ("exercise", "practice", "kind", "finding", "checker")
