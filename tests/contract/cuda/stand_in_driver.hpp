#pragma once

#include <cstddef>

/// Control of the stand-in for CUDA's driver (stand_in_driver.cpp), by dlsym. The real driver has
/// none of these functions. Any thread.
extern "C" {
/// Back to the initial state: no failures, no delays, no limit. Streams and counts stay.
void stand_in_reset();
/// After `let_pass` successful calls of `call` ("cuEventQuery"), the next `times` calls return `result`.
void stand_in_fail(const char* call, int result, int let_pass, int times);
/// Makes each copy take this much longer.
void stand_in_slow_copies(int microseconds);
/// Limits the bytes that can be locked. Beyond it the stand-in returns CUDA_ERROR_OUT_OF_MEMORY, like the driver.
void stand_in_lock_limit(std::size_t bytes);
/// The number of successful calls.
int stand_in_calls(const char* call);
/// The bytes that are locked now; the number of existing events and retained primary contexts.
std::size_t stand_in_locked();
int stand_in_events();
int stand_in_retained();
/// The number of started copies, and of those with a locked source.
int stand_in_copies();
int stand_in_locked_copies();
}
