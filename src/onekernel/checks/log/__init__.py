"""Kind "log": rounds of predict, change, measure, explain in the tuning log, which is read and never run."""

from onekernel.course import Kind

KIND = Kind(__name__, {}, runs_code=False)
