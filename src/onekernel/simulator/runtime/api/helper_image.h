// Pictures of NVIDIA's samples, PGM and PPM, and comparisons of files; ours: written from Netpbm's format and from how the
// samples use them.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "helper_string.h"

#ifndef MIN
#define MIN(a, b) ((a < b) ? a : b)
#define MAX(a, b) ((a > b) ? a : b)
#endif

struct ok_sample_picture {
    unsigned width = 0, height = 0, channels = 0;  // of a byte each
    std::vector<unsigned char> bytes;
};

// A header's next number, behind white space and comments.
inline unsigned ok_sample_number(std::istream& in) {
    unsigned value = 0;
    while (in >> std::ws && in.peek() == '#') in.ignore(1 << 20, '\n');
    in >> value;
    return value;
}
inline bool ok_sample_read(const char* name, ok_sample_picture& p) {
    std::ifstream in(name ? name : "", std::ios::binary);
    std::string kind;
    in >> kind;
    p.channels = kind == "P5" ? 1 : kind == "P6" ? 3 : 0;
    if (!p.channels) {
        fprintf(stderr, "%s is no binary PGM or PPM file that can be read\n", name ? name : "(no name)");
        return false;
    }
    p.width = ok_sample_number(in);
    p.height = ok_sample_number(in);
    ok_sample_number(in);  // the brightest
    in.get();
    p.bytes.resize(size_t(p.width) * p.height * p.channels);
    in.read(reinterpret_cast<char*>(p.bytes.data()), static_cast<std::streamsize>(p.bytes.size()));
    return bool(in);
}
inline bool ok_sample_write(const char* name, const ok_sample_picture& p) {
    std::ofstream out(name, std::ios::binary);
    out << (p.channels == 1 ? "P5" : "P6") << '\n' << p.width << ' ' << p.height << "\n255\n";
    out.write(reinterpret_cast<const char*>(p.bytes.data()), static_cast<std::streamsize>(p.bytes.size()));
    return bool(out);
}
// `channels` a pixel, of type T: bytes, or numbers from 0 to 1. Memory is asked for where `*data` is null.
template <class T>
inline bool ok_sample_load(const char* name, T** data, unsigned* width, unsigned* height, unsigned channels) {
    ok_sample_picture p;
    if (!ok_sample_read(name, p) || (channels == 1) != (p.channels == 1)) return false;
    const size_t pixels = size_t(p.width) * p.height;
    if (!*data) *data = static_cast<T*>(malloc(pixels * channels * sizeof(T)));
    for (size_t i = 0; i < pixels * channels; ++i) {
        const size_t channel = i % channels;
        const unsigned char byte = channel < p.channels ? p.bytes[i / channels * p.channels + channel] : 0;
        (*data)[i] = std::is_floating_point<T>::value ? static_cast<T>(byte / 255.0f) : static_cast<T>(byte);
    }
    *width = p.width;
    *height = p.height;
    return true;
}
template <class T>
inline bool ok_sample_save(const char* name, const T* data, unsigned width, unsigned height, unsigned channels) {
    ok_sample_picture p;
    p.width = width;
    p.height = height;
    p.channels = channels == 1 ? 1 : 3;
    for (size_t i = 0; i < size_t(width) * height * channels; ++i)
        if (i % channels < p.channels)
            p.bytes.push_back(static_cast<unsigned char>(std::is_floating_point<T>::value ? data[i] * 255 : data[i]));
    return ok_sample_write(name, p);
}
template <class T>
inline bool sdkLoadPGM(const char* name, T** data, unsigned* width, unsigned* height) {
    return ok_sample_load(name, data, width, height, 1);
}
template <class T>
inline bool sdkLoadPPM4(const char* name, T** data, unsigned* width, unsigned* height) {
    return ok_sample_load(name, data, width, height, 4);
}
inline bool sdkLoadPPM4ub(const char* name, unsigned char** data, unsigned* width, unsigned* height) {
    return ok_sample_load(name, data, width, height, 4);
}
inline bool sdkLoadPPMub(const char* name, unsigned char** data, unsigned* width, unsigned* height) {
    return ok_sample_load(name, data, width, height, 3);
}
template <class T>
inline bool sdkSavePGM(const char* name, T* data, unsigned width, unsigned height) {
    return ok_sample_save(name, data, width, height, 1);
}
inline bool sdkSavePPM4ub(const char* name, unsigned char* data, unsigned width, unsigned height) {
    return ok_sample_save(name, data, width, height, 4);
}
inline bool __loadPPM(const char* name, unsigned char** data, unsigned* width, unsigned* height, unsigned* channels) {
    ok_sample_picture p;
    if (!ok_sample_read(name, p)) return false;
    *channels = p.channels;
    return ok_sample_load(name, data, width, height, p.channels);
}
inline bool __savePPM(const char* name, unsigned char* data, unsigned width, unsigned height, unsigned channels) {
    return ok_sample_save(name, data, width, height, channels);
}

// Whether fewer than the share `threshold` of the numbers differ by more than `epsilon`; none at all where it is 0.
template <class T>
inline bool ok_sample_alike(const std::vector<T>& a, const std::vector<T>& b, float epsilon, float threshold) {
    size_t wrong = 0;
    for (size_t i = 0; i < a.size() && i < b.size(); ++i) wrong += std::fabs(double(a[i]) - double(b[i])) > epsilon;
    return a.size() == b.size() && (threshold == 0.0f ? wrong == 0 : double(wrong) < double(threshold) * double(a.size()));
}
template <class T, class S>
inline bool compareData(const T* reference, const T* data, const unsigned length, const S epsilon, const float threshold) {
    unsigned wrong = 0;
    for (unsigned i = 0; i < length; ++i) wrong += std::fabs(double(reference[i]) - double(data[i])) > double(epsilon);
    return threshold == 0 ? wrong == 0 : wrong < threshold * length;
}
inline bool sdkComparePPM(const char* name, const char* reference, float epsilon, float threshold, bool) {
    ok_sample_picture a, b;
    return ok_sample_read(name, a) && ok_sample_read(reference, b) && ok_sample_alike(a.bytes, b.bytes, epsilon, threshold);
}
inline bool sdkComparePGM(const char* name, const char* reference, float epsilon, float threshold, bool verbose) {
    return sdkComparePPM(name, reference, epsilon, threshold, verbose);
}
template <class T>
inline std::vector<T> ok_sample_numbers(const char* name, size_t most) {
    std::ifstream in(name ? name : "", std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    std::vector<T> numbers(std::min(most, bytes.size() / sizeof(T)));
    memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(T));
    return numbers;
}
template <class T>
inline bool ok_sample_alike_files(const char* name, const char* reference, unsigned count, float epsilon, float threshold) {
    char* found = sdkFindFilePath(reference);
    const std::vector<T> a = ok_sample_numbers<T>(name, count), b = ok_sample_numbers<T>(found, count);
    free(found);
    return a.size() == count && ok_sample_alike(a, b, epsilon, threshold);
}
inline bool sdkCompareBin2BinFloat(const char* name, const char* reference, unsigned count, float epsilon, float threshold, char* = nullptr) {
    return ok_sample_alike_files<float>(name, reference, count, epsilon, threshold);
}
inline bool sdkCompareBin2BinUint(const char* name, const char* reference, unsigned count, float epsilon, float threshold, char* = nullptr) {
    return ok_sample_alike_files<unsigned>(name, reference, count, epsilon, threshold);
}
inline void sdkDumpBin(void* data, unsigned bytes, const char* name) {
    std::ofstream(name, std::ios::binary).write(static_cast<const char*>(data), bytes);
}
template <class T, class S>
inline bool sdkWriteFile(const char* name, const T* data, unsigned count, const S, bool, bool append = false) {
    std::ofstream out(name, append ? std::ios::app : std::ios::out);
    for (unsigned i = 0; i < count; ++i) out << data[i] << ' ';
    out << '\n';
    return bool(out);
}
