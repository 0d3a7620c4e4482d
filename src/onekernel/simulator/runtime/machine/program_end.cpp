// The end of a program that the clock of its main thread cannot bring about: that thread waits, and others that the program has
// made go on, which have no clock. The system's limit of the process's time, and two clocks of its own, send SIGXCPU then.
// So does whoever stops it from outside: with Ctrl-C, by `timeout`, by a closed terminal. What was found till then is told.
#include <csignal>
#include <ctime>

#include <algorithm>
#include <atomic>

#include "../report/findings.h"
#include "launch.h"
#include "program.h"
#include "signal_context.h"

namespace __ok {
constexpr int MOST_TRIES = 500;
constexpr int FROM_OUTSIDE[] = {SIGINT, SIGTERM, SIGHUP};

static void send_after(clockid_t clock, double seconds) {
    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGXCPU;
    itimerspec spec{};
    spec.it_value.tv_sec = static_cast<time_t>(seconds);
    spec.it_value.tv_nsec = static_cast<long>((seconds - static_cast<double>(spec.it_value.tv_sec)) * 1e9);
    static timer_t timers[2];
    static bool made[2];
    const int which = clock == CLOCK_MONOTONIC;
    made[which] = made[which] || !timer_create(clock, &event, &timers[which]);
    if (made[which]) timer_settime(timers[which], 0, &spec, nullptr);
}

void end_program_after(double processor_seconds, double seconds) {
    send_after(CLOCK_PROCESS_CPUTIME_ID, processor_seconds);
    send_after(CLOCK_MONOTONIC, seconds);
}

static void tell_of_outside(int signal, long long seconds) {
    const Launch* launch = latest_launch();
    const char* name = signal == SIGINT ? "SIGINT" : signal == SIGHUP ? "SIGHUP" : "SIGTERM";
    if (!launch) {
        Finding("time-limit").form("outside").text("signal", name).number("seconds", seconds).add();
        return;
    }
    const char* kernel = launch->site->kernel ? launch->site->kernel : "";
    Finding("time-limit").form("outside-launch").at(launch->site->at).text("signal", name).number("seconds", seconds).text("kernel", kernel)
        .number("number", launch_count()).number("blocks", static_cast<long long>(launch->blocks))
        .number("done", static_cast<long long>(std::min(launch->next.load(), launch->blocks))).add();
}

static void out_of_time(int signal, siginfo_t*, void* raw) {
    static std::atomic<int> tries{0}, outside{0};
    const ucontext_t* context = static_cast<const ucontext_t*>(raw);
    if (signal != SIGXCPU) outside = signal;
    if (!worker) worker = &bystander();
    if (!may_leave(*worker, context) && ++tries < MOST_TRIES) {
        send_after(CLOCK_MONOTONIC, 0.002);
        return;
    }
    static std::atomic_flag ends = ATOMIC_FLAG_INIT;
    if (ends.test_and_set()) return;  // another thread tells already
    timespec had{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &had);
    worker->busy = 0;
    if (outside) tell_of_outside(outside, had.tv_sec);
    else Finding("time-limit").code_at(frames_of(context)).where().number("seconds", had.tv_sec).number("mapped", 0).add();
    end_program(128 + (outside ? outside.load() : signal));
}

void watch_process(double processor_seconds) {
    struct sigaction action{};
    action.sa_sigaction = out_of_time;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    for (int signal : FROM_OUTSIDE) sigaddset(&action.sa_mask, signal);  // they come twice: to the process, and to its group
    sigaction(SIGXCPU, &action, nullptr);
    for (int signal : FROM_OUTSIDE) {
        struct sigaction before{};
        if (!sigaction(signal, nullptr, &before) && before.sa_handler == SIG_DFL) sigaction(signal, &action, nullptr);
    }
    send_after(CLOCK_PROCESS_CPUTIME_ID, processor_seconds);
}
}  // namespace __ok
