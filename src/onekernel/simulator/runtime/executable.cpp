// Linked into programs alone, behind the runtime and before the files: it starts the one before the others.
namespace __ok {
void start_program();
namespace {
struct Start {
    Start() { start_program(); }
} start;
}  // namespace
}  // namespace __ok
