"""What the pytest plugin does once somebody is to be graded, or starters are to be shown.

run.py      whom this run grades, on what device, and what came of it
items.py    the collectors and items: a starter, a lab, an exercise of a student, a check
report.py   the points below the tests, and the files for other programs
"""
