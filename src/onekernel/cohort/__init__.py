"""A whole class: what was handed in, graded over a night that may be interrupted, and what goes out of it.

submissions, gathering, layouts, archives, matching   whose files these are, and which exercise each answers
tasks, keys, journal, pool, cluster, run              each file graded once, written down as it is reached
similarity                                            files that are nearly equal
outputs, image                                        what is written once everybody is graded; Gradescope's autograder
"""
