// Work of two streams that nothing orders, on the same bytes.
#pragma once

#include <cstddef>

#include "../api/ok/runtime.h"

namespace __ok {
// A launch has ended: what it has touched of the allocations that it was given, by the shadow of their words.
void stream_launch_ended(const LaunchSite& site, const volatile void* stream, const void* const* pointers, int count);
void start_stream_races();
}  // namespace __ok
