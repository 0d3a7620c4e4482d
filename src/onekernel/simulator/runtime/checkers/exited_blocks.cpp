// A block that reads or writes the shared memory of another of its cluster, which may have ended by then.
//
// Tells: exited-block
// Tests: cluster_exited_*
#include "exited_blocks.h"

#include "../machine/resident_blocks.h"
#include "../report/findings.h"

namespace __ok {
void report_exited_block(const ResidentBlocks& resident, int member, const RemoteAccess& a) {
    Finding("exited-block", a.pc).code_at(a.pc).block("block", a.access.block - 1).thread("thread", a.access.thread())
        .block("other_block", resident.block_of(member)).array("variable", a.array->name).number("index", a.index).add();
}

bool ExitedBlocksChecker::access(Worker& w, Access& a) {
    if (a.space != Space::OTHER_BLOCK) return true;
    ResidentBlock& owner = w.resident->members[a.member];
    const WordAccess now{static_cast<uint32_t>(w.block + 1), w.time, w.rank, 15, static_cast<uint8_t>(a.flags)};
    const RemoteAccess remote{true, now, a.pc, a.array(), (a.offset - a.array()->offset) / a.array()->item};
    if (!owner.worker->alive) report_exited_block(*w.resident, a.member, remote);
    if (!w.is_awaited) owner.remote = remote;
    return true;
}
}  // namespace __ok
