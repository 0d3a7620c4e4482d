// What a checker is: what looks at a kernel's accesses, or counts them. Each says here, by functions of these names, which events
// it wants; the others do nothing and cost nothing, since all are known when the runtime is compiled: list.h.
#pragma once

#include <initializer_list>

#include "../machine/state.h"
#include "../memory/access.h"

namespace __ok {
struct Request;  // requests.h

template <class Self>
struct Checker {
    static constexpr unsigned OPTIONS = 0;  // it is told of events where one of these Options is on; 0: always

    // An access of the running thread, before it is made; false: it is not made, and those behind in the list are not told.
    static bool access(Worker&, Access&) { return true; }
    // The same of the commonest accesses, in less time: to global memory within bounds, or to shared memory wherever, aligned.
    // True: it knows that nobody has anything to say of it, and has put down what `access` would. False: it has done nothing.
    template <int bytes, unsigned flags>
    static bool settles(Worker&, Access&) { return false; }
    // One that has been settled; the checkers that could have had something to say have no more to do.
    static inline __attribute__((always_inline)) void settled(Worker& w, Access& a) { Self::access(w, a); }
    static void synchronised(Worker&, uintptr_t /*address*/, bool /*writes*/) {}  // by an atomic, after its access
    static void request(Worker&, Request&) {}                                     // of a warp, where COUNTS is on

    static void launch_started(const Launch&) {}
    static void launch_counted(const Launch&) {}
    static void block_started(Worker&) {}
    static void thread_stops(Worker&) {}
    static void barrier_complete(Worker&, Site) {}
    static void barrier_passed(Worker&) {}
    static void warp_reconverged(Worker&, int /*warp*/, unsigned /*group*/, bool /*orders*/) {}
    static void block_paused(Worker&) {}
    static void blocks_passed(Worker&, int /*level*/, int /*from*/, int /*to*/) {}
    static void block_ended(Worker&) {}
};

template <class... Each>
struct CheckerList {
    // Calls tell(checker) for each that is to be told of events, in order.
    template <class F>
    static inline __attribute__((always_inline)) void tell(F tell) {
        (void)std::initializer_list<int>{(is_on<Each>(options) ? (tell(Each{}), 0) : 0)...};
    }
    static inline __attribute__((always_inline)) void access(Worker& w, Access& a) { (void)(goes_on<Each>(w, a) && ...); }
    template <int bytes, unsigned flags>
    static inline __attribute__((always_inline)) bool settles(Worker& w, Access& a) {
        if (!(ends<Each, bytes, flags>(w, a) || ...)) return false;
        (void)std::initializer_list<int>{(is_on<Each>(a.on) ? (Each::settled(w, a), 0) : 0)...};
        return true;
    }

private:
    template <class C>
    static inline __attribute__((always_inline)) bool is_on(unsigned on) { return !C::OPTIONS || on & C::OPTIONS; }
    template <class C>
    static inline __attribute__((always_inline)) bool goes_on(Worker& w, Access& a) { return !is_on<C>(a.on) || C::access(w, a); }
    template <class C, int bytes, unsigned flags>
    static inline __attribute__((always_inline)) bool ends(Worker& w, Access& a) {
        return is_on<C>(a.on) && C::template settles<bytes, flags>(w, a);
    }
};
}  // namespace __ok
