// What each launch of a call was: its shape, the bytes of each buffer, and what was counted.
#pragma once

#include <string>

#include "../machine/state.h"
#include "json.h"

namespace __ok {
void record_launch(const Launch& launch);  // it has run
const std::string& last_record();
void record_again(const std::string& record);
bool room_for_records();  // false: the call has made more launches than anybody reads about
void forget_launches();
void write_launches(Json& out);
void write_shown(Json& out);                        // shown.cpp
void show_thread(long long block, long long thread);  // linear indices; none: -1
}  // namespace __ok
