// Where Thrust's vectors of the device lie: in the simulator's device memory, or in managed memory.
#pragma once
#include <thrust/mr/memory_resource.h>

#include <new>

#include "libraries.h"

namespace __ok {
template <bool managed>
class ThrustResource final : public thrust::mr::memory_resource<> {
public:
    void* do_allocate(std::size_t bytes, std::size_t) override {
        void* pointer = nullptr;
        if (bytes != 0 && ok_library_alloc(&pointer, bytes, managed) != 0) throw std::bad_alloc();
        return pointer;
    }
    void do_deallocate(void* pointer, std::size_t, std::size_t) override { ok_library_free(pointer); }
};
using ThrustMemory = ThrustResource<false>;
using ThrustManagedMemory = ThrustResource<true>;
}  // namespace __ok
