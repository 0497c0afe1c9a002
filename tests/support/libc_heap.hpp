#pragma once

#include <cstddef>

// glibc's own heap functions, under the names for programs that replace malloc and its family.
extern "C" {
void* __libc_malloc(std::size_t bytes) noexcept;
void* __libc_calloc(std::size_t number, std::size_t bytes) noexcept;
void* __libc_realloc(void* piece, std::size_t bytes) noexcept;
void* __libc_memalign(std::size_t alignment, std::size_t bytes) noexcept;
void __libc_free(void* piece) noexcept;
}
