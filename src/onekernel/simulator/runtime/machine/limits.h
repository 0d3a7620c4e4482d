// What the modelled card allows: shapes of launches, shared memory, blocks that are resident at once.
#pragma once

#include "state.h"

namespace __ok {
int check_launch(const LaunchSite& site, const Config& c);    // an error, reported, or 0
int check_cluster(const LaunchSite& site, const Config& c);   // the cluster alone
int check_static(const LaunchSite& site, const Config& c, size_t fixed);  // what is known once the kernel has begun
int check_bound(const LaunchSite& site, int threads, int bound);          // this too
// Whether a launch has more shared memory than it may: `fixed` bytes of its own arrays, beside the dynamic ones.
bool is_too_much_shared(const LaunchSite& site, const Config& c, size_t fixed);
// Blocks of this shape that one multiprocessor holds at once, registers counted where they are known, and what limits them.
int resident_blocks(int threads, size_t shared, const char** limit, const void* kernel = nullptr);
}  // namespace __ok
