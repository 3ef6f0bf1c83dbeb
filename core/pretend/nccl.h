#pragma once

#include <memory>
#include <string>

#include "core/pretend/nccl_board.h"

// A communicator. Its buffers are an estimate (Settings::ncclBytes) and belong to the device's memory.
struct ncclComm {
    int ranks = 1;
    int rank = 0;
    int device = 0;
    std::unique_ptr<highwater::pretend::NcclBoard> board;  // null: one process has all ranks
    std::uint64_t bytes = 0;                               // taken from the device
    int splits = 0;                                        // communicators that were made of this one
};

namespace highwater::pretend {

// Stores the reason for ncclGetLastError, and returns the code.
ncclResult_t ncclFailed(ncclResult_t code, const std::string& why);

// All ranks call the same operation and get each other's messages.
ncclResult_t meet(ncclComm& comm, const NcclCall& call, const Message& mine, std::vector<Message>& all);

}  // namespace highwater::pretend
