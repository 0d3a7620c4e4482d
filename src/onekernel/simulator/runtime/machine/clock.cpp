// The clock that kernels read: nanoseconds of this machine, which order events and measure nothing of a GPU. A thread that
// reads it again and again waits for it to go on: the clock leaps, further each time, since no other thread runs meanwhile.
#include <ctime>

#include <algorithm>
#include <atomic>

#include "../report/findings.h"
#include "../report/unasked.h"
#include "host_clock.h"
#include "launch.h"
#include "program.h"
#include "state.h"
#include "streams.h"

namespace __ok {
static std::atomic<long long> leapt{0};
static std::atomic<bool> noted{false};  // that it is no GPU's clock
constexpr int READS = 32, MOST_DOUBLINGS = 30;  // before it leaps; of a leap of one nanosecond

static long long device_clock(uintptr_t pc) {
    if (is_program && worker && worker->current && !noted.load(std::memory_order_relaxed) && !noted.exchange(true)) {
        Busy busy;
        Finding("own-clock", 1).form("device").code_at(pc).add();
    }
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    Worker* w = worker;
    if (w && w->current) {
        const uint64_t reader = w->block << Worker::RANK_BITS | w->rank;
        w->clock_reads = reader == w->clock_reader ? w->clock_reads + 1 : 0;
        w->clock_reader = reader;
        if (w->clock_reads > READS) leapt += 1ll << std::min(w->clock_reads - READS, MOST_DOUBLINGS);
    }
    return now.tv_sec * 1000000000ll + now.tv_nsec + leapt;
}
extern "C" long long ok_clock() { return device_clock(reinterpret_cast<uintptr_t>(__builtin_return_address(0))); }

// A program that reads its clock, launches, and reads it again measures the launch: of a kernel, if it has waited for it.
void host_clock_read() {
    static std::atomic<int> seen{-1};  // launches when it was read last
    if (!is_program || is_launching() || (worker && worker->current)) return;
    const int launched = launch_count(), before = seen.exchange(launched);
    if (before < 0 || launched <= before) return;
    Busy busy;
    const UnwaitedLaunch last = unwaited_launch();
    if (last.what.empty()) Finding("own-clock", 2).form("host").code_at(stack_of_host()).add();
    else
        Finding("early-clock", uint64_t(last.at.line)).code_at(stack_of_host()).text("what", last.what)
            .number("launched", last.at.line).add();
}
}  // namespace __ok

// clock() is the host's, too.
extern "C" clock_t __real_clock();
extern "C" clock_t __wrap_clock() {
    const uintptr_t pc = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
    if (__ok::ok_in_kernel()) return static_cast<clock_t>(__ok::device_clock(pc));
    __ok::host_clock_read();
    return __real_clock();
}
