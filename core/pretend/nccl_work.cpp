#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "core/pretend/nccl.h"
#include "core/pretend/nccl_reduce.h"
#include "core/pretend/values.h"
#include "core/pretend/work.h"

// NCCL: collective operations, sends and receives, groups. Everything is carried out when it is called, or at
// the end of its group.
using namespace highwater::pretend;

namespace {

constexpr int kScaledSum = 5;  // the first ncclRedOp_t that ncclRedOpCreatePreMulSum returns

struct Operation {
    ncclComm* comm;
    NcclCall call;
    const void* from;
    void* to;
    int peer;  // of a send or receive; -1: a collective operation
    bool sends;
};

thread_local int depth = 0;
thread_local std::vector<Operation> waiting;

std::size_t bytesOfOne(const Operation& operation) {
    return operation.call.count * bytesOf(operation.call.type);
}

Message piece(const Message& message, std::size_t index, std::size_t bytes) {
    if (message.size() < (index + 1) * bytes) {
        return {};
    }
    const auto begin = message.begin() + static_cast<std::ptrdiff_t>(index * bytes);
    return {begin, begin + static_cast<std::ptrdiff_t>(bytes)};
}

// The messages one after another, with zeros for unknown ones; unknown if all are.
Message joined(const std::vector<Message>& all, std::size_t bytes) {
    if (std::ranges::all_of(all, [](const Message& each) { return each.empty(); })) {
        return {};
    }
    Message result(all.size() * bytes);
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::copy(all[i].begin(), all[i].end(), result.begin() + static_cast<std::ptrdiff_t>(i * bytes));
    }
    return result;
}

bool is(const NcclCall& call, const char* name) {
    return std::strcmp(call.name, name) == 0;
}

ncclResult_t collective(const Operation& operation) {
    const NcclCall& call = operation.call;
    ncclComm& comm = *operation.comm;
    const std::size_t bytes = bytesOfOne(operation);
    const auto ranks = static_cast<std::size_t>(comm.ranks);
    const auto rank = static_cast<std::size_t>(comm.rank);
    const bool isRoot = call.root == comm.rank;
    const bool sendsAll = is(call, "ReduceScatter") || is(call, "AlltoAll") || is(call, "Scatter");
    const bool sends = (!is(call, "Broadcast") && !is(call, "Scatter")) || isRoot;
    const std::size_t sent = sendsAll ? bytes * ranks : bytes;
    std::vector<Message> all;
    const Message mine = sends ? valueToSend(operation.from, sent) : Message{};
    if (const ncclResult_t result = meet(comm, call, mine, all); result != ncclSuccess) {
        return result;
    }
    if (is(call, "AllReduce") || (is(call, "Reduce") && isRoot)) {
        receive(operation.to, bytes, reduced(all, call.count, call.type, call.op));
    } else if (is(call, "ReduceScatter")) {
        receive(operation.to, bytes,
                piece(reduced(all, call.count * ranks, call.type, call.op), rank, bytes));
    } else if (is(call, "Broadcast")) {
        receive(operation.to, bytes, all[static_cast<std::size_t>(call.root)]);
    } else if (is(call, "AllGather") || (is(call, "Gather") && isRoot)) {
        receive(operation.to, bytes * ranks, joined(all, bytes));
    } else if (is(call, "AlltoAll")) {
        std::vector<Message> pieces;
        for (const Message& each : all) {
            pieces.push_back(piece(each, rank, bytes));
        }
        receive(operation.to, bytes * ranks, joined(pieces, bytes));
    } else if (is(call, "Scatter")) {
        receive(operation.to, bytes, piece(all[static_cast<std::size_t>(call.root)], rank, bytes));
    }
    return ncclSuccess;
}

// The sends and receives of one communicator.
ncclResult_t pointToPoint(ncclComm& comm, const std::vector<Operation>& operations) {
    std::vector<NcclTransfer> transfers;
    for (const Operation& each : operations) {
        transfers.push_back({each.sends, each.peer, each.call,
                             each.sends ? valueToSend(each.from, bytesOfOne(each)) : Message{}});
    }
    if (!comm.board) {
        return ncclSuccess;
    }
    if (const ncclResult_t result = comm.board->transfer(transfers); result != ncclSuccess) {
        return ncclFailed(result, comm.board->why());
    }
    for (std::size_t i = 0; i < operations.size(); ++i) {
        if (!operations[i].sends) {
            receive(operations[i].to, bytesOfOne(operations[i]), transfers[i].message);
        }
    }
    return ncclSuccess;
}

ncclResult_t runAll(const std::vector<Operation>& operations) {
    for (const Operation& each : operations) {
        const std::string name = std::string("nccl") + each.call.name;
        if (launch(name.c_str()) != 0) {
            return ncclFailed(ncclUnhandledCudaError, "the device is lost");
        }
        const ncclResult_t result = each.peer < 0 ? collective(each) : ncclSuccess;
        if (result != ncclSuccess) {
            return result;
        }
    }
    std::vector<Operation> rest;
    std::ranges::copy_if(operations, std::back_inserter(rest),
                         [](const Operation& o) { return o.peer >= 0; });
    while (!rest.empty()) {
        ncclComm* const comm = rest.front().comm;
        std::vector<Operation> own;
        std::ranges::copy_if(rest, std::back_inserter(own),
                             [&](const Operation& o) { return o.comm == comm; });
        std::erase_if(rest, [&](const Operation& o) { return o.comm == comm; });
        if (const ncclResult_t result = pointToPoint(*comm, own); result != ncclSuccess) {
            return result;
        }
    }
    return ncclSuccess;
}

ncclResult_t call(const Operation& operation) {
    if (!operation.comm) {
        return ncclFailed(ncclInvalidArgument, "no communicator");
    }
    if (operation.call.root >= operation.comm->ranks) {
        return ncclFailed(ncclInvalidArgument, "no rank " + std::to_string(operation.call.root));
    }
    if (depth > 0) {
        waiting.push_back(operation);
        return ncclSuccess;
    }
    return runAll({operation});
}

}  // namespace

extern "C" {

ncclResult_t ncclGroupStart() {
    ++depth;
    return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
    if (depth == 0) {
        return ncclFailed(ncclInvalidUsage, "ncclGroupEnd without ncclGroupStart");
    }
    return --depth > 0 ? ncclSuccess : runAll(std::exchange(waiting, {}));
}

ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t* op, void*, ncclDataType_t, ncclScalarResidence_t,
                                      ncclComm_t) {
    *op = static_cast<ncclRedOp_t>(kScaledSum);
    return ncclSuccess;
}
ncclResult_t ncclRedOpDestroy(ncclRedOp_t, ncclComm_t) {
    return ncclSuccess;
}

ncclResult_t ncclAllReduce(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t op,
                           ncclComm_t comm, cudaStream_t) {
    return call({comm, {"AllReduce", count, type, op}, from, to, -1, false});
}
ncclResult_t ncclReduce(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t op,
                        int root, ncclComm_t comm, cudaStream_t) {
    return call({comm, {"Reduce", count, type, op, root}, from, to, -1, false});
}
ncclResult_t ncclReduceScatter(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t op,
                               ncclComm_t comm, cudaStream_t) {
    return call({comm, {"ReduceScatter", count, type, op}, from, to, -1, false});
}
ncclResult_t ncclBroadcast(const void* from, void* to, size_t count, ncclDataType_t type, int root,
                           ncclComm_t comm, cudaStream_t) {
    return call({comm, {"Broadcast", count, type, -1, root}, from, to, -1, false});
}
ncclResult_t ncclBcast(void* buffer, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                       cudaStream_t stream) {
    return ncclBroadcast(buffer, buffer, count, type, root, comm, stream);
}
ncclResult_t ncclAllGather(const void* from, void* to, size_t count, ncclDataType_t type, ncclComm_t comm,
                           cudaStream_t) {
    return call({comm, {"AllGather", count, type}, from, to, -1, false});
}
ncclResult_t ncclAlltoAll(const void* from, void* to, size_t count, ncclDataType_t type, ncclComm_t comm,
                          cudaStream_t) {
    return call({comm, {"AlltoAll", count, type}, from, to, -1, false});
}
ncclResult_t ncclGather(const void* from, void* to, size_t count, ncclDataType_t type, int root,
                        ncclComm_t comm, cudaStream_t) {
    return call({comm, {"Gather", count, type, -1, root}, from, to, -1, false});
}
ncclResult_t ncclScatter(const void* from, void* to, size_t count, ncclDataType_t type, int root,
                         ncclComm_t comm, cudaStream_t) {
    return call({comm, {"Scatter", count, type, -1, root}, from, to, -1, false});
}
ncclResult_t ncclSend(const void* from, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t) {
    return call({comm, {"Send", count, type}, from, nullptr, peer, true});
}
ncclResult_t ncclRecv(void* to, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t) {
    return call({comm, {"Recv", count, type}, nullptr, to, peer, false});
}

}  // extern "C"
