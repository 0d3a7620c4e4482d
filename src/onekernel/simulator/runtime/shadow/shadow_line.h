// The shadow of 32 words of global memory. Neighbouring words are mostly touched alike: by neighbouring threads, or all by one,
// at one place of the code and between the same barriers. So a line keeps runs of words, a twelfth of what its words would take;
// the first access that fits none of its runs, and finds none free, turns the line into its words.
#pragma once

#include "shadow.h"

namespace __ok {
constexpr int LINE_WORDS = 32, LINE_BYTES = 4 * LINE_WORDS, LINE_RUNS = 6;

// Last accesses that differ in their thread alone, which grows from word to word by `step`.
struct Run {
    static constexpr int STEP = LINE_WORDS;  // of a whole thread
    uint32_t block, time, pc;
    uint32_t read_before;     // of a writer: where it had read the word before
    int16_t first;            // the thread that word 0 would have
    uint16_t step;
    uint32_t thread(int word) const { return static_cast<uint32_t>(first + word * step / STEP); }
};

struct alignas(64) ShadowLine {
    uint32_t launch;
    bool in_words;            // it has been turned into its words
    uint8_t latest;           // the run that was added to last
    Last kind[LINE_RUNS];     // of each run
    uint8_t bytes[LINE_RUNS];   // which of each word's four
    uint32_t words[LINE_RUNS];  // one bit each; 0: the run is free
    uint64_t init[2];         // bytes that were ever written, one bit each
    Run runs[LINE_RUNS];

    unsigned initialised(int word) const { return init[word / 16] >> word % 16 * 4 & 15; }
    bool fits(int k, int word, Last as, const WordAccess now, uint32_t read_at) const {
        const Run& r = runs[k];
        return words[k] && kind[k] == as && bytes[k] == now.bytes && r.block == now.block && r.time == now.time &&
               r.pc == now.pc() && r.thread(word) == now.thread() && r.read_before == read_at;
    }
    // The commonest of all: nobody has touched the words, and what their neighbours last met with goes on to them. All are of one
    // access, so of one thread.
    bool goes_on(int word, int count, const WordAccess now) {
        static_assert(LINE_RUNS == 6);
        const uint32_t bits = ((1u << count) - 1) << word, touched = words[0] | words[1] | words[2] | words[3] | words[4] | words[5];
        if (touched & bits || now.flags & ATOMIC || !fits(latest, word, now.flags & WRITES ? WRITER : READER, now, 0)) return false;
        if (count > 1 && runs[latest].thread(word + count - 1) != now.thread()) return false;
        words[latest] |= bits;
        if (now.flags & WRITES) init[word / 16] |= (count > 1 ? (uint64_t(1) << 4 * count) - 1 : now.bytes) << word % 16 * 4;
        return true;
    }
    // Loads of `count` words from `word`, which nobody has written, each by the thread after its neighbour's: of whole threads, of
    // which one has STEP / `step` words. `now`: the first of them. False, and nothing is put down, where they are no one run.
    bool read_in_turn(int word, int count, int step, const WordAccess now, uint32_t barrier_time);
};
static_assert(sizeof(ShadowLine) == 192);

// One word of a line: what ShadowWord is, by the same names.
struct LineWord {
    ShadowLine& line;
    ShadowWord* of_line;      // its words, once it is turned into them
    int word;
    int run[4] = {-1, -1, -1, -1};  // by kind

    LineWord(ShadowLine& l, ShadowWord* words, int i) : line(l), of_line(words), word(i) {
        for (int k = 0; k < LINE_RUNS; k++)
            if (l.words[k] >> i & 1) run[l.kind[k]] = k;
    }
    unsigned initialised() const { return line.initialised(word); }
    WordAccess get(Last kind) const {
        if (run[kind] < 0) return {};
        const Run& r = line.runs[run[kind]];
        return {r.block, r.time, WordAccess::at(r.pc, r.thread(word)), line.bytes[run[kind]], static_cast<uint8_t>(kind == WRITER ? WRITES : 0)};
    }
    uint32_t read_before() const { return run[WRITER] < 0 ? 0 : line.runs[run[WRITER]].read_before; }
    void wrote(unsigned bytes) { line.init[word / 16] |= uint64_t(bytes) << word % 16 * 4; }
    void put(Last kind, const WordAccess now) { put(kind, now, 0); }
    void put_writer(const WordAccess now, uint32_t read_at) {
        for (Last kind : {READER, READER2})
            if (run[kind] >= 0 && !(line.bytes[run[kind]] & ~now.bytes)) line.words[run[kind]] &= ~(1u << word);
        put(WRITER, now, read_at);
    }

private:
    void put(Last kind, const WordAccess now, uint32_t read_at);
    void start(int k, Last kind, const WordAccess now, uint32_t read_at);  // run k, of this word alone
    bool turn_step(int k, Last kind, const WordAccess now, uint32_t read_at);
};

void renew_line(ShadowLine& line, const ShadowWord* words, uint32_t launch);
void turn_into_words(ShadowLine& line, ShadowWord* words);
bool touched_by(const Allocation& a, uint32_t pc);  // whether the code at `pc` has touched a word of it in this launch
}  // namespace __ok
