#include "run.h"

#include <cxxabi.h>

#include <cstdlib>

#include "../checkers/counters.h"
#include "../checkers/requests.h"
#include "../machine/program.h"
#include "../memory/host_memory.h"
#include "../memory/memory.h"
#include "../report/findings.h"
#include "apart.h"
#include "lanes.h"

namespace __ok {
namespace machine {
std::vector<Program> programs;
static std::vector<Argument> arguments;  // of the launch to come
static const char* failure = "";
constexpr uint64_t MOST_STEPS = 20'000'000;         // of a launch
constexpr uint64_t MOST_OF_PROGRAM = 10 * MOST_STEPS;  // of all launches of a program, which may be thousands
constexpr uint64_t KEPT_IN_A_STEP = 64;              // bytes of device memory that are kept and put back
static uint64_t spent = 0;
constexpr uint32_t RESERVED_SHARED = 1024;  // what the system takes, below a block's own

const std::vector<Argument>& launch_arguments() { return arguments; }

extern "C" void ok_arguments(const Argument* values, int count) {
    arguments.assign(values, values + count);
    note_arguments(values, count);
    for (int i = 0; i < count; i++) {
        if (values[i].kind != Argument::POINTER || !heap_base) continue;
        uintptr_t offset = *static_cast<const uintptr_t*>(values[i].value) - heap_base;
        if (offset >= HEAP_BYTES) continue;
        Allocation& a = owner_of(offset);
        if (a.live && a.item == 1 && values[i].item) a.item = values[i].item;
    }
}

// "float", "int", "T*" ...: what the parameters of a mangled function are.
static std::vector<std::string> parameter_types(const std::string& mangled) {
    int status = 0;
    char* text = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
    std::string s = text ? text : "";
    free(text);
    std::vector<std::string> out;
    if (s.empty() || s.back() != ')') return out;
    int depth = 0;
    size_t end = s.size() - 1, begin = end;
    while (begin > 0) {
        char c = s[begin];
        depth += c == ')' ? 1 : c == '(' ? -1 : 0;
        if (!depth) break;
        begin--;
    }
    std::string one;
    depth = 0;
    for (size_t k = begin + 1; k <= end; k++) {
        char c = s[k];
        if ((c == ',' && !depth) || k == end) {
            while (!one.empty() && one[0] == ' ') one.erase(0, 1);
            out.push_back(one);
            one.clear();
            continue;
        }
        depth += c == '(' || c == '<' || c == '[' ? 1 : c == ')' || c == '>' || c == ']' ? -1 : 0;
        one += c;
    }
    return out;
}

static double number_of(const Argument& a) {
    uint64_t v = 0;
    memcpy(&v, a.value, a.bytes < 8 ? a.bytes : 8);
    float f;
    double d;
    memcpy(&f, &v, 4);
    memcpy(&d, &v, 8);
    if (a.kind == Argument::FLOATING) return a.bytes == 4 ? f : d;
    if (a.kind != Argument::SIGNED) return static_cast<double>(v);
    int unused = 64 - 8 * a.bytes;
    return static_cast<double>(static_cast<int64_t>(v << unused) >> unused);
}

// The bytes of an argument as the parameter's type has them; false where that is not known.
static bool converted(const Argument& a, const Parameter& p, const std::string& type, uint8_t* out) {
    bool to_float = type == "float" && p.bytes == 4, to_double = type == "double" && p.bytes == 8;
    if (a.kind == Argument::OTHER || a.kind == Argument::POINTER || (a.kind == Argument::FLOATING && type.empty())) {
        if (a.bytes != p.bytes) return false;
        memcpy(out, a.value, p.bytes);
        return true;
    }
    if (to_float) {
        auto f = static_cast<float>(number_of(a));
        memcpy(out, &f, 4);
    } else if (to_double) {
        double d = number_of(a);
        memcpy(out, &d, 8);
    } else if (a.kind == Argument::FLOATING) {
        auto n = static_cast<int64_t>(number_of(a));
        memcpy(out, &n, p.bytes < 8 ? p.bytes : 8);
        return p.bytes <= 8;
    } else {
        uint64_t v = 0;
        memcpy(&v, a.value, a.bytes);
        int unused = 64 - 8 * a.bytes;
        if (a.kind == Argument::SIGNED) v = static_cast<uint64_t>(static_cast<int64_t>(v << unused) >> unused);
        if (p.bytes > 8) return false;
        memcpy(out, &v, p.bytes);
    }
    return true;
}

static const char* prepare(Machine& m, const Program& p, const Launch& launch) {
    dim3 grid = launch.config.grid, block = launch.config.block;
    for (int k = 0; k < CONSTANT_BANKS; k++) m.constants[k] = p.constants[k];
    auto& first = m.constants[0];
    uint32_t size = p.parameter_base;
    for (const Parameter& q : p.parameters) size = std::max(size, p.parameter_base + q.offset + q.bytes);
    first.assign(size + 16, 0);
    uint32_t shape[] = {block.x, block.y, block.z, grid.x, grid.y, grid.z}, stack = LOCAL_BYTES;
    memcpy(first.data(), shape, sizeof shape);
    memcpy(first.data() + 0x28, &stack, 4);
    if (arguments.size() != p.parameters.size()) return "arguments";
    std::vector<std::string> types = parameter_types(p.name);
    if (types.size() != arguments.size()) types.assign(arguments.size(), "");
    for (size_t k = 0; k < arguments.size(); k++)
        if (!converted(arguments[k], p.parameters[k], types[k], first.data() + p.parameter_base + p.parameters[k].offset))
            return "an argument's type";
    for (const Variable& v : p.variables) {
        const Allocation* found = nullptr;
        for (int k = 1; k < allocation_count && !found; k++)
            if (allocations[k].symbol && v.name == allocations[k].name) found = &allocations[k];
        if (!found) continue;  // what the code does not name cannot be meant
        auto& bank = m.constants[v.bank];
        uint64_t address = found->low;
        if (v.bank == 4 && v.offset + 8 <= bank.size()) memcpy(bank.data() + v.offset, &address, 8);
        if (v.bank == 3 && v.offset + v.bytes <= bank.size())
            memcpy(bank.data() + v.offset, reinterpret_cast<const void*>(found->low), std::min<size_t>(v.bytes, found->high - found->low));
    }
    for (int k = 0; k < 3; k++) {
        m.block_shape[k] = shape[k];
        m.grid[k] = shape[3 + k];
    }
    return nullptr;
}

static void begin(Machine& m, std::vector<WarpState>& warps, const Launch& launch, int registers) {
    const Program& p = *m.program;
    if (p.values_shared) m.block.shared.assign(RESERVED_SHARED + p.static_shared + launch.config.shared + 16, 0);
    memset(m.block.votes, 0, sizeof m.block.votes);
    for (int n = 0; n < launch.warps; n++) {
        WarpState& w = warps[n];
        int lanes = std::min(WARP, launch.threads - n * WARP);
        w.registers.resize(size_t(registers) * WARP);
        w.alive = lanes == WARP ? ~0u : (1u << lanes) - 1;
        w.ready.assign(1, {w.alive, 0});
        w.at_barrier.clear();
        w.at_meeting.clear();
        for (Barrier& b : w.barriers) b = {};
        for (int k = 0; k < WARP; k++) {
            const uint3& t = launch.index[std::min(n * WARP + k, launch.threads - 1)];
            w.thread[0][k] = t.x;
            w.thread[1][k] = t.y;
            w.thread[2][k] = t.z;
        }
    }
}

// All that will come have come to the block's barrier: they go on, those of one place together.
static bool pass_barrier(std::vector<WarpState>& warps, int count) {
    bool any = false;
    for (int n = 0; n < count; n++) {
        for (const Group& g : warps[n].at_barrier) {
            bool met = false;
            for (Group& r : warps[n].ready)
                if (r.next == g.next) r.lanes |= g.lanes, met = true;
            if (!met) warps[n].ready.push_back(g);
            any = true;
        }
        warps[n].at_barrier.clear();
    }
    return any;
}

static void run_blocks_of(Machine& m, const Launch& launch) {
    int registers = 1;
    for (const Instruction& i : m.program->code) {
        auto seen = [&](const Operand& o) {
            if (o.kind == REGISTER && o.value != ZERO) registers = std::max(registers, o.value + 5);
            if (o.kind == CONSTANT && index_of(o) < ZERO) registers = std::max(registers, index_of(o) + 1);
        };
        seen(i.destination);
        for (const Operand& o : i.operands) seen(o);
    }
    static std::vector<WarpState> warps;
    warps.resize(MAX_WARPS);
    m.most_steps = MOST_STEPS;
    for (uint64_t b = 0; b < launch.blocks && !m.failed; b++) {
        uint3 at = unflatten(b, launch.config.grid);
        m.block.index[0] = at.x;
        m.block.index[1] = at.y;
        m.block.index[2] = at.z;
        begin(m, warps, launch, registers);
        do {
            for (int n = 0; n < launch.warps && !m.failed; n++) run_warp(m, warps[n]);
        } while (!m.failed && pass_barrier(warps, launch.warps));
    }
}

// Device memory and variables as they were, while the code changes them.
struct Kept {
    std::vector<std::pair<uintptr_t, std::vector<uint8_t>>> parts;
    Kept() {
        uint64_t bytes = 0;
        for (int k = 1; k < allocation_count; k++) {
            const Allocation& a = allocations[k];
            if (!a.live) continue;
            auto from = reinterpret_cast<const uint8_t*>(a.base);
            parts.emplace_back(a.base, std::vector<uint8_t>(from, from + (a.end - a.base)));
            bytes += a.end - a.base;
        }
        spent += bytes / KEPT_IN_A_STEP;
    }
    ~Kept() {
        for (const auto& [base, bytes] : parts) memcpy(reinterpret_cast<void*>(base), bytes.data(), bytes.size());
    }
};

static const Program* program_of(const Launch& launch) {
    uint64_t offset = launch.site->address ? reinterpret_cast<uintptr_t>(launch.site->address) - code_base() : 0;
    const Program* named = nullptr;
    int same = 0;
    std::string kernel = launch.site->kernel ? launch.site->kernel : "";
    kernel = kernel.substr(0, kernel.find('<'));
    for (const Program& p : programs) {
        if (offset && p.offset == offset) return &p;
        if (!kernel.empty() && p.plain_name == kernel) {
            named = &p;
            same++;
        }
    }
    return same == 1 ? named : nullptr;
}
}  // namespace machine

bool count_by_machine_code(const Launch& launch) {
    using namespace machine;
    const Program* p = program_of(launch);
    failure = programs.empty() ? "" : p ? "" : "no code of this name";
    if (!p || p->code.empty() || launch.config.cooperative || launch.config.cluster.x * launch.config.cluster.y * launch.config.cluster.z > 1) {
        if (p) failure = p->code.empty() ? p->unreadable.c_str() : "blocks that work together";
        return false;
    }
    if (is_program && spent > MOST_OF_PROGRAM) {
        failure = "steps";
        return false;
    }
    Machine m;
    m.program = p;
    forget_apart();
    const char* wrong = prepare(m, *p, launch);
    if (!wrong) {
        if (p->values_global) {
            Kept memory;
            run_blocks_of(m, launch);
        } else {
            run_blocks_of(m, launch);
        }
        wrong = m.failed;
        spent += m.steps;
    }
    if (!wrong) return true;
    failure = wrong;
    start_requests(*worker->counters->requests);
    return false;
}

const char* machine_code_failure() { return machine::failure; }

namespace machine {
namespace {
// What Python has packed (simulator/machine_code/load.py), read in its order.
struct Packed {
    const uint8_t* at;
    const uint8_t* end;
    template <class T> T number() {
        T value{};
        bytes(&value, sizeof value);
        return value;
    }
    std::string text() {
        std::string value(number<uint32_t>(), '\0');
        bytes(value.data(), value.size());
        return value;
    }
    void bytes(void* to, size_t count) {
        if (count > static_cast<size_t>(end - at)) abort();  // it is ours, whole
        memcpy(to, at, count);
        at += count;
    }
};

Program unpacked(Packed& from) {
    Program p;
    p.name = from.text();
    p.plain_name = from.text();
    p.unreadable = from.text();
    p.offset = from.number<uint64_t>();
    p.parameter_base = from.number<uint32_t>();
    p.static_shared = from.number<uint32_t>();
    p.values_global = from.number<uint32_t>();
    p.values_shared = from.number<uint32_t>();
    p.values_local = from.number<uint32_t>();
    p.parameters.resize(from.number<uint32_t>());
    for (Parameter& parameter : p.parameters) parameter = {from.number<uint32_t>(), from.number<uint32_t>()};
    p.code.resize(from.number<uint32_t>());
    for (Instruction& i : p.code) {
        from.bytes(&i, FIELDS * 4);
        i.modifiers = uint64_t(static_cast<uint32_t>(i.high)) << 32 | static_cast<uint32_t>(i.low);
    }
    for (uint32_t banks = from.number<uint32_t>(); banks; banks--) {
        const auto bank = from.number<uint32_t>();
        std::vector<uint8_t> bytes(from.number<uint32_t>());
        from.bytes(bytes.data(), bytes.size());
        if (bank < CONSTANT_BANKS) p.constants[bank] = std::move(bytes);
    }
    p.variables.resize(from.number<uint32_t>());
    for (Variable& v : p.variables) {
        v.name = from.text();
        v.bank = from.number<int32_t>();
        v.offset = from.number<uint32_t>();
        v.bytes = from.number<uint32_t>();
    }
    return p;
}
}  // namespace
}  // namespace machine

// The kernels of all files, once; the same library may have been given them before.
extern "C" __attribute__((visibility("default"))) void ok_programs(const void* packed, uint64_t size) {
    machine::Packed from{static_cast<const uint8_t*>(packed), static_cast<const uint8_t*>(packed) + size};
    machine::programs.clear();
    for (auto kernels = from.number<uint32_t>(); kernels; kernels--) machine::programs.push_back(machine::unpacked(from));
}
}  // namespace __ok
