#pragma once

#include "checker.h"

namespace __ok {
struct ExitedBlocksChecker : Checker<ExitedBlocksChecker> {
    static bool access(Worker& w, Access& a);
};
}  // namespace __ok
