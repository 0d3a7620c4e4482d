// Jumps of the generators, and the numbers of cuRAND's host API.
#include <cstring>
#include <mutex>
#include <vector>

#include "../api/ok/libraries.h"
#include "../api/ok/random.h"
#include "../api/ok/random_engines.h"
#include "../machine/state.h"
#include "../memory/memory.h"

namespace __ok {
namespace {
// XORWOW's step is linear over the 160 bits of v: column i of a jump is where bit i goes.
struct Jump {
    uint32_t column[160][5];
};
constexpr int JUMPS = 67 + 64;
Jump jumps[JUMPS];  // of 2^i steps
std::once_flag jumps_made;

void jump_by(const Jump& jump, uint32_t* v) {
    uint32_t out[5] = {};
    for (int i = 0; i < 160; i++)
        if (v[i / 32] >> i % 32 & 1)
            for (int w = 0; w < 5; w++) out[w] ^= jump.column[i][w];
    memcpy(v, out, sizeof out);
}

void make_jumps() {
    for (int i = 0; i < 160; i++) {
        Xorwow unit{};
        unit.v[i / 32] = 1u << i % 32;
        xorwow_next(&unit);
        memcpy(jumps[0].column[i], unit.v, sizeof unit.v);
    }
    for (int k = 1; k < JUMPS; k++)
        for (int i = 0; i < 160; i++) {
            memcpy(jumps[k].column[i], jumps[k - 1].column[i], sizeof jumps[k].column[i]);
            jump_by(jumps[k - 1], jumps[k].column[i]);
        }
}

struct Matrix3 {
    uint64_t m[3][3];
};
Matrix3 product(const Matrix3& a, const Matrix3& b, uint64_t modulus) {
    Matrix3 out{};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) out.m[i][j] = (out.m[i][j] + a.m[i][k] * b.m[k][j] % modulus) % modulus;
    return out;
}
// s = step^(steps + 2^76 sequences) s
void mrg_jump(Matrix3 step, uint64_t modulus, uint32_t* s, uint64_t steps, uint64_t sequences) {
    Matrix3 power{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int bit = 0; bit < 76 + 64; bit++) {
        bool taken = bit < 64 ? steps >> bit & 1 : false;
        if (bit >= 76) taken ^= sequences >> (bit - 76) & 1;
        if (taken) power = product(power, step, modulus);
        if (bit < 64 ? !(steps >> bit) && !sequences : bit >= 76 && !(sequences >> (bit - 76))) break;
        step = product(step, step, modulus);
    }
    uint64_t out[3];
    for (int i = 0; i < 3; i++) {
        out[i] = 0;
        for (int k = 0; k < 3; k++) out[i] = (out[i] + power.m[i][k] * s[k] % modulus) % modulus;
    }
    for (int i = 0; i < 3; i++) s[i] = static_cast<uint32_t>(out[i]);
}
}  // namespace

extern "C" void ok_xorwow_skip(uint32_t* v, uint64_t steps, uint64_t sequences) {
    if (!steps && !sequences) return;
    Busy busy;
    std::call_once(jumps_made, make_jumps);
    for (int i = 0; i < 64; i++) {
        if (steps >> i & 1) jump_by(jumps[i], v);
        if (sequences >> i & 1) jump_by(jumps[67 + i], v);
    }
}

extern "C" void ok_mrg_skip(uint32_t* s1, uint32_t* s2, uint64_t steps, uint64_t sequences) {
    mrg_jump({{{0, 1, 0}, {0, 0, 1}, {MRG_1 - 810728, 1403580, 0}}}, MRG_1, s1, steps, sequences);
    mrg_jump({{{0, 1, 0}, {0, 0, 1}, {MRG_2 - 1370589, 0, 527612}}}, MRG_2, s2, steps, sequences);
}

// XORWOW gives its numbers by turns from 4096 sequences, as cuRAND's example shows; the others have one.
struct RandomStream {
    static constexpr uint64_t TURNS = 4096;
    int type;
    uint64_t seed, position = 0;
    std::vector<Xorwow> turns;
    struct {
        uint32_t s1[3], s2[3];
    } mrg;

    void restart() {
        turns.clear();
        if (type == RANDOM_MRG32K3A) {
            for (int i = 0; i < 3; i++) mrg.s1[i] = mrg.s2[i] = 12345 + static_cast<uint32_t>(seed % 1000000007);
            ok_mrg_skip(mrg.s1, mrg.s2, position, 0);
        }
        if (type != RANDOM_XORWOW) return;
        Xorwow s = xorwow_start(seed);
        uint64_t rounds = position / TURNS;
        for (uint64_t i = 0; i < TURNS; i++) {
            turns.push_back(s);
            ok_xorwow_skip(turns[i].v, rounds + (i < position % TURNS), 0);
            turns[i].d += static_cast<uint32_t>((rounds + (i < position % TURNS)) * 362437u);
            ok_xorwow_skip(s.v, 0, 1);
        }
    }
    uint32_t next() {
        uint64_t at = position++;
        if (type == RANDOM_XORWOW) return xorwow_next(&turns[at % TURNS]);
        if (type == RANDOM_MRG32K3A) return static_cast<uint32_t>(mrg_next(&mrg) * 1.000000048662);
        uint64_t block = at / 4;
        Words4 words = philox({static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32), 0, 0}, static_cast<uint32_t>(seed),
                              static_cast<uint32_t>(seed >> 32));
        return at % 4 == 0 ? words.x : at % 4 == 1 ? words.y : at % 4 == 2 ? words.z : words.w;
    }
    double next_double() {
        uint32_t x = next(), y = next();
        return uniform_of(x, y);
    }
};

extern "C" RandomStream* ok_random_create(int type, uint64_t seed, uint64_t offset) {
    RandomStream* r = new RandomStream{type, seed, offset, {}, {}};
    r->restart();
    return r;
}
extern "C" void ok_random_destroy(RandomStream* r) { delete r; }

extern "C" void ok_random_fill(RandomStream* r, int what, void* out, uint64_t n, double a, double b) {
    Open open;
    auto put = [&](uint64_t i, double value) {
        if (what & RANDOM_DOUBLE) static_cast<double*>(out)[i] = value;
        else static_cast<float*>(out)[i] = static_cast<float>(value);
    };
    switch (what & ~RANDOM_DOUBLE) {
        case RANDOM_BITS:
            for (uint64_t i = 0; i < n; i++) static_cast<uint32_t*>(out)[i] = r->next();
            break;
        case RANDOM_POISSON:
            for (uint64_t i = 0; i < n; i++) static_cast<uint32_t*>(out)[i] = poisson_of(a, [&] { return double(uniform_of(r->next())); });
            break;
        case RANDOM_UNIFORM:
            for (uint64_t i = 0; i < n; i++) put(i, what & RANDOM_DOUBLE ? r->next_double() : uniform_of(r->next()));
            break;
        default:
            for (uint64_t i = 0; i < n; i += 2) {
                Two<double> two;
                if (what & RANDOM_DOUBLE) {
                    double u = r->next_double(), v = r->next_double();
                    two = normals_of(u, v);
                } else {
                    float u = uniform_of(r->next()), v = uniform_of(r->next());
                    Two<float> floats = normals_of(u, v);
                    two = {floats.x, floats.y};
                }
                for (uint64_t k = 0; k < 2 && i + k < n; k++) {
                    double value = a + b * (k ? two.y : two.x);
                    put(i + k, (what & ~RANDOM_DOUBLE) == RANDOM_LOG_NORMAL ? exp(value) : value);
                }
            }
    }
}
}  // namespace __ok
