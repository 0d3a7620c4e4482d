// The command lines of NVIDIA's samples, `-name` and `-name=value`, ours: written from how the samples use it.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <strings.h>

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
#ifndef STRNCASECMP
#define STRNCASECMP strncasecmp
#define STRCASECMP strcasecmp
#define STRCPY(to, size, from) strcpy(to, from)
#define SPRINTF sprintf
#define FOPEN(file, name, mode) (file = fopen(name, mode))
#endif

// Behind `-name=` or `-name`; null where no word says it.
inline const char* ok_sample_option(int argc, const char** argv, const char* name) {
    for (int i = 1; i < argc; ++i) {
        const char* word = argv[i];
        while (*word == '-') ++word;
        const size_t length = strlen(name);
        if (word != argv[i] && strncasecmp(word, name, length) == 0 && (word[length] == '\0' || word[length] == '='))
            return word + length + (word[length] == '=');
    }
    return nullptr;
}
inline bool checkCmdLineFlag(int argc, const char** argv, const char* name) { return ok_sample_option(argc, argv, name) != nullptr; }
inline int getCmdLineArgumentInt(int argc, const char** argv, const char* name) {
    const char* found = ok_sample_option(argc, argv, name);
    return found ? atoi(found) : 0;
}
inline float getCmdLineArgumentFloat(int argc, const char** argv, const char* name) {
    const char* found = ok_sample_option(argc, argv, name);
    return found ? static_cast<float>(atof(found)) : 0.0f;
}
inline bool getCmdLineArgumentString(int argc, const char** argv, const char* name, char** value) {
    const char* found = ok_sample_option(argc, argv, name);
    *value = const_cast<char*>(found);
    return found != nullptr;
}
template <class T>
inline bool getCmdLineArgumentValue(int argc, const char** argv, const char* name, T* value) {
    const char* found = ok_sample_option(argc, argv, name);
    if (found) *value = static_cast<T>(atof(found));
    return found != nullptr;
}
// Where a sample's data lie: beside the program or in its folder `data`; it says so and gives null where they do not.
inline char* sdkFindFilePath(const char* name, const char* = nullptr) {
    for (const char* folder : {"./", "./data/", "../data/", "../../data/", "../../../Common/data/"}) {
        const std::string path = std::string(folder) + name;
        if (FILE* file = fopen(path.c_str(), "rb")) {
            fclose(file);
            return strdup(path.c_str());
        }
    }
    printf("\nerror: sdkFindFilePath: file <%s> not found!\n", name);
    return nullptr;
}
