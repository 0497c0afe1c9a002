// In place of the other files of this folder with -DWEIR_MACHINE=unknown: nothing is known of the machine. A port to another
// system begins with a copy of this file.
#include <algorithm>
#include <new>
#include <thread>

#include "base/machine/cgroups.hpp"
#include "base/machine/cpu_room.hpp"
#include "base/machine/cpu_watch.hpp"
#include "base/machine/memory_room.hpp"
#include "base/machine/pages.hpp"
#include "base/machine/process_id.hpp"
#include "base/machine/thread_cpus.hpp"
#include "base/machine/vector_sets.hpp"

namespace weir {

std::optional<std::uint64_t> number_in(const std::filesystem::path&) { return std::nullopt; }
std::optional<std::uint64_t> number_after(const std::filesystem::path&, std::string_view) {
  return std::nullopt;
}
std::vector<Cgroup> own_cgroups(const std::filesystem::path&, std::string_view) { return {}; }

unsigned allowed_cpus() noexcept { return std::thread::hardware_concurrency(); }
unsigned CpuRoom::threads() const noexcept { return std::max(1u, allowed); }
CpuRoom cpu_room(const std::filesystem::path&) { return {allowed_cpus(), std::nullopt}; }
unsigned threads_for(unsigned requested) {
  return requested != 0 ? requested : cpu_room().threads();
}

CpuLosses throttling_in(std::string_view) noexcept { return {}; }
std::optional<std::uint64_t> steal_ticks_in(std::string_view) noexcept { return std::nullopt; }
CpuWatch::CpuWatch(const std::string&) {}
CpuLosses CpuWatch::read() const noexcept { return {}; }

std::uint64_t CgroupRoom::left() const noexcept { return 0; }
MemoryRoom memory_room(const std::filesystem::path&) { return {}; }

void CpuTime::add(const CpuTime&) noexcept { waited.reset(); }
std::optional<std::chrono::nanoseconds> run_delay_in(std::string_view) noexcept {
  return std::nullopt;
}
ThreadCpus::Member::Member(ThreadCpus& all) noexcept : all_(all), id_(0) {}
ThreadCpus::Member::~Member() {
  Lock lock(all_.mutex_);
  all_.ended_.add({});
}
CpuTime ThreadCpus::Member::time() const noexcept { return {{}, std::nullopt}; }
CpuTime ThreadCpus::total() const noexcept { return {{}, std::nullopt}; }

std::size_t page_size() noexcept { return 4096; }
std::byte* map_pages(std::size_t length, std::size_t alignment) {
  return static_cast<std::byte*>(::operator new (length, std::align_val_t{alignment}));
}
void unmap_pages(std::byte* first, std::size_t, std::size_t alignment) noexcept {
  ::operator delete (first, std::align_val_t{alignment});
}
std::string no_huge_pages() { return "they are not known here"; }
std::string use_huge_pages(std::byte*, std::size_t) { return no_huge_pages(); }
std::string lock_pages(std::byte*, std::size_t) { return "locks are not known here"; }

long process_id() noexcept { return 0; }

std::int64_t machine_vector_sets() noexcept { return 0; }
void allow_vector_sets(std::int64_t) noexcept {}

}  // namespace weir
