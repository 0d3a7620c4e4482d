#pragma once

#include <cstddef>
#include <cstdint>

namespace __ok {
void note_block(void* block, size_t bytes);  // of the program's heap, that it has asked for
void forget_block(void* block);
constexpr size_t UNKNOWN_ROOM = SIZE_MAX;
struct HostRoom {
    size_t bytes;     // from an address on to the end of its block, or of the frame of the function whose local it is
    bool of_a_local;
};
HostRoom host_room(const void* address);
}  // namespace __ok
