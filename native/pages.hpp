// Room for large arrays, in large pages where the system has them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace deciduous {

/// Asks for large pages in memory that is not written yet. Each page of 4 KiB costs microseconds when it is
/// first written, and threads wait for one another meanwhile. Arrays smaller than a large page share one with
/// their neighbours if room is made for all of them before the first is written. Only a hint: without it, or
/// where it is refused, all works as before.
inline void prefer_large_pages([[maybe_unused]] const void *begin, [[maybe_unused]] std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
    constexpr std::size_t page = 4096, least = 128 * page; // smaller blocks are not pages of their own
    if (bytes < least)
        return;
    const auto address = reinterpret_cast<std::uintptr_t>(begin);
    const std::uintptr_t first = address & ~(page - 1), end = (address + bytes + page - 1) & ~(page - 1);
    static_cast<void>(madvise(reinterpret_cast<void *>(first), end - first, MADV_HUGEPAGE));
#endif
}

/// Whether nearly all of the room will be written, or perhaps only its beginning.
enum class Room { needed, perhaps };

/// Makes room for so many elements. Where little may be written, the beginning stays in small pages: a large
/// one would then take more memory than it saves time.
template <typename T>
void reserve_large(std::vector<T> &values, std::size_t n, Room room = Room::needed) {
    if (n <= values.capacity())
        return;
    values.reserve(n);
    const std::size_t small = room == Room::perhaps ? std::min(n, (std::size_t{2} << 20) / sizeof(T)) : 0;
    prefer_large_pages(values.data() + small, (n - small) * sizeof(T));
}

} // namespace deciduous
