#include "less.h"

#include <algorithm>

#include "../checkers/async_copies.h"
#include "../report/findings.h"
#include "program.h"

namespace __ok {
bool checks_less = false;
static volatile bool asked_for_less = false;
static long long ended_before = 0;  // blocks that had ended by then
static bool told_less = false;

static void grant_less(uint64_t begun) {
    if (!is_program || !(options & RACES) || options & (COUNTS | SPARSE | TRACE)) return;
    ended_before = std::max(static_cast<long long>(begun) - 1, 0LL);
    checks_less = true;
    options = (options & ~unsigned(RACES)) | BOUNDS;
}

void ask_for_less(Worker& w) {
    asked_for_less = true;
    // Within a block, too: it may be the only one. Of copies under way the checks and what they know must end together.
    if (!w.current || copies_were_made()) return;
    grant_less(w.launch->next);
    if (w.asked != NO_THREAD_RUNS) w.asked = options & ASKED;
}

void check_less(const Launch& launch) {
    if (asked_for_less && !checks_less) grant_less(launch.next + 1);
    tell_less(launch);
}

void tell_less(const Launch& launch) {
    if (!checks_less || told_less) return;
    told_less = true;
    Finding("checked-less", 0).at(launch.site->at).text("kernel", launch.site->kernel ? launch.site->kernel : "")
        .number("done", ended_before).number("blocks", static_cast<long long>(launch.blocks)).add();
}
}  // namespace __ok
