#include "plain_words.h"

#include <cstring>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include "../report/findings.h"
#include "../checkers/races.h"

namespace __ok {
namespace {
using Four = int32_t __attribute__((vector_size(16), may_alias));
Four& four(int32_t* of) { return *reinterpret_cast<Four*>(of); }
bool all(const Four yes) {
#ifdef __SSE__
    return _mm_movemask_ps(reinterpret_cast<__m128>(yes)) == 15;
#else
    using Two = int64_t __attribute__((vector_size(16)));
    const Two both = reinterpret_cast<Two>(yes);
    return (both[0] & both[1]) == -1;
#endif
}

constexpr uint32_t THREAD_MASK = (1 << WordAccess::THREAD_BITS) - 1;
bool same_thread(int32_t at, int32_t where) { return !(static_cast<uint32_t>(at ^ where) & THREAD_MASK); }
uint32_t pc_of(int32_t at) { return static_cast<uint32_t>(at) >> WordAccess::THREAD_BITS; }

struct Now {
    int32_t time, where, barrier;
};
inline Now this_moment(const Worker& w, uintptr_t pc) {
    return {static_cast<int32_t>(w.time), static_cast<int32_t>(WordAccess::at(pc - text_base(), w.rank)), static_cast<int32_t>(w.barrier_time)};
}

// Was the last store to it before the last barrier, or the thread's own?
inline bool may_read(const PlainShadow& s, uint32_t word, const Now now) {
    const int32_t phase = s.phase[word];
    return phase >= s.first && (phase != s.now || same_thread(s.words[word / 4].wrote_at[word % 4], now.where));
}

inline void put_read(PlainShadow& s, uint32_t word, const Now now) {
    PlainWords& of = s.words[word / 4];
    const uint32_t i = word % 4;
    const bool first = of.read[i] < now.barrier || same_thread(of.read_at[i], now.where);
    (first ? of.read : of.read2)[i] = now.time;
    (first ? of.read_at : of.read2_at)[i] = now.where;
}

inline bool put_reads_of_four(PlainShadow& s, uint32_t word, const Now now) {
    const Four phase = four(s.phase + word);
    if (!all((phase >= s.first) & (phase < s.now))) return false;
    PlainWords& of = s.words[word / 4];
    const Four time = Four{} + now.time, where = Four{} + now.where;
    const Four first = (four(of.read) < now.barrier) | (((four(of.read_at) ^ now.where) & static_cast<int32_t>(THREAD_MASK)) == 0);
    if (all(~first)) {  // most are read by many threads
        four(of.read2) = time;
        four(of.read2_at) = where;
        return true;
    }
    four(of.read2) = first ? four(of.read2) : time;
    four(of.read2_at) = first ? four(of.read2_at) : where;
    four(of.read) = first ? time : four(of.read);
    four(of.read_at) = first ? where : four(of.read_at);
    return true;
}

inline bool may_write(const PlainShadow& s, uint32_t word, const Now now) {
    const PlainWords& of = s.words[word / 4];
    const uint32_t i = word % 4;
    return may_read(s, word, now) && (of.read[i] < now.barrier || same_thread(of.read_at[i], now.where)) &&
           (of.read2[i] < now.barrier || same_thread(of.read2_at[i], now.where));
}

inline void put_write(PlainShadow& s, uint32_t word, const Now now, uint32_t read_before) {
    PlainWords& of = s.words[word / 4];
    const uint32_t i = word % 4;
    s.phase[word] = s.now;
    of.wrote[i] = now.time;
    of.wrote_at[i] = now.where;
    of.read_before[i] = static_cast<int32_t>(read_before);
    of.read[i] = of.read2[i] = 0;
}

// Where the thread that writes, and may, has read the word since the last barrier.
inline uint32_t read_before(const PlainShadow& s, uint32_t word, const Now now) {
    const PlainWords& of = s.words[word / 4];
    const uint32_t i = word % 4;
    return of.read[i] >= now.barrier ? pc_of(of.read_at[i]) : of.read2[i] >= now.barrier ? pc_of(of.read2_at[i]) : 0;
}

void turn_into_word(const PlainShadow& s, uint32_t word, ShadowWord& c, uint32_t block, uint32_t launch) {
    const PlainWords& of = s.words[word / 4];
    const uint32_t i = word % 4;
    c.renew(launch);
    c.init = 15;
    c.init_block = block;
    auto put = [&](Last kind, int32_t time, int32_t at, uint8_t flags) {
        if (time) c.put(kind, {block, static_cast<uint32_t>(time), static_cast<uint32_t>(at), 15, flags});
    };
    put(WRITER, of.wrote[i], of.wrote_at[i], WRITES);
    put(READER, of.read[i], of.read_at[i], 0);
    put(READER2, of.read2[i], of.read2_at[i], 0);
    c.last[ATOMICS].where = WordAccess::at(static_cast<uint32_t>(of.read_before[i]), c.get(WRITER).thread());
}

// Has a barrier ordered all that is known of it, a store to each of its bytes, and no atomic?
bool is_settled(const Worker& w, const ShadowWord& c, uint32_t block) {
    auto before = [&](Last kind) { return !c.last[kind].block || (c.last[kind].block == block && c.last[kind].time < w.barrier_time); };
    return c.last[WRITER].block && c.init == 15 && !c.last[ATOMICS].block && before(WRITER) && before(READER) && before(READER2);
}

// It was written before the last barrier.
void turn_into_plain(PlainShadow& s, uint32_t word, const ShadowWord& c) {
    const WordAccess writer = c.get(WRITER);
    put_write(s, word, {static_cast<int32_t>(writer.time), static_cast<int32_t>(writer.where), 0}, c.read_before());
    s.phase[word]--;
}

PlainShadow* made = nullptr;
}  // namespace

template <int bytes>
inline __attribute__((always_inline)) bool read_plainly(const Worker& w, uint32_t at, uintptr_t pc) {
    PlainShadow& s = *w.plain;
    const Now now = this_moment(w, pc);
    if (bytes == 16) return put_reads_of_four(s, at / 4, now);
    for (uint32_t i = 0; i < bytes / 4; i++)
        if (!may_read(s, at / 4 + i, now)) return false;
    for (uint32_t i = 0; i < bytes / 4; i++) put_read(s, at / 4 + i, now);
    return true;
}

template <int bytes>
inline __attribute__((always_inline)) bool written_plainly(const Worker& w, uint32_t at, uintptr_t pc) {
    PlainShadow& s = *w.plain;
    const Now now = this_moment(w, pc);
    for (uint32_t i = 0; i < bytes / 4; i++)
        if (!may_write(s, at / 4 + i, now)) return false;
    for (uint32_t i = 0; i < bytes / 4; i++) put_write(s, at / 4 + i, now, read_before(s, at / 4 + i, now));
    return true;
}

template <int bytes>
inline __attribute__((always_inline)) bool begun_plainly(const Worker& w, uint32_t at, uintptr_t pc) {
    PlainShadow& s = *w.plain;
    for (uint32_t i = 0; i < bytes / 4; i++)
        if (s.phase[at / 4 + i] < 0 || s.phase[at / 4 + i] >= s.first) return false;
    const SharedArray* array = shared_at(at);
    if (!array || at + bytes > array->offset + array->bytes) return false;
    for (uint32_t i = 0; i < bytes / 4; i++) put_write(s, at / 4 + i, this_moment(w, pc), 0);
    return true;
}

bool stays_plain(const Worker& w, uint32_t word, ShadowWord& c, const WordAccess access, uint32_t launch) {
    PlainShadow& s = *w.plain;
    const Now now{static_cast<int32_t>(access.time), static_cast<int32_t>(access.where), static_cast<int32_t>(w.barrier_time)};
    const bool whole = access.bytes == 15 && !(access.flags & ~WRITES), writes = access.flags & WRITES;
    if (s.phase[word] == NOT_PLAIN && whole && touched_in_launch(c.launch) && c.init_block == access.block) {
        if (s.now == s.first || !is_settled(w, c, access.block)) return false;
        turn_into_plain(s, word, c);
    }
    if (s.phase[word] < s.first && whole && writes) {  // nobody of this block has touched it
        put_write(s, word, now, 0);
        return true;
    }
    if (s.phase[word] >= s.first) {
        if (whole && (writes ? may_write(s, word, now) : may_read(s, word, now))) {
            if (writes) put_write(s, word, now, read_before(s, word, now));
            else put_read(s, word, now);
            return true;
        }
        turn_into_word(s, word, c, access.block, launch);
    }
    s.phase[word] = NOT_PLAIN;
    return false;
}

void plain_block_started(Worker& w) {
    w.plain = nullptr;
    if (!(options & RACES) || w.resident) return;
    if (!made) made = static_cast<PlainShadow*>(shadow_pages(sizeof(PlainShadow)));
    w.plain = made;
    if (!made) return;
    if (made->now >= INT32_MAX / 2) {
        memset(made->phase, 0, sizeof made->phase);
        made->now = 0;
    }
    made->first = ++made->now;
}
}  // namespace __ok
