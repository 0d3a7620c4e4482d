// wgmma, setmaxnreg.
#pragma once
#include "ptx_matrices.h"
#include "warpgroup.h"

namespace __ok {
namespace ptx {

OK_ALWAYS WarpgroupStep step(WarpgroupWork work, uint32_t number, const char* name) {
    WarpgroupStep s;
    s.work = work;
    s.name = name;
    s.number = number;
    return s;
}
OK_ALWAYS void warpgroup(WarpgroupWork work, uint32_t number, const char* name, OK_AT) {
    WarpgroupStep mine = step(work, number, name);
    ok_warpgroup(&mine, at);
}
// The sums stay where the statement's operands are, and get their values when they are waited for.
template <class... T>
OK_ALWAYS void sums_in(WarpgroupStep& s, T&... sum) {
    static_assert(((sizeof sum == 4) && ...), "ok-asm-operand");
    s.count = 0;
    ((s.sums[s.count++] = reinterpret_cast<uint32_t*>(__builtin_addressof(sum))), ...);
}
OK_ALWAYS void product(WarpgroupStep& s, OK_AT) { ok_warpgroup(&s, at); }

}  // namespace ptx
}  // namespace __ok
