#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/pretend/nccl_call.h"

// How the processes of a pretended NCCL communicator meet: memory that they share, one file per
// communicator. Every operation waits there for the other ranks, and small messages are carried.
namespace highwater::pretend {

using Message = std::vector<char>;  // empty: its content is not known, so zeros

// A message to or from another rank.
struct NcclTransfer {
    bool sends;
    int peer;
    NcclCall call;
    Message message;  // received ones are filled in
};

// One rank's view of a communicator. An error is returned as NCCL's code, and its reason, one line, is
// printed and in why().
class NcclBoard {
public:
    // Waits until all ranks have joined. Null, and `error`: one never comes, or there is no memory to share.
    static std::unique_ptr<NcclBoard> join(const std::string& id, int ranks, int rank, std::string& error);
    ~NcclBoard();
    NcclBoard(const NcclBoard&) = delete;
    NcclBoard& operator=(const NcclBoard&) = delete;

    // Waits until all ranks have called the same operation; returns the message of each.
    ncclResult_t exchange(const NcclCall& call, const Message& mine, std::vector<Message>& all);
    // Carries out sends and receives of one group, in any order that makes progress.
    ncclResult_t transfer(std::vector<NcclTransfer>& transfers);
    // Waiting calls of this rank, and all later ones, fail. Other ranks that wait for it are told.
    void abort();

    const std::string& id() const { return id_; }
    std::string why() const;
    bool failed() const;

private:
    struct Shared;
    class Lock;
    NcclBoard() = default;
    bool open(std::string& error);
    void leave();
    // Waits until `missing` returns no rank (-1); fails if that rank has ended or the time is over. `what`
    // describes the operation.
    ncclResult_t waitFor(Lock& lock, const std::function<int()>& missing, const std::string& what);
    ncclResult_t fail(Lock& lock, ncclResult_t code, const std::string& line);
    bool hasEnded(int rank) const;
    char* rankArea(int rank) const;
    char* pairArea(int from, int to) const;
    // True if it was sent or received now. `error` if the other rank's call does not match.
    bool attempt(NcclTransfer& transfer, std::string& error);

    std::string id_, file_;
    int rank_ = 0, ranks_ = 0, owner_ = 0;
    Shared* shared_ = nullptr;
    std::atomic<bool> aborted_{false};
};

}  // namespace highwater::pretend
