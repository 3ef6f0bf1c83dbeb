#include "core/pretend/nccl.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "core/pretend/memory.h"
#include "core/pretend/report.h"
#include "core/pretend/runtime.h"
#include "core/pretend/settings.h"
#include "core/pretend/work.h"

// NCCL: communicators. Each rank is a process on this machine; nccl_work.cpp has their operations.
using namespace highwater::pretend;

namespace highwater::pretend {
namespace {

thread_local std::string lastWhy;

ncclResult_t takeBuffers(ncclComm& comm) {
    if (comm.ranks < 2) {
        return ncclSuccess;
    }
    if (!takePhysical(settings().ncclBytes, comm.device)) {
        const std::string line = "the device has no room for NCCL's buffers, estimated at " +
                                 std::to_string(settings().ncclBytes >> 20) + " MiB";
        say(line);
        return ncclFailed(ncclUnhandledCudaError, line);
    }
    comm.bytes = settings().ncclBytes;
    reportCommunicator(static_cast<std::int64_t>(comm.bytes));
    return ncclSuccess;
}

void returnBuffers(ncclComm& comm) {
    if (comm.bytes > 0) {
        returnPhysical(comm.bytes, comm.device);
        reportCommunicator(-static_cast<std::int64_t>(comm.bytes));
        comm.bytes = 0;
    }
}

ncclResult_t start(ncclComm_t* made, const std::string& id, int ranks, int rank, bool sharesBuffers) {
    if (!made || ranks < 1 || rank < 0 || rank >= ranks) {
        return ncclFailed(ncclInvalidArgument, "a communicator's rank is not one of its ranks");
    }
    ensureContext();
    auto comm = std::make_unique<ncclComm>();
    comm->ranks = ranks;
    comm->rank = rank;
    comm->device = currentDevice();
    std::string error;
    if (ranks > 1) {
        comm->board = NcclBoard::join(id, ranks, rank, error);
        if (!comm->board) {
            sayOnce(error);
            return ncclFailed(ncclRemoteError, error);
        }
    }
    const ncclResult_t result = sharesBuffers ? ncclSuccess : takeBuffers(*comm);
    *made = result == ncclSuccess ? comm.release() : nullptr;
    return result;
}

std::string textOf(const ncclUniqueId& id) {
    return {id.internal, strnlen(id.internal, sizeof id.internal)};
}

struct Member {
    int color, key;
};

}  // namespace

ncclResult_t ncclFailed(ncclResult_t code, const std::string& why) {
    lastWhy = why;
    return code;
}

ncclResult_t meet(ncclComm& comm, const NcclCall& call, const Message& mine, std::vector<Message>& all) {
    if (!comm.board) {
        all.assign(static_cast<std::size_t>(comm.ranks), {});
        all[static_cast<std::size_t>(comm.rank)] = mine;
        return ncclSuccess;
    }
    const ncclResult_t result = comm.board->exchange(call, mine, all);
    return result == ncclSuccess ? result : ncclFailed(result, comm.board->why());
}

}  // namespace highwater::pretend

extern "C" {

ncclResult_t ncclGetVersion(int* version) {
    constexpr int kVersion = 22809;  // if NVIDIA's library is not loaded
    *version = kVersion;
    if (auto* real = realFunction<decltype(ncclGetVersion)>("ncclGetVersion")) {
        return real(version);
    }
    return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
    std::array<unsigned char, 16> random{};
    if (!id || getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size())) {
        return ncclFailed(ncclSystemError, "no random numbers");
    }
    std::string text = "highwater-nccl-";
    for (const unsigned char byte : random) {
        char hex[3];
        std::snprintf(hex, sizeof hex, "%02x", byte);
        text += hex;
    }
    *id = {};
    std::copy(text.begin(), text.end(), id->internal);
    return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t result) {
    switch (result) {
        case ncclSuccess:
            return "no error";
        case ncclUnhandledCudaError:
            return "unhandled cuda error";
        case ncclSystemError:
            return "unhandled system error";
        case ncclInternalError:
            return "internal error";
        case ncclInvalidArgument:
            return "invalid argument";
        case ncclInvalidUsage:
            return "invalid usage";
        case ncclRemoteError:
            return "remote process exited or there was a network error";
        case ncclInProgress:
            return "NCCL operation in progress";
    }
    return "unknown result code";
}

const char* ncclGetLastError(ncclComm_t comm) {
    if (comm && comm->board && comm->board->failed()) {
        lastWhy = comm->board->why();
    }
    return lastWhy.c_str();
}

ncclResult_t ncclMemAlloc(void** address, size_t bytes) {
    *address = allocate(bytes);
    return *address ? ncclSuccess : ncclFailed(ncclUnhandledCudaError, "out of memory");
}

ncclResult_t ncclMemFree(void* address) {
    return !address || release(address) ? ncclSuccess : ncclInvalidArgument;
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank) {
    return start(comm, textOf(id), ranks, rank, false);
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank, ncclConfig_t*) {
    return start(comm, textOf(id), ranks, rank, false);
}

ncclResult_t ncclCommInitRankScalable(ncclComm_t* comm, int ranks, int rank, int ids, ncclUniqueId* id,
                                      ncclConfig_t*) {
    return ids > 0 && id ? start(comm, textOf(id[0]), ranks, rank, false) : ncclInvalidArgument;
}

// One process with several devices: its operations carry no values.
ncclResult_t ncclCommInitAll(ncclComm_t* comms, int devices, const int* list) {
    for (int i = 0; i < devices; ++i) {
        auto comm = std::make_unique<ncclComm>();
        comm->ranks = devices;
        comm->rank = i;
        comm->device = list ? list[i] : i;
        if (comm->device < 0 || comm->device >= settings().devices) {
            return ncclFailed(ncclInvalidArgument, "no device " + std::to_string(comm->device));
        }
        if (const ncclResult_t taken = takeBuffers(*comm); taken != ncclSuccess) {
            return taken;
        }
        comms[i] = comm.release();
    }
    return ncclSuccess;
}

ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t* split, ncclConfig_t* config) {
    if (!comm || !split) {
        return ncclInvalidArgument;
    }
    const Member own{color, key};
    Message mine(sizeof own);
    std::memcpy(mine.data(), &own, sizeof own);
    std::vector<Message> all;
    if (const ncclResult_t result = meet(*comm, {.name = "CommSplit"}, mine, all); result != ncclSuccess) {
        return result;
    }
    std::vector<std::pair<int, int>> members;  // key and rank
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
        Member member{-1, 0};
        if (all[rank].size() == sizeof member) {
            std::memcpy(&member, all[rank].data(), sizeof member);
        }
        if (member.color == color) {
            members.emplace_back(member.key, static_cast<int>(rank));
        }
    }
    std::ranges::sort(members);
    const int number = comm->splits++;
    *split = nullptr;
    if (color < 0) {
        return ncclSuccess;
    }
    const auto place = std::ranges::find(members, comm->rank, &std::pair<int, int>::second);
    const std::string id = (comm->board ? comm->board->id() : std::string("highwater-nccl")) + "-" +
                           std::to_string(number) + "-" + std::to_string(color);
    const bool shares = config && config->splitShare == 1;
    return start(split, id, static_cast<int>(members.size()), static_cast<int>(place - members.begin()),
                 shares);
}

ncclResult_t ncclCommFinalize(ncclComm_t) {
    return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
    if (comm) {
        returnBuffers(*comm);
        delete comm;
    }
    return ncclSuccess;
}

// Another thread may be waiting in it, so the communicator itself remains.
ncclResult_t ncclCommAbort(ncclComm_t comm) {
    if (comm) {
        returnBuffers(*comm);
        if (comm->board) {
            comm->board->abort();
        }
    }
    return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error) {
    *error = comm && comm->board && comm->board->failed() ? ncclRemoteError : ncclSuccess;
    return ncclSuccess;
}

ncclResult_t ncclCommCount(const ncclComm_t comm, int* count) {
    *count = comm->ranks;
    return ncclSuccess;
}
ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int* device) {
    *device = comm->device;
    return ncclSuccess;
}
ncclResult_t ncclCommUserRank(const ncclComm_t comm, int* rank) {
    *rank = comm->rank;
    return ncclSuccess;
}
ncclResult_t ncclCommRegister(const ncclComm_t, void*, size_t, void** handle) {
    static int token;
    *handle = &token;
    return ncclSuccess;
}
ncclResult_t ncclCommDeregister(const ncclComm_t, void*) {
    return ncclSuccess;
}

}  // extern "C"
