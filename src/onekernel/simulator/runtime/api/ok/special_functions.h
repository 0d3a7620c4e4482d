// std::beta and the other special functions of C++17's <cmath>, which cuda_runtime.h leaves out.
#pragma once
#include <cmath>
#if __has_include(<bits/specfun.h>)
#include <bits/specfun.h>
#endif
