# The toolchain of ./dev test-arm64: Debian's cross compiler, a Debian of arm64 in WEIR_ARM64_ROOT (tests/tools/package/arm64_root
# makes it), and qemu, which runs the tests.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WEIR_ARM64_ROOT)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_SYSROOT ${WEIR_ARM64_ROOT})
set(CMAKE_FIND_ROOT_PATH ${WEIR_ARM64_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# Packages are unpacked, not configured: nothing has chosen among their alternatives.
set(folder /usr/lib/aarch64-linux-gnu)
set(CMAKE_EXE_LINKER_FLAGS_INIT
  "-Wl,-rpath-link,${WEIR_ARM64_ROOT}${folder}/blas -Wl,-rpath-link,${WEIR_ARM64_ROOT}${folder}/lapack")
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L ${WEIR_ARM64_ROOT}
  -E LD_LIBRARY_PATH=${folder}/blas:${folder}/lapack)
