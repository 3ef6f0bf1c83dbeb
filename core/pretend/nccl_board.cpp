#include "core/pretend/nccl_board.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <mutex>
#include <set>
#include <utility>

#include "core/pretend/settings.h"
#include "core/pretend/values.h"

namespace highwater::pretend {
namespace {

constexpr int kMostRanks = kMostDevices;
using Clock = std::chrono::steady_clock;

struct SharedCall {
    char name[24];
    std::uint64_t count;
    int type, op, root;
    std::uint64_t bytes;  // of the message; 0: its content is not known
};

SharedCall sharedCall(const NcclCall& call, std::size_t bytes) {
    SharedCall shared{{}, call.count, call.type, call.op, call.root, bytes};
    std::snprintf(shared.name, sizeof shared.name, "%s", call.name);
    return shared;
}

NcclCall callOf(const SharedCall& shared) {
    return {shared.name, shared.count, shared.type, shared.op, shared.root};
}

bool same(const SharedCall& a, const SharedCall& b) {
    return std::strcmp(a.name, b.name) == 0 && a.count == b.count && a.type == b.type && a.op == b.op &&
           a.root == b.root;
}

struct SharedRank {
    pid_t process;  // 0: has not joined
    bool gone;
    std::uint64_t posted, left;  // operations that it began and ended
    SharedCall call;
};

struct SharedPair {
    std::uint64_t sent, received;
    SharedCall call;
};

// The boards of this process, so that its end is told to the other ranks.
struct Boards {
    std::mutex mutex;
    std::set<NcclBoard*> all;
};

Boards& boards() {
    static Boards& boards = *new Boards;
    return boards;
}

[[gnu::destructor]] void leaveAll() {
    Boards& b = boards();
    if (!b.mutex.try_lock()) {
        return;
    }
    const std::set<NcclBoard*> all = b.all;
    b.mutex.unlock();
    for (NcclBoard* board : all) {
        board->abort();
    }
}

std::string folder() {
    struct stat info{};
    if (stat("/dev/shm", &info) == 0 && access("/dev/shm", W_OK) == 0) {
        return "/dev/shm";
    }
    const char* const named = std::getenv("TMPDIR");
    return named && *named ? named : "/tmp";
}

}  // namespace

struct NcclBoard::Shared {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int ranks;
    int failure;  // an ncclResult_t; ncclSuccess: none
    char why[400];
    std::array<SharedRank, kMostRanks> rank;
    std::array<std::array<SharedPair, kMostRanks>, kMostRanks> pair;  // by sender and receiver
};

namespace {

constexpr std::size_t kHeadBytes = 64 << 10;
constexpr std::size_t kBoardBytes = kHeadBytes + (kMostRanks + kMostRanks * kMostRanks) * kMostValueBytes;

}  // namespace

// Holds the board's mutex. A process that died while it held the mutex leaves the board as failed.
class NcclBoard::Lock {
public:
    explicit Lock(Shared& shared) : shared_(shared) { check(pthread_mutex_lock(&shared_.mutex)); }
    ~Lock() { pthread_mutex_unlock(&shared_.mutex); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

    void notify() { pthread_cond_broadcast(&shared_.changed); }
    // False if nothing changed for a while.
    bool wait() {
        constexpr long kSliceNs = 200'000'000;
        timespec until{};
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += kSliceNs;
        until.tv_sec += until.tv_nsec / 1'000'000'000;
        until.tv_nsec %= 1'000'000'000;
        const int result = pthread_cond_timedwait(&shared_.changed, &shared_.mutex, &until);
        check(result);
        return result == 0;
    }

private:
    void check(int result) {
        if (result == EOWNERDEAD) {
            pthread_mutex_consistent(&shared_.mutex);
            shared_.failure = ncclRemoteError;
            std::snprintf(shared_.why, sizeof shared_.why, "a rank died in the middle of an operation");
        }
    }
    Shared& shared_;
};

bool NcclBoard::open(std::string& error) {
    const std::string problem = "ranks cannot meet: " + file_;
    const int file = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    struct stat info{};
    if (file < 0 || flock(file, LOCK_EX) != 0 || fstat(file, &info) != 0) {
        error = problem + ": " + std::strerror(errno);
        if (file >= 0) {
            close(file);
        }
        return false;
    }
    const bool isNew = info.st_size == 0;
    void* at = MAP_FAILED;
    if (!isNew || ftruncate(file, static_cast<off_t>(kBoardBytes)) == 0) {
        at = mmap(nullptr, kBoardBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    }
    if (at == MAP_FAILED) {
        error = problem + ": " + std::strerror(errno);
        close(file);
        return false;
    }
    static_assert(sizeof(Shared) <= kHeadBytes);
    shared_ = static_cast<Shared*>(at);
    if (isNew) {
        new (shared_) Shared{};
        shared_->ranks = ranks_;
        pthread_mutexattr_t mutex{};
        pthread_mutexattr_init(&mutex);
        pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
        pthread_mutexattr_setrobust(&mutex, PTHREAD_MUTEX_ROBUST);
        pthread_mutex_init(&shared_->mutex, &mutex);
        pthread_condattr_t condition{};
        pthread_condattr_init(&condition);
        pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
        pthread_condattr_setclock(&condition, CLOCK_MONOTONIC);
        pthread_cond_init(&shared_->changed, &condition);
    }
    flock(file, LOCK_UN);  // closing may not do it while the file is mapped
    close(file);
    return true;
}

std::unique_ptr<NcclBoard> NcclBoard::join(const std::string& id, int ranks, int rank, std::string& error) {
    const bool valid =
        !id.empty() && std::ranges::all_of(id, [](unsigned char c) { return std::isalnum(c) || c == '-'; });
    if (!valid || ranks > kMostRanks || rank < 0 || rank >= ranks) {
        error = !valid ? "the communicator's id is none of the pretended NCCL"
                       : "rank " + std::to_string(rank) + " of " + std::to_string(ranks) +
                             " is not possible here: up to " + std::to_string(kMostRanks) + " ranks are";
        return nullptr;
    }
    std::unique_ptr<NcclBoard> board(new NcclBoard);
    board->id_ = id;
    board->file_ = folder() + "/" + id;
    board->rank_ = rank;
    board->ranks_ = ranks;
    if (!board->open(error)) {
        return nullptr;
    }
    ncclResult_t result = ncclSuccess;
    {
        Lock lock(*board->shared_);
        Shared& shared = *board->shared_;
        if (shared.ranks != ranks || shared.rank[static_cast<std::size_t>(rank)].process != 0) {
            error =
                shared.ranks != ranks
                    ? "ranks disagree on the size of their communicator: " + std::to_string(shared.ranks) +
                          " and " + std::to_string(ranks)
                    : "two processes are rank " + std::to_string(rank) + " of one communicator";
            result = board->fail(lock, ncclInvalidUsage, error);
        } else {
            board->owner_ = getpid();
            shared.rank[static_cast<std::size_t>(rank)].process = getpid();
            lock.notify();
            result = board->waitFor(
                lock,
                [&] {
                    for (int other = 0; other < ranks; ++other) {
                        if (shared.rank[static_cast<std::size_t>(other)].process == 0) {
                            return other;
                        }
                    }
                    return -1;
                },
                "the start of a communicator");
        }
    }
    unlink(board->file_.c_str());  // nobody else will open it
    if (result != ncclSuccess) {
        error = board->why();
        return nullptr;
    }
    Boards& b = boards();
    const std::lock_guard lock(b.mutex);
    b.all.insert(board.get());
    return board;
}

NcclBoard::~NcclBoard() {
    {
        Boards& b = boards();
        const std::lock_guard lock(b.mutex);
        b.all.erase(this);
    }
    leave();
    if (shared_) {
        munmap(shared_, kBoardBytes);
    }
}

void NcclBoard::leave() {
    if (shared_ && owner_ == getpid()) {
        Lock lock(*shared_);
        shared_->rank[static_cast<std::size_t>(rank_)].gone = true;
        lock.notify();
    }
}

void NcclBoard::abort() {
    aborted_ = true;
    leave();
}

std::string NcclBoard::why() const {
    const Lock lock(*shared_);
    return shared_->why;
}

bool NcclBoard::failed() const {
    const Lock lock(*shared_);
    return shared_->failure != ncclSuccess;
}

char* NcclBoard::rankArea(int rank) const {
    return reinterpret_cast<char*>(shared_) + kHeadBytes + static_cast<std::size_t>(rank) * kMostValueBytes;
}

char* NcclBoard::pairArea(int from, int to) const {
    return rankArea(kMostRanks + from * kMostRanks + to);
}

// A process that was killed is a zombie until its parent notices.
bool NcclBoard::hasEnded(int rank) const {
    const SharedRank& other = shared_->rank[static_cast<std::size_t>(rank)];
    if (other.gone) {
        return true;
    }
    if (other.process == 0) {
        return false;
    }
    if (kill(other.process, 0) != 0 && errno == ESRCH) {
        return true;
    }
    std::ifstream file("/proc/" + std::to_string(other.process) + "/stat");
    std::string text;
    std::getline(file, text);
    const std::size_t end = text.rfind(')');
    return end != std::string::npos && end + 2 < text.size() && text[end + 2] == 'Z';
}

ncclResult_t NcclBoard::fail(Lock& lock, ncclResult_t code, const std::string& line) {
    if (shared_->failure == ncclSuccess) {
        shared_->failure = code;
        std::snprintf(shared_->why, sizeof shared_->why, "%s", line.c_str());
        say(line);
    }
    lock.notify();
    return static_cast<ncclResult_t>(shared_->failure);
}

ncclResult_t NcclBoard::waitFor(Lock& lock, const std::function<int()>& missing, const std::string& what) {
    const auto until = Clock::now() + std::chrono::seconds(settings().rankPatience);
    int ended = -1;
    for (int rank = missing(); rank >= 0; rank = missing()) {
        if (shared_->failure != ncclSuccess) {
            return static_cast<ncclResult_t>(shared_->failure);
        }
        if (aborted_) {
            return ncclRemoteError;
        }
        const std::string who = "rank " + std::to_string(rank_) + " of " + std::to_string(ranks_);
        if (ended == rank) {
            return fail(
                lock, ncclRemoteError,
                who + " waits in " + what + " for rank " + std::to_string(rank) + ", which has ended");
        }
        if (Clock::now() > until) {
            return fail(lock, ncclRemoteError,
                        who + " waited " + std::to_string(settings().rankPatience) + " s in " + what +
                            " for rank " + std::to_string(rank) +
                            ", which did not come (HIGHWATER_PRETEND_RANK_PATIENCE sets the limit)");
        }
        // Its last operation may have completed before it ended, so look at the board once more.
        ended = !lock.wait() && hasEnded(rank) ? rank : -1;
    }
    return ncclSuccess;
}

ncclResult_t NcclBoard::exchange(const NcclCall& call, const Message& mine, std::vector<Message>& all) {
    Lock lock(*shared_);
    Shared& shared = *shared_;
    if (shared.failure != ncclSuccess || aborted_) {
        return shared.failure != ncclSuccess ? static_cast<ncclResult_t>(shared.failure) : ncclRemoteError;
    }
    SharedRank& own = shared.rank[static_cast<std::size_t>(rank_)];
    const std::uint64_t turn = own.posted + 1;
    const std::string what = textOf(call) + " (number " + std::to_string(turn) + ")";
    const auto firstBehind = [&](std::uint64_t SharedRank::* counter, std::uint64_t turns) {
        return [&shared, counter, turns, this] {
            for (int rank = 0; rank < ranks_; ++rank) {
                if (shared.rank[static_cast<std::size_t>(rank)].*counter < turns) {
                    return rank;
                }
            }
            return -1;
        };
    };
    ncclResult_t result = waitFor(lock, firstBehind(&SharedRank::left, turn - 1), what);
    if (result != ncclSuccess) {
        return result;
    }
    own.call = sharedCall(call, mine.size());
    std::copy(mine.begin(), mine.end(), rankArea(rank_));
    own.posted = turn;
    lock.notify();
    result = waitFor(lock, firstBehind(&SharedRank::posted, turn), what);
    if (result != ncclSuccess) {
        return result;
    }
    all.assign(static_cast<std::size_t>(ranks_), {});
    for (int rank = 0; rank < ranks_; ++rank) {
        const SharedCall& other = shared.rank[static_cast<std::size_t>(rank)].call;
        if (!same(other, own.call)) {
            return fail(lock, ncclInvalidUsage,
                        "ranks do not match in operation " + std::to_string(turn) +
                            " of a communicator: rank " + std::to_string(rank_) + " calls " + textOf(call) +
                            ", rank " + std::to_string(rank) + " calls " + textOf(callOf(other)));
        }
        all[static_cast<std::size_t>(rank)].assign(rankArea(rank), rankArea(rank) + other.bytes);
    }
    own.left = turn;
    lock.notify();
    return ncclSuccess;
}

bool NcclBoard::attempt(NcclTransfer& transfer, std::string& error) {
    const auto me = static_cast<std::size_t>(rank_);
    const auto peer = static_cast<std::size_t>(transfer.peer);
    SharedPair& pair = transfer.sends ? shared_->pair[me][peer] : shared_->pair[peer][me];
    if (transfer.sends) {
        if (pair.sent > pair.received) {
            return false;
        }
        pair.call = sharedCall(transfer.call, transfer.message.size());
        std::copy(transfer.message.begin(), transfer.message.end(), pairArea(rank_, transfer.peer));
        ++pair.sent;
        return true;
    }
    if (pair.sent == pair.received) {
        return false;
    }
    const std::uint64_t wanted = transfer.call.count * bytesOf(transfer.call.type);
    if (pair.call.count * bytesOf(pair.call.type) != wanted) {
        error = "ranks do not match: rank " + std::to_string(rank_) + " receives " + textOf(transfer.call) +
                ", rank " + std::to_string(transfer.peer) + " sends " + textOf(callOf(pair.call));
        return false;
    }
    const char* const data = pairArea(transfer.peer, rank_);
    transfer.message.assign(data, data + pair.call.bytes);
    ++pair.received;
    return true;
}

ncclResult_t NcclBoard::transfer(std::vector<NcclTransfer>& transfers) {
    Lock lock(*shared_);
    std::vector<NcclTransfer*> pending;
    for (NcclTransfer& each : transfers) {
        if (each.peer < 0 || each.peer >= ranks_) {
            return ncclInvalidArgument;
        }
        pending.push_back(&each);
    }
    std::string error;
    // Messages between two ranks keep their order: after one that must wait, later ones to or from the same
    // rank wait too.
    const auto proceed = [&] {
        std::set<std::pair<bool, int>> stuck;
        bool any = false;
        std::erase_if(pending, [&](NcclTransfer* each) {
            const std::pair key(each->sends, each->peer);
            const bool done = !stuck.contains(key) && attempt(*each, error);
            if (!done) {
                stuck.insert(key);
            }
            any = any || done;
            return done;
        });
        if (any) {
            lock.notify();
        }
        return pending.empty() || !error.empty() ? -1 : pending.front()->peer;
    };
    // The sender of a message does not wait for its receiver, unless the previous one is still there.
    const std::string what = transfers.empty() ? "" : textOf(transfers.front().call);
    const ncclResult_t result = waitFor(lock, proceed, what);
    return error.empty() ? result : fail(lock, ncclInvalidUsage, error);
}

}  // namespace highwater::pretend
