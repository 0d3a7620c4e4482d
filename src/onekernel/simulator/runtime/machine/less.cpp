#include "less.h"

#include "../report/findings.h"
#include "program.h"

namespace __ok {
bool checks_less = false;
static volatile bool asked_for_less = false;

void ask_for_less() { asked_for_less = true; }

void check_less(const Launch& launch) {
    if (!asked_for_less || checks_less || !is_program || !(options & RACES) || options & (COUNTS | SPARSE | TRACE)) return;
    checks_less = true;
    options = (options & ~unsigned(RACES)) | BOUNDS;
    Finding("checked-less", 0).at(launch.site->at).text("kernel", launch.site->kernel ? launch.site->kernel : "")
        .number("done", static_cast<long long>(launch.next.load()) - 1).number("blocks", static_cast<long long>(launch.blocks)).add();
}
}  // namespace __ok
