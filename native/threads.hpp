// Sharing independent tasks among threads.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace deciduous {

/// Called now and then by the thread that shares out work; it throws to end the work (Ctrl-C was pressed).
using Poll = std::function<void()>;

/// Calls work(task, thread) for tasks 0 .. n_tasks-1, in any order, on up to n_threads threads (this one
/// included). The first exception that a task throws is thrown here, after all threads have stopped.
template <typename Work>
void share_out(std::size_t n_tasks, std::size_t n_threads, Work work, const Poll &poll = {}) {
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex failing;
    const auto run = [&](std::size_t thread) {
        try {
            using Clock = std::chrono::steady_clock;
            auto polled = Clock::now();
            for (std::size_t task; (task = next.fetch_add(1)) < n_tasks;) {
                work(task, thread);
                if (thread == 0 && poll && Clock::now() - polled > std::chrono::milliseconds(50)) {
                    poll();
                    polled = Clock::now();
                }
            }
        } catch (...) {
            const std::lock_guard lock(failing);
            failure = std::current_exception();
            next = n_tasks;
        }
    };
    std::vector<std::thread> helpers;
    for (std::size_t thread = 1; thread < n_threads && thread < n_tasks; ++thread)
        helpers.emplace_back(run, thread);
    run(0);
    for (std::thread &helper : helpers)
        helper.join();
    if (failure)
        std::rethrow_exception(failure);
}

} // namespace deciduous
