"""Kind "puzzle": what a kernel that is shown will be counted to do, or what arithmetic says, as constants in a file."""

from onekernel.course import Kind

KIND = Kind(__name__, {}, runs_code=False)
