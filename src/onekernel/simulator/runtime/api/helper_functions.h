// The samples' helpers in one, and their comparison of results; ours: written from how the samples use it.
#pragma once
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "helper_image.h"
#include "helper_string.h"
#include "helper_timer.h"

// Whether the norm of the difference is below `epsilon` times that of the reference.
inline bool sdkCompareL2fe(const float* reference, const float* data, const unsigned length, const float epsilon) {
    double error = 0, norm = 0;
    for (unsigned i = 0; i < length; ++i) {
        error += (double(reference[i]) - data[i]) * (double(reference[i]) - data[i]);
        norm += double(reference[i]) * reference[i];
    }
    return norm > 0 && std::sqrt(error) < epsilon * std::sqrt(norm);
}
// Numbers, as text, one behind another.
template <class T>
inline bool sdkReadFile(const char* name, T** data, unsigned* length, bool) {
    std::ifstream file(name);
    std::vector<T> read;
    for (T value; file >> value;) read.push_back(value);
    if (read.empty()) return false;
    if (!*data) *data = static_cast<T*>(malloc(read.size() * sizeof(T)));
    for (size_t i = 0; i < read.size(); ++i) (*data)[i] = read[i];
    *length = static_cast<unsigned>(read.size());
    return true;
}
