#include "shadow_line.h"

#include "../checkers/races.h"

namespace __ok {
// Nothing has touched the line in this launch.
void renew_line(ShadowLine& line, const ShadowWord* words, uint32_t launch) {
    if (line.in_words) {
        line.init[0] = line.init[1] = 0;
        for (int i = 0; i < LINE_WORDS; i++) line.init[i / 16] |= uint64_t(words[i].init) << i % 16 * 4;
        line.in_words = false;
    }
    line.launch = launch;
    for (uint32_t& w : line.words) w = 0;
}

void turn_into_words(ShadowLine& line, ShadowWord* words) {
    for (int i = 0; i < LINE_WORDS; i++) {
        LineWord from(line, words, i);
        ShadowWord& to = words[i];
        to.renew(line.launch);
        to.init = from.initialised();
        for (Last kind : {WRITER, READER, READER2}) to.put(kind, from.get(kind));
        to.last[ATOMICS].where = WordAccess::at(from.read_before(), to.get(WRITER).thread());
    }
    line.in_words = true;
}

bool ShadowLine::read_in_turn(int word, int count, int step, const WordAccess now, uint32_t barrier_time) {
    if (in_words) return false;
    const uint32_t bits = (count == LINE_WORDS ? ~0u : (1u << count) - 1) << word;
    const int16_t first = static_cast<int16_t>(static_cast<int>(now.thread()) - word * step / Run::STEP);
    // As check_word has it: in the place of the first reader, where that is harmless, else in the second's.
    uint32_t first_readers = 0, harmless = 0;
    for (int k = 0; k < LINE_RUNS; k++) {
        const uint32_t some = words[k] & bits;
        if (!some || kind[k] == READER2) continue;
        if (kind[k] != READER) return false;
        const Run& r = runs[k];
        first_readers |= some;
        if (r.block == now.block && (r.time < barrier_time || (r.first == first && r.step == step))) harmless |= some;
    }
    if (first_readers && first_readers != bits && harmless != first_readers) return false;
    if (harmless && harmless != first_readers) return false;
    const Last as = harmless == first_readers ? READER : READER2;
    int to = -1, unused = -1;
    for (int k = 0; k < LINE_RUNS; k++) {
        const Run& r = runs[k];
        if (!words[k] || (kind[k] == as && !(words[k] & ~bits))) unused = k;
        else if (kind[k] == as && bytes[k] == 15 && r.block == now.block && r.time == now.time && r.pc == now.pc() && r.first == first &&
                 r.step == step && !r.read_before) to = k;
    }
    if (to < 0 && unused < 0) return false;
    for (int k = 0; k < LINE_RUNS; k++)
        if (kind[k] == as) words[k] &= ~bits;
    if (to < 0) {
        to = unused;
        kind[to] = as;
        bytes[to] = 15;
        runs[to] = {now.block, now.time, now.pc(), 0, first, static_cast<uint16_t>(step)};
    }
    words[to] |= bits;
    latest = static_cast<uint8_t>(to);
    return true;
}

// A run of which one thread is known takes the step that the second asks for.
bool LineWord::turn_step(int k, Last kind, const WordAccess now, uint32_t read_at) {
    Run& r = line.runs[k];
    if (line.kind[k] != kind || line.bytes[k] != now.bytes || r.block != now.block || r.time != now.time || r.pc != now.pc() ||
        r.read_before != read_at)
        return false;
    if (__builtin_popcount(line.words[k]) > LINE_WORDS / 2) return false;
    int from = __builtin_ctz(line.words[k]), thread = static_cast<int>(r.thread(from));
    int apart = (static_cast<int>(now.thread()) - thread) * Run::STEP;
    if (word <= from || apart < 0 || apart % (word - from)) return false;
    int step = apart / (word - from);
    Run turned = r;
    turned.step = static_cast<uint16_t>(step);
    turned.first = static_cast<int16_t>(thread - from * step / Run::STEP);
    for (uint32_t rest = line.words[k]; rest; rest &= rest - 1)
        if (turned.thread(__builtin_ctz(rest)) != r.thread(__builtin_ctz(rest))) return false;
    if (turned.thread(word) != now.thread()) return false;
    r = turned;
    return true;
}

void LineWord::start(int k, Last kind, const WordAccess now, uint32_t read_at) {
    line.kind[k] = kind;
    line.words[k] = 1u << word;
    line.latest = static_cast<uint8_t>(k);
    line.bytes[k] = now.bytes;
    line.runs[k] = {now.block, now.time, now.pc(), read_at, static_cast<int16_t>(now.thread()), 0};
}

void LineWord::put(Last kind, const WordAccess now, uint32_t read_at) {
    uint32_t bit = 1u << word;
    if (run[kind] >= 0) line.words[run[kind]] &= ~bit;
    int k = line.latest, unused = -1;
    bool fits = line.fits(k, word, kind, now, read_at);
    if (!fits && run[kind] >= 0 && !line.words[run[kind]]) {  // it was the last word of its run
        start(run[kind], kind, now, read_at);
        return;
    }
    for (int i = 0; i < LINE_RUNS && !fits; i++) {
        if (!line.words[i]) unused = i;
        else if (line.fits(i, word, kind, now, read_at) || turn_step(i, kind, now, read_at)) k = i, fits = true;
    }
    if (fits) {
        line.words[k] |= bit;
        line.latest = static_cast<uint8_t>(k);
        return;
    }
    if (unused < 0) {
        if (run[kind] >= 0) line.words[run[kind]] |= bit;  // as it was: what follows replaces it, or its place is kept
        turn_into_words(line, of_line);
        if (kind == WRITER) of_line[word].put_writer(now, read_at);
        else of_line[word].put(kind, now);
        return;
    }
    start(unused, kind, now, read_at);
}

bool touched_by(const Allocation& a, uint32_t pc) {
    const size_t lines = a.lines ? (a.end - a.base) / LINE_BYTES + 1 : 0;
    for (size_t k = 0; k < lines; k++) {
        const ShadowLine& line = a.lines[k];
        if (!touched_in_launch(line.launch)) continue;
        if (!line.in_words)
            for (int r = 0; r < LINE_RUNS; r++) if (line.words[r] && line.runs[r].pc == pc) return true;
        if (line.in_words)
            for (int i = 0; i < LINE_WORDS; i++)
                for (Last kind : {WRITER, ATOMICS, READER, READER2}) {
                    const ShadowWord& word = a.shadow[k * LINE_WORDS + i];
                    if (touched_in_launch(word.launch) && word.get(kind).block && word.get(kind).pc() == pc) return true;
                }
    }
    return false;
}
}  // namespace __ok
