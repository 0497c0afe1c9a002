#pragma once

#include <cstddef>

/// How a test drives the stand-in for CUDA's driver (stand_in_driver.cpp), by dlsym: the real driver has none of
/// these. Any thread.
extern "C" {
/// As after loading: nothing fails, nothing is slow, no bound. Streams and counts stay.
void stand_in_reset();
/// The next `times` calls of `call` ("cuEventQuery") return `result`, after `let_pass` that do not.
void stand_in_fail(const char* call, int result, int let_pass, int times);
/// Each copy takes so much longer.
void stand_in_slow_copies(int microseconds);
/// The most that can be locked; more is refused as the driver refuses it, with CUDA_ERROR_OUT_OF_MEMORY.
void stand_in_lock_limit(std::size_t bytes);
/// How often a call was made that succeeded.
int stand_in_calls(const char* call);
/// Bytes that are locked now; events and retained primary contexts that are there.
std::size_t stand_in_locked();
int stand_in_events();
int stand_in_retained();
/// Copies that began, and those whose source was locked.
int stand_in_copies();
int stand_in_locked_copies();
}
