#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>

#include "core/base/descriptor.h"
#include "core/base/result.h"

/// Exchanges tensors between the ranks of a data-parallel run through the shared memory of one machine. Plain
/// C++, no LibTorch.
namespace highwater::engine {

/// Thrown in a rank that waits for the others after one of them has stopped, or after it was cancelled.
struct RanksStopped : std::runtime_error {
    RanksStopped() : std::runtime_error("another rank has stopped") {}
};

class RankLink {
public:
    /// Creates the memory for `ranks` processes, an unnamed file of zeros.
    static base::Result<base::Descriptor> makeMemory(int ranks);
    /// Joins the others as `rank`, 0 to ranks - 1. The descriptor is not needed afterwards. Error if it is
    /// not from makeMemory().
    static base::Result<std::unique_ptr<RankLink>> join(int fd, int rank, int ranks);
    ~RankLink();
    RankLink(const RankLink&) = delete;
    RankLink& operator=(const RankLink&) = delete;

    int rank() const { return rank_; }
    int count() const { return count_; }

    // Each rank makes the same calls in the same order, from one thread at a time. They block until all ranks
    // are there, and throw RanksStopped if one stops.
    /// Replaces the values by their sums over all ranks. The result is bit-equal on all ranks.
    void sum(float* values, std::size_t count);
    /// Replaces the bytes by those of rank `root`.
    void broadcast(void* bytes, std::size_t size, int root);

    /// Ends all waiting, here and in the other ranks, now and later. Any thread.
    void stop();
    bool stopped() const;
    /// A flag that ends the waiting here as stop() does; null: none. It must outlive this object.
    void watch(const std::atomic<bool>* cancel) { cancel_ = cancel; }

private:
    struct Shared;
    RankLink(void* memory, std::size_t size, int rank, int ranks);
    void meet();
    std::byte* slot(int rank) const;

    void* memory_;
    std::size_t size_;
    int rank_, count_;
    std::uint64_t uses_ = 0;  ///< pieces exchanged so far
    const std::atomic<bool>* cancel_ = nullptr;
};

}  // namespace highwater::engine
