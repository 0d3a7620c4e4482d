// What the modelled card allows: shapes of launches, shared memory, blocks that are resident at once.
#pragma once

#include "state.h"

namespace __ok {
int check_launch(const LaunchSite& site, const Config& c);    // an error, reported, or 0
int check_cluster(const LaunchSite& site, const Config& c);   // the cluster alone
int check_static(const LaunchSite& site, const Config& c, size_t fixed);  // what is known once the kernel has run
int check_bound(const LaunchSite& site, int threads, int bound);          // this too
// Blocks of this shape that one multiprocessor holds at once, registers counted where they are known, and what limits them.
int resident_blocks(int threads, size_t shared, const char** limit, const void* kernel = nullptr);
}  // namespace __ok
