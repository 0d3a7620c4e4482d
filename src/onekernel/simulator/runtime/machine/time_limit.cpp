// The limit of processor time: a clock for each thread, looked at now and then, and what is told when it is over.
#include <csignal>
#include <ctime>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "../memory/memory.h"
#include "../memory/sparse.h"
#include "../report/findings.h"
#include "launch.h"
#include "less.h"
#include "program.h"
#include "resident_blocks.h"
#include "signal_context.h"
#include "time_limit.h"

namespace __ok {
static double time_limit = 10;
static __thread timer_t timer;
static __thread bool has_timer = false;
static __thread int tries = 0;
// The half of the time limit in which a launch is looked at now and then, in pieces.
constexpr int PIECES = 8;
static __thread int pieces_over = 0;
constexpr int MANY = 10;  // launches of a program that is told of them all
// How far the running launch is: blocks that have begun, turns of blocks that are live together; of the block that runs, the
// threads that have ended, those that have ended or come to where they meet, and its clock.
struct Reached {
    unsigned launch = 0;
    uint64_t begun = 0, turns = 0, block = 0;
    int ended = 0, met = 0;
    uint32_t time = 0;
    uint64_t places = 0;  // of the call, where some blocks run
};
static __thread Reached half_way;  // when half of the time was over; before that, when the last piece was
static __thread Reached late;      // when three quarters were: what has gone on since half of it may have stood still since
static __thread bool is_late_looked = false;

int limit_signal() { return SIGRTMIN + 5; }
void set_time_limit(double seconds) { time_limit = seconds; }
double seconds_allowed() { return time_limit; }

static void arm(double seconds) {
    if (!has_timer) return;
    itimerspec spec{};
    spec.it_value.tv_sec = static_cast<time_t>(seconds);
    spec.it_value.tv_nsec = static_cast<long>((seconds - static_cast<double>(spec.it_value.tv_sec)) * 1e9);
    timer_settime(timer, 0, &spec, nullptr);
}

double thread_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double stop_time_limit() {
    itimerspec now{};
    if (has_timer) timer_gettime(timer, &now);
    arm(0);
    return static_cast<double>(now.it_value.tv_sec) + 1e-9 * static_cast<double>(now.it_value.tv_nsec);
}

void resume_time_limit(double seconds_left) { arm(std::max(seconds_left, 1e-3)); }

void start_time_limit() {
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = limit_signal();
#ifndef sigev_notify_thread_id
    event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
#else
    event.sigev_notify_thread_id = static_cast<pid_t>(syscall(SYS_gettid));
#endif
    tries = 0;
    pieces_over = 0;
    is_late_looked = false;
    has_timer = timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0;
    arm(time_limit / 2 / PIECES);
}

void end_time_limit() {
    if (has_timer) timer_delete(timer);
    has_timer = false;
}

static Reached reached(const Worker& w) {
    if (!w.launch) return {0, 0, 0, 0, 0, 0, 0, new_places()};
    const int ended = w.launch->threads - w.alive;
    return {w.launch->serial, w.launch->next.load(), w.launch->turns, w.block, ended, ended + w.arrived + waiting_for_blocks(w), w.time, new_places()};
}

// Seconds of this thread's time that the running launch has had: threads beside the first are made for one.
static double of_launch(const Worker& w) {
    const double before = &w == &host_worker() ? w.launch->began : 0;
    return std::clamp(thread_seconds() - before, 1e-3, time_limit);
}

// Whether so much time of a program's is no longer than any of its launches before took, on the average, with what is between.
static bool is_like_those_before(double own) {
    constexpr double LONG = 20, SHORT = 0.05;  // times as long as the others, and seconds that are none too many
    const double before = launch_count() - 1;
    return is_program && before > 0 && own < time_limit / 4 && own < std::max(LONG * (time_limit - own) / before, SHORT);
}

// What a program used up before is told of it, and not of a launch that happens to run then and is like those before.
static bool is_late(const Worker& w) { return is_like_those_before(of_launch(w)); }

// Nor is it told of the host's code where that happens to run between launches which come one after the other.
static bool is_between(const Worker& w) {
    return &w == &host_worker() && latest_launch() && launch_count() >= MANY && is_like_those_before(thread_seconds() - latest_launch()->began);
}

// Whether a call on tensors larger than memory, of which no end can be waited for, has touched nothing new for a quarter of its
// time. A block may wait for one that does not run.
static bool stands(const Worker& w, const Reached& now) {
    if (!(options & SPARSE) || (w.launch && w.launch->talks && w.launch->ran + w.launch->left)) return false;
    return now.places == late.places || late.places == half_way.places;
}

// A loop that does not end, or only much work: where several blocks, or several threads of the one that runs, have ended or come
// to where they meet since half of the time was over, and some since three quarters were, it is the latter. Of threads that only
// go on meeting nobody can say.
static void tell_time_limit(const Worker& w, const ucontext_t* context) {
    long long seconds = static_cast<long long>(time_limit);
    const Reached now = reached(w), none;
    if (stands(w, now)) {  // though blocks and threads come and go
        Finding("time-limit").code_at(frames_of(context)).where().number("seconds", seconds).number("mapped", false).number("stands", true).add();
        return;
    }
    const Reached &then = now.launch == half_way.launch ? half_way : now.launch == late.launch ? late : none;
    const Reached &since = now.launch == late.launch ? late : none;
    const bool checked = is_program && options & (BOUNDS | COUNTS);
    if (w.current && is_late(w)) {
        Finding("time-limit").form("late").at(w.launch->site->at).here().number("seconds", seconds).number("number", launch_count())
            .number("milliseconds", static_cast<long long>(1000 * of_launch(w))).number("more", 10 * seconds)
            .number("done", static_cast<long long>(std::min(now.begun, w.launch->blocks) - (now.begun > 0)))
            .number("blocks", static_cast<long long>(w.launch->blocks)).number("checked", checked).add();
        return;
    }
    if (!w.current && is_between(w)) {
        Finding("time-limit").form("between").at(latest_launch()->site->at).number("seconds", seconds).number("number", launch_count())
            .number("more", 10 * seconds).number("checked", checked).add();
        return;
    }
    const bool same_block = then.launch && now.block == then.block, goes_on = now.block != since.block || now.met != since.met;
    const uint64_t turns = now.turns - then.turns, blocks = w.launch ? w.launch->blocks : 0;
    const bool blocks_end = now.begun > then.begun + (then.launch ? 1 : 2) && now.begun > since.begun;
    if (w.current && blocks_end) {
        const double done = static_cast<double>(std::min(now.begun, blocks)), taken = now.launch == half_way.launch ? time_limit / 2 : of_launch(w);
        const auto left = 1 + static_cast<long long>((static_cast<double>(blocks) - done) * taken / static_cast<double>(now.begun - then.begun));
        Finding("time-limit").form("slow").at(w.launch->site->at).here().number("seconds", seconds).number("checked", checked)
            .number("done", static_cast<long long>(done)).number("blocks", static_cast<long long>(blocks))
            .number("needed", left + static_cast<long long>(of_launch(w))).number("more", seconds + left).add();
    } else if (w.current && turns && turns < 2 * blocks && now.turns > since.turns) {
        Finding("time-limit").form("together").at(w.launch->site->at).here().number("seconds", seconds).number("checked", checked)
            .number("done", static_cast<long long>(std::min(turns, blocks))).number("blocks", static_cast<long long>(blocks))
            .number("more", 10 * seconds).add();
    } else if (w.current && turns) {
        Finding("time-limit").form("meets").code_at(frames_of(context)).here().number("seconds", seconds)
            .number("met", static_cast<long long>(turns / blocks)).add();
    } else if (w.current && same_block && now.ended > then.ended + 1 && goes_on) {
        const double threads = w.launch->threads, done = threads * static_cast<double>(std::max<uint64_t>(now.begun, 1) - 1) + now.ended;
        const auto left = 1 + static_cast<long long>((threads * static_cast<double>(blocks) - done) * time_limit / 2 / (now.ended - then.ended));
        Finding("time-limit").form("threads").code_at(frames_of(context)).here().number("seconds", seconds).number("checked", checked)
            .number("done", now.ended).number("threads", w.launch->threads).number("needed", left + static_cast<long long>(of_launch(w)))
            .number("more", seconds + left).add();
    } else if (w.current && same_block && now.time == then.time && now.met > then.met + 1 && goes_on) {
        Finding("time-limit").form("arrives").code_at(frames_of(context)).here().number("seconds", seconds).number("checked", checked)
            .number("done", now.met - then.met).number("threads", w.launch->threads).number("more", 10 * seconds).add();
    } else if (w.current && same_block && now.time > then.time + 1) {
        Finding("time-limit").form("meets").code_at(frames_of(context)).here().number("seconds", seconds)
            .number("met", now.time - then.time).add();
    } else {
        Finding("time-limit").code_at(frames_of(context)).where().number("seconds", seconds)
            .number("mapped", w.current && is_given_host_memory(launch_count())).add();
    }
}

// Whether the running launch, at its pace since the last look, would need two and a half times the whole limit from here.
static bool is_far_too_large(const Worker& w, const Reached& now) {
    if (!w.current || now.launch != half_way.launch || now.begun <= half_way.begun) return false;
    return w.launch->blocks - std::min(now.begun, w.launch->blocks) > (now.begun - half_way.begun) * (5 * PIECES);
}

bool is_over_time(Worker& w, const ucontext_t* context) {
    if (!may_leave(w, context) && ++tries < 500) {
        arm(0.002);
        return false;
    }
    if (pieces_over < PIECES) {  // how far it is at half of the time tells later whether it goes on
        const Reached now = reached(w);
        const bool is_half = ++pieces_over == PIECES;
        if (is_half || is_far_too_large(w, now)) ask_for_less(w);
        half_way = now;
        arm(is_half ? time_limit / 4 : time_limit / 2 / PIECES);
        return false;
    }
    if (!is_late_looked) {
        is_late_looked = true;
        late = reached(w);
        arm(time_limit / 4);
        return false;
    }
    tell_time_limit(w, context);
    tries = 0;
    if (is_program) end_program_after(AFTERWARDS, PATIENCE);
    return true;
}
}  // namespace __ok
