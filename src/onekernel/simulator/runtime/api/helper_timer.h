// The stopwatch of NVIDIA's samples, ours: written from how the samples use it. Milliseconds of the host, which on the
// simulator are no kernel's.
#pragma once
#include <chrono>

class StopWatchInterface {
public:
    virtual ~StopWatchInterface() = default;
    virtual void start() { begun_ = now(), runs_ = true; }
    virtual void stop() {
        if (!runs_) return;
        last_ = now() - begun_;
        total_ += last_, ++sessions_, runs_ = false;
    }
    virtual void reset() {
        total_ = last_ = 0, sessions_ = 0;
        if (runs_) begun_ = now();
    }
    virtual float getTime() { return static_cast<float>(runs_ ? total_ + now() - begun_ : total_); }
    virtual float getAverageTime() { return sessions_ ? static_cast<float>(total_ / sessions_) : 0.0f; }

private:
    static double now() {
        using namespace std::chrono;
        return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
    }
    double begun_ = 0, last_ = 0, total_ = 0;
    int sessions_ = 0;
    bool runs_ = false;
};

inline bool sdkCreateTimer(StopWatchInterface** timer) { return (*timer = new StopWatchInterface) != nullptr; }
inline bool sdkDeleteTimer(StopWatchInterface** timer) {
    delete *timer;
    *timer = nullptr;
    return true;
}
inline bool sdkStartTimer(StopWatchInterface** timer) { return *timer ? (*timer)->start(), true : false; }
inline bool sdkStopTimer(StopWatchInterface** timer) { return *timer ? (*timer)->stop(), true : false; }
inline bool sdkResetTimer(StopWatchInterface** timer) { return *timer ? (*timer)->reset(), true : false; }
inline float sdkGetTimerValue(StopWatchInterface** timer) { return *timer ? (*timer)->getTime() : 0.0f; }
inline float sdkGetAverageTimerValue(StopWatchInterface** timer) { return *timer ? (*timer)->getAverageTime() : 0.0f; }
