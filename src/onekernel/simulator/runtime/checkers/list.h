// The checkers, in the order in which each is told of an access and of an event. A new one is a file and a name here.
#pragma once

#include "async_copies.h"
#include "bounds.h"
#include "checker.h"
#include "doubts.h"
#include "exited_blocks.h"
#include "late_reads.h"
#include "lockstep.h"
#include "order.h"
#include "races.h"
#include "requests.h"
#include "sparse_tensors.h"
#include "trace.h"
#include "traffic.h"
#include "unset_constants.h"

namespace __ok {
using Checkers = CheckerList<
    SparseTensorsChecker,
    BoundsChecker,
    UnsetConstantsChecker,
    ExitedBlocksChecker,
    AsyncCopiesChecker,
    LateReadsChecker,
    TrafficChecker,
    RacesChecker,
    OrderChecker,
    TraceChecker,
    LockstepChecker,
    DoubtsChecker,
    RequestsChecker>;
}  // namespace __ok
