"""Gradescope's autograder: the folder that it builds an image of, and what runs in it.

Source: "Autograder Specifications", gradescope-autograders.readthedocs.io: setup.sh is run once as root in
/autograder/source, run_autograder for each submission, which lies in /autograder/submission; the result is
/autograder/results/results.json.
"""
