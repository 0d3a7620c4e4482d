// CUDA: the value of a lane that takes no part in a shuffle is undefined. That is wrong only where something depends on it, and
// a value in a register leaves no trace. So the launch goes on twice, in this process with one value and in a copy of it with
// another: what nothing depends on leaves the same memory, the same text and the same errors behind.
//
// Where a launcher is graded no process may be copied. There the values differ from lane to lane, and the grader, which has the
// right answer, says nothing of one that changed nothing (grading/judging.py).
// Source: CUDA C++ Programming Guide, "Warp Shuffle Functions".
#include "undefined.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../memory/memory.h"
#include "../report/findings.h"
#include "launch.h"
#include "program.h"
#include "time_limit.h"

namespace __ok {
namespace {
// For 1 and 2 bytes, 4 and 8: as floating-point numbers NaN, a very large one, and one far below zero of another magnitude. As
// integers they differ in sign and in their bits, the lowest included. A maximum, a minimum and a sum each show one of a pair.
struct Values {
    uint64_t two, four, eight;
};
constexpr Values VALUES[] = {{0x7fff, 0x7fc00000, 0x7ff8000000000000}, {0x7bff, 0x7f7fffff, 0x7fefffffffffffff},
                             {0xf4e0, 0xf149f2ca, 0xfe37e43c8800759c}};
enum World { HERE = 1, THERE = 2 };  // which of them this process and its copy give

// By the line of a launch's first such shuffle: how many launches nothing of it was seen in. After some it is not asked again.
std::map<uint64_t, int> unseen;
constexpr int SURE = 16, SEEN = -1;
int* line_of_launch = nullptr;
pid_t copy = 0;
bool is_copy = false;
int between = -1;      // the pipe through which the copy tells
uint64_t printed = 0;  // of what the launch has printed since

uint64_t joined(uint64_t hash, uint64_t word) { return (hash ^ word) * 0x9e3779b97f4a7c15ull + (hash >> 29); }
uint64_t joined(uint64_t hash, const char* bytes, size_t length) {
    for (; length >= 8; bytes += 8, length -= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        hash = joined(hash, word);
    }
    uint64_t rest = 0;
    memcpy(&rest, bytes, length);
    return joined(joined(hash, rest), length);
}

// All that anybody can see of the launch.
uint64_t left_behind(const Launch& launch, int fault) {
    uint64_t hash = joined(joined(printed, static_cast<uint64_t>(fault)), launch.aborted);
    for (int i = 1; i < allocation_count; i++) {
        const Allocation& a = allocations[i];
        const bool written = a.stored || a.updated || a.touched & WRITTEN || !(options & RACES);
        if (a.live && !a.sparse && written) hash = joined(hash, reinterpret_cast<const char*>(a.low), a.high - a.low);
    }
    return hash;
}

void become_copy(int pipe) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGXCPU, SIG_DFL);
    const rlim_t seconds = static_cast<rlim_t>(seconds_allowed()) + 1;  // the clock of the launch stays behind
    const rlimit limit{seconds, seconds}, none{0, 0};
    setrlimit(RLIMIT_CPU, &limit);
    setrlimit(RLIMIT_CORE, &none);
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int k : {STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, k);
    forget_progress();
    is_copy = true;
    between = pipe;
}

void make_copy() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC)) return;
    copy = fork();
    if (!copy) {
        become_copy(ends[1]);
        return;
    }
    between = ends[0];
    close(ends[1]);
    if (copy > 0) return;
    close(between);
    copy = 0;
}
}  // namespace

uint64_t undefined_value(Worker& w, int bytes, Site at) {
    Launch& launch = *w.launch;
    Busy busy;
    const bool first = !launch.undefined.exchange(true), graded = options & (SCRAMBLE | SPARSE) || launch.on_several_cores;
    const uint64_t line = joined(uint64_t(at.line), reinterpret_cast<uintptr_t>(at.file));
    if (first) {
        printed = 0;
        line_of_launch = graded ? nullptr : &unseen[line];
        if (line_of_launch && *line_of_launch != SEEN && *line_of_launch < SURE) make_copy();
    }
    int which = is_copy ? THERE : HERE;
    if (graded) which = static_cast<int>((joined(joined(line, w.block), launch.serial * WARP + w.rank) >> 40) % 3);
    const Values& v = VALUES[which];
    return bytes == 8 ? v.eight : bytes == 4 ? v.four : v.two;
}

void undefined_printed(const char* text, size_t length) { printed = joined(printed, text, length); }

void end_if_copy() {
    if (is_copy) _exit(1);
}

void compare_worlds(const Launch& launch, int fault) {
    if (!launch.undefined || !line_of_launch) return;
    int& known = *line_of_launch;
    if (copy || is_copy) {
        const uint64_t mine = left_behind(launch, fault);
        if (is_copy) _exit(::write(between, &mine, sizeof mine) == sizeof mine ? 0 : 1);
        uint64_t other = 0;
        ssize_t told = 0;
        while ((told = ::read(between, &other, sizeof other)) < 0 && errno == EINTR) {}
        ::close(between);
        while (waitpid(copy, nullptr, 0) < 0 && errno == EINTR) {}
        copy = 0;
        known = told == sizeof other && other == mine ? known + 1 : SEEN;
        if (known != SEEN) withdraw_all_in_launch("absent-lane");
    } else if (known == SURE) {
        withdraw_all_in_launch("absent-lane");
    }
}
}  // namespace __ok
