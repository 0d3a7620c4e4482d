// What knows the card that is modelled (OK_ARCH): the one unit that is compiled for each.
#include "machine/registers.cpp"
#include "machine/limits.cpp"
#include "report/launches.cpp"
