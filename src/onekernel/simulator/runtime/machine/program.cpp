#include "program.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "../checkers/trace.h"
#include "../entry.h"
#include "../machine_code/run.h"
#include "../memory/memory.h"
#include "../report/findings.h"
#include "../report/unasked.h"
#include "crash.h"
#include "launch.h"
#include "streams.h"
#include "time_limit.h"
#include "undefined.h"

namespace __ok {
bool is_program = false;
static pid_t owner = 0;  // a child that the program forks tells nothing
static bool told = false;
static std::string folder;
struct Progress {
    std::atomic<uint64_t> blocks, done;
};
static Progress* progress = nullptr;

void begin_progress(const Launch& launch) {
    if (!progress) return;
    progress->done = 0;
    progress->blocks = launch.blocks;
}
void block_done() {
    if (progress) progress->done.fetch_add(1, std::memory_order_relaxed);
}
void launch_done() {
    if (progress) progress->blocks = 0;
}

void forget_progress() { progress = nullptr; }

static void tell(bool to_its_end) {
    if (told || getpid() != owner) return;
    told = true;
    close_heap();
    tell_unasked();
    if (to_its_end) tell_leaks();
    if (to_its_end && !faulted()) tell_unwaited();
    std::string unfinished = folder + "/report.part";
    FILE* file = folder.empty() ? nullptr : fopen(unfinished.c_str(), "w");
    if (!file) return;
    fputs(ok_report(), file);
    if (!fclose(file)) rename(unfinished.c_str(), (folder + "/report").c_str());
}

void end_program(int status) {
    end_if_copy();
    tell(false);
    if (!ftrylockfile(stdout)) {  // what the program has said and nobody has read yet
        fflush(stdout);
        funlockfile(stdout);
    }
    _exit(status);
}

// Called between the runtime's own constructors and those of the program, whose first line may already use the device.
void start_program() {
    const char* named = getenv("ONEKERNEL_PROGRAM");
    folder = named ? named : "";
    unsetenv("ONEKERNEL_PROGRAM");  // it is not for the processes that the program starts
    is_program = true;
    owner = getpid();
    unsigned asked = 0;
    int cores = 1;
    double seconds = 1e9;
    ok_code_base_address();
    if (FILE* file = folder.empty() ? nullptr : fopen((folder + "/settings").c_str(), "r")) {
        if (fscanf(file, "%u %d %lf %d", &asked, &cores, &seconds, &trace_warp) != 4) asked = 0;
        unsigned long long offset, size;
        char name[256];
        int kind;
        while (fscanf(file, "%llx %llx %d %255s", &offset, &size, &kind, name) == 4)
            if (kind > CONSTANT) ok_shared_of(size, offset);
            else ok_symbol(name, offset, size, kind);
        fclose(file);
    }
    if (FILE* file = folder.empty() ? nullptr : fopen((folder + "/code").c_str(), "rb")) {
        std::string packed;
        char part[1 << 16];
        while (size_t count = fread(part, 1, sizeof part, file)) packed.append(part, count);
        fclose(file);
        ok_programs(packed.data(), packed.size());
    }
    int shared = folder.empty() ? -1 : open((folder + "/progress").c_str(), O_RDWR);
    if (shared >= 0) {
        void* p = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
        progress = p == MAP_FAILED ? nullptr : static_cast<Progress*>(p);
        close(shared);
    }
    worker = &host_worker();
    options = asked;
    start_call(cores);
    start_streams();
    set_time_limit(seconds);
    guard_program();
    watch_process(seconds * cores + AFTERWARDS);
    atexit([] { tell(true); });
}

[[noreturn]] void leave_program(int status) {
    using Exit = void (*)(int);
    Exit real = reinterpret_cast<Exit>(dlsym(RTLD_NEXT, "exit"));
    if (real) real(status);
    end_program(status);
}
}  // namespace __ok
