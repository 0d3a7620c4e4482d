#include "shadow_line.h"

#include "race.h"

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
        to.last[ATOMICS].where = Access::at(from.read_before(), to.get(WRITER).thread());
    }
    line.in_words = true;
}

// A run of which one thread is known takes the step that the second asks for.
bool LineWord::turn_step(int k, Last kind, const Access now, uint32_t read_at) {
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

void LineWord::start(int k, Last kind, const Access now, uint32_t read_at) {
    line.kind[k] = kind;
    line.words[k] = 1u << word;
    line.latest = static_cast<uint8_t>(k);
    line.bytes[k] = now.bytes;
    line.runs[k] = {now.block, now.time, now.pc(), read_at, static_cast<int16_t>(now.thread()), 0};
}

void LineWord::put(Last kind, const Access now, uint32_t read_at) {
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
