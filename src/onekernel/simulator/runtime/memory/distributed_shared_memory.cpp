// Distributed shared memory: a block that reads or writes the shared memory of another of its cluster.
#include "../checks/bounds.h"
#include "../checks/race.h"
#include "../counters/lockstep.h"
#include "../machine/resident_blocks.h"
#include "../report/findings.h"
#include "access.h"

namespace __ok {
void report_exited_block(const ResidentBlocks& resident, int member, const RemoteAccess& a) {
    Finding("exited-block", a.pc).code_at(a.pc).block("block", a.access.block - 1).thread("thread", a.access.thread())
        .block("other_block", resident.block_of(member)).array("variable", a.array->name).number("index", a.index).add();
}

bool access_distributed_shared(Worker& w, uintptr_t address, int bytes, unsigned flags, uintptr_t pc) {
    ResidentBlocks& resident = *w.resident;
    uintptr_t offset = address - reinterpret_cast<uintptr_t>(resident.arenas);
    if (offset >= resident.size * ARENA_BYTES) return false;
    int member = static_cast<int>(offset / ARENA_BYTES);
    uint32_t at = static_cast<uint32_t>(offset % ARENA_BYTES);
    const SharedArray* s = shared_at(at);
    if (!s || at + bytes > s->offset + s->bytes) {
        report_out_of_bounds_shared(at, bytes, flags, pc);
        return true;
    }
    if (address & (bytes - 1)) report_misaligned(address, bytes, pc, s->name);
    ResidentBlock& owner = resident.members[member];
    Access now{static_cast<uint32_t>(w.block + 1), w.time, w.rank, 15, static_cast<uint8_t>(flags)};
    RemoteAccess remote{true, now, pc, s, (at - s->offset) / s->item};
    if (!owner.worker->alive) report_exited_block(resident, member, remote);
    if (!w.is_awaited) owner.remote = remote;
    if (options & RACES)
        check_shared(w, Place{nullptr, s, at, static_cast<uint32_t>(owner.worker->block + 1)}, owner.worker->shadow, address,
                     reinterpret_cast<uintptr_t>(owner.worker->arena), bytes, flags, pc);
    if (options & COUNTS) log_access(w, offset + ARENA_BYTES, bytes, flags, pc, true);
    return true;
}
}  // namespace __ok
