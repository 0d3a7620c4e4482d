// Bulk copies: what one thread asks the copy engine for, a stretch of memory or a box of a tensor.
#pragma once

#include "state.h"

namespace __ok {
void forget_bulk_stores(Worker& w);     // a block begins
void release_bulk_stores(Worker& w);
void bulk_thread_left(Worker& w);       // the running thread has ended
}  // namespace __ok
