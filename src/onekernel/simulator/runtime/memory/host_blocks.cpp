// What the host has for its own data: blocks of its heap, and its functions' frames. A copy that leaves one is told.
#include "host_blocks.h"

#include <malloc.h>
#include <unwind.h>

#include <atomic>

#include "../machine/program.h"
#include "../machine/signal_context.h"
#include "host_memory.h"

extern "C" void* __libc_stack_end;

namespace __ok {
namespace {
// By address; of two that meet in a place the later one is known. What a library frees by itself stays in the table, so a
// block counts only if the C library, too, gives it about that size.
struct Block {
    std::atomic<uintptr_t> address;
    std::atomic<size_t> bytes;
};
constexpr size_t BLOCKS = 1 << 16, ALIGNMENT = 16, LARGE = 1 << 16;
constexpr size_t most_over(size_t bytes) { return bytes < LARGE ? 32 : 2 * 4096; }  // what rounding adds to a block
Block blocks[BLOCKS];
Block& place_of(uintptr_t address) { return blocks[address / ALIGNMENT % BLOCKS]; }

struct Frames {
    uintptr_t address, end;  // the end: where the caller's frame begins
};
_Unwind_Reason_Code look_at_frame(_Unwind_Context* frame, void* raw) {
    Frames& frames = *static_cast<Frames*>(raw);
    frames.end = _Unwind_GetCFA(frame);
    return frames.end > frames.address ? _URC_END_OF_STACK : _URC_NO_REASON;
}

#if defined(__x86_64__)
constexpr uintptr_t RETURN_ADDRESS = 8;  // where the function returns to, at the end of its frame
#else
constexpr uintptr_t RETURN_ADDRESS = 0;
#endif

size_t room_in_frame(uintptr_t address) {
    const uintptr_t here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    if (address < here || address >= reinterpret_cast<uintptr_t>(__libc_stack_end)) return UNKNOWN_ROOM;
    Frames frames{address, 0};
    _Unwind_Backtrace(look_at_frame, &frames);
    return frames.end > address + RETURN_ADDRESS ? frames.end - RETURN_ADDRESS - address : UNKNOWN_ROOM;
}
}  // namespace

void note_block(void* block, size_t bytes) {
    if (!is_program || !block) return;
    const uintptr_t address = reinterpret_cast<uintptr_t>(block);
    place_of(address).bytes = bytes;
    place_of(address).address = address;
}
void forget_block(void* block) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(block);
    if (block && place_of(address).address == address) place_of(address).address = 0;
}

HostRoom host_room(const void* pointer) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
    const Block& block = place_of(address);
    if (block.address != address) return {room_in_frame(address), true};
    const size_t bytes = block.bytes, usable = is_readable(address - sizeof(size_t)) ? malloc_usable_size(const_cast<void*>(pointer)) : 0;
    return {usable >= bytes && usable - bytes <= most_over(bytes) ? bytes : UNKNOWN_ROOM, false};
}
}  // namespace __ok
