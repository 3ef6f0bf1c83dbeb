#include "core/engine/ranks/rank_link.h"

#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>

namespace highwater::engine {

/// The header of the memory, followed by the slots. A slot holds one piece from one rank. There are two for
/// each rank, used alternately, so that a rank can write its next piece while others still read the previous
/// one.
struct RankLink::Shared {
    std::atomic<std::uint32_t> arrived, turn, stopped;
};

namespace {

constexpr std::size_t kHead = 4096, kPiece = std::size_t{1} << 20;

std::size_t sizeFor(int ranks) {
    return kHead + 2 * static_cast<std::size_t>(ranks) * kPiece;
}

/// std::atomic's wait() does not work between processes.
void waitWhile(const std::atomic<std::uint32_t>& word, std::uint32_t value) {
    const timespec most{0, 50'000'000};
    ::syscall(SYS_futex, &word, FUTEX_WAIT, value, &most, nullptr, 0);
}

void wakeAll(const std::atomic<std::uint32_t>& word) {
    ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace

base::Result<base::Descriptor> RankLink::makeMemory(int ranks) {
    base::Descriptor file(::memfd_create("highwater-ranks", MFD_CLOEXEC));
    if (file.get() < 0 || ::ftruncate(file.get(), static_cast<off_t>(sizeFor(ranks))) != 0) {
        return base::Error{
            fmt::format("the memory that ranks share cannot be created: {}", std::strerror(errno))};
    }
    return file;
}

base::Result<std::unique_ptr<RankLink>> RankLink::join(int fd, int rank, int ranks) {
    const std::size_t size = sizeFor(ranks);
    struct stat what{};
    if (::fstat(fd, &what) != 0 || static_cast<std::size_t>(what.st_size) != size) {
        return base::Error{fmt::format("descriptor {} is not the memory of {} ranks", fd, ranks)};
    }
    void* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) {
        return base::Error{
            fmt::format("the memory that ranks share cannot be mapped: {}", std::strerror(errno))};
    }
    return std::unique_ptr<RankLink>(new RankLink(memory, size, rank, ranks));
}

RankLink::RankLink(void* memory, std::size_t size, int rank, int ranks)
    : memory_(memory), size_(size), rank_(rank), count_(ranks) {
    static_assert(std::atomic<std::uint32_t>::is_always_lock_free && sizeof(Shared) <= kHead);
}

RankLink::~RankLink() {
    ::munmap(memory_, size_);
}

std::byte* RankLink::slot(int rank) const {
    const std::size_t number =
        static_cast<std::size_t>(rank) + (uses_ % 2) * static_cast<std::size_t>(count_);
    return static_cast<std::byte*>(memory_) + kHead + number * kPiece;
}

void RankLink::stop() {
    auto& shared = *static_cast<Shared*>(memory_);
    shared.stopped.store(1);
    wakeAll(shared.turn);
}

bool RankLink::stopped() const {
    return static_cast<Shared*>(memory_)->stopped.load() != 0;
}

/// Returns when all ranks have called it.
void RankLink::meet() {
    auto& shared = *static_cast<Shared*>(memory_);
    if (stopped()) {
        throw RanksStopped();
    }
    const std::uint32_t turn = shared.turn.load();
    if (shared.arrived.fetch_add(1) + 1 == static_cast<std::uint32_t>(count_)) {
        shared.arrived.store(0);
        shared.turn.fetch_add(1);
        wakeAll(shared.turn);
        return;
    }
    while (shared.turn.load() == turn) {
        if (cancel_ != nullptr && cancel_->load()) {
            stop();
        }
        if (stopped()) {
            throw RanksStopped();
        }
        waitWhile(shared.turn, turn);
    }
}

void RankLink::sum(float* values, std::size_t count) {
    constexpr std::size_t kMost = kPiece / sizeof(float);
    const auto ranks = static_cast<std::size_t>(count_), mine = static_cast<std::size_t>(rank_);
    for (std::size_t first = 0; first < count; first += kMost) {
        const std::size_t some = std::min(kMost, count - first);
        std::memcpy(slot(rank_), values + first, some * sizeof(float));
        meet();
        // Each rank sums its share of the piece, in the order of the ranks.
        auto* const sums = reinterpret_cast<float*>(slot(0));
        const std::size_t begin = some * mine / ranks, end = some * (mine + 1) / ranks;
        for (int rank = 1; rank < count_; ++rank) {
            const auto* const more = reinterpret_cast<const float*>(slot(rank));
            for (std::size_t i = begin; i < end; ++i) {
                sums[i] += more[i];
            }
        }
        meet();
        std::memcpy(values + first, sums, some * sizeof(float));
        ++uses_;
    }
}

void RankLink::broadcast(void* bytes, std::size_t size, int root) {
    auto* const mine = static_cast<std::byte*>(bytes);
    for (std::size_t first = 0; first < size; first += kPiece) {
        const std::size_t some = std::min(kPiece, size - first);
        if (rank_ == root) {
            std::memcpy(slot(root), mine + first, some);
        }
        meet();
        if (rank_ != root) {
            std::memcpy(mine + first, slot(root), some);
        }
        ++uses_;
    }
}

}  // namespace highwater::engine
