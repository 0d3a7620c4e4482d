// Who touched a word last, and whether the next to touch it is ordered after: races and reads of what nobody wrote.
#pragma once

#include <cstdint>

#include "../shadow/plain_words.h"
#include "../shadow/shadow.h"
#include "checker.h"

namespace __ok {
// Check one access to `bytes` bytes at `address`: of an allocation, or of the shared memory that begins at `base`.
void check_global(Worker& w, Allocation& a, uintptr_t address, int bytes, unsigned flags, uintptr_t pc);
void check_shared(Worker& w, const Place& place, ShadowWord* shadow, uintptr_t address, uintptr_t base, int bytes, unsigned flags,
                  uintptr_t pc);
// The same of one word where it is called: the commonest access by far.
void check_shared_word(Worker& w, const Place& place, ShadowWord* shadow, uintptr_t address, unsigned flags, uintptr_t pc);
WordAccess this_access(Worker& w, unsigned flags, uintptr_t pc);  // of the running thread to a whole word, now
ShadowLine& line_of(const Allocation& a, uintptr_t word);  // as it is in this launch
WordAccess reader_of(const Allocation& a, uintptr_t word);     // the first that is kept
// A write that may have stored what was there already is judged when it has happened.
void settle(Worker& w);
bool is_unsettled();  // there is one

bool touched_in_launch(unsigned serial);  // by the running launch, or the one that has just ended: of a word's shadow

// Who has read what nobody wrote is found with it: both ask the same shadow, once.
struct RacesChecker : Checker<RacesChecker> {
    static constexpr unsigned OPTIONS = RACES;
    static bool access(Worker& w, Access& a);
    template <int bytes, unsigned flags> static bool settles(Worker& w, Access& a);
    static void settled(Worker&, Access&) {}
    static void launch_started(const Launch&);
    static void block_started(Worker& w) { plain_block_started(w); }
    static void thread_stops(Worker& w) { settle(w); }
    static void barrier_passed(Worker& w);
    static void blocks_passed(Worker& w, int level, int from, int to);
};
}  // namespace __ok
