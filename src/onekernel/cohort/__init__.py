"""A whole class: what was handed in, graded over a night that may be interrupted, and what goes out of it.

handed_in, layouts, archives, matching   whose files these are, and which exercise each answers
tasks, journal, pool, run                each file graded once, written down as it is reached
similar                                  files that are nearly equal
outputs                                  what is written once everybody is graded
"""
