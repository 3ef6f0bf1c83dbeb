#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/pretend/abi/nccl.h"
#include "core/pretend/values.h"
#include "tests/core/pretend/pretend_fixture.h"

// The pretended NCCL: ranks that are processes, what they send each other, and what becomes of a rank that
// does not come.
namespace highwater::pretend {
namespace {

using Body = std::function<void(int rank, const ncclUniqueId& id)>;

// Runs `body` once for each rank, in a process of its own, on a device of its own. To be called in a process
// that has no context yet.
void inRanks(int ranks, const Body& body) {
    ncclUniqueId id{};
    ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
    for (int rank = 0; rank < ranks; ++rank) {
        if (fork() == 0) {
            EXPECT_EQ(cudaSetDevice(rank), cudaSuccess);
            body(rank, id);
            _exit(testing::Test::HasFailure() ? 1 : 0);
        }
    }
    int status = 0;
    while (wait(&status) > 0) {
        EXPECT_EQ(status, 0);
    }
}

ncclComm_t joined(int ranks, int rank, const ncclUniqueId& id) {
    ncclComm_t comm = nullptr;
    EXPECT_EQ(ncclCommInitRank(&comm, ranks, id, rank), ncclSuccess);
    return comm;
}

// Device memory with these values, as a program copies them there.
template <typename T>
T* onDevice(const std::vector<T>& values) {
    void* at = nullptr;
    EXPECT_EQ(cudaMalloc(&at, values.size() * sizeof(T)), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(at, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice), cudaSuccess);
    return static_cast<T*>(at);
}

template <typename T>
T* emptyOnDevice(std::size_t count) {
    void* at = nullptr;
    EXPECT_EQ(cudaMalloc(&at, count * sizeof(T)), cudaSuccess);
    return static_cast<T*>(at);
}

template <typename T>
std::vector<T> read(const T* at, std::size_t count) {
    std::vector<T> values(count, T{99});
    EXPECT_EQ(cudaMemcpy(values.data(), at, count * sizeof(T), cudaMemcpyDeviceToHost), cudaSuccess);
    return values;
}

const Environment kTwo{{"DEVICES", "2"}, {"ZEROS", "1"}};
const Environment kFour{{"DEVICES", "4"}, {"ZEROS", "1"}};

TEST(PretendedNccl, CarriesSmallMessages) {
    inDevice(kTwo, [] {
        inRanks(2, [](int rank, const ncclUniqueId& id) {
            const ncclComm_t comm = joined(2, rank, id);
            std::int64_t* const own = onDevice<std::int64_t>({rank + 5, 7});
            EXPECT_EQ(read(own, 2), (std::vector<std::int64_t>{0, 0})) << "device memory reads as zero";

            auto* const all = emptyOnDevice<std::int64_t>(4);
            EXPECT_EQ(ncclAllGather(own, all, 2, ncclInt64, comm, nullptr), ncclSuccess);
            EXPECT_EQ(read(all, 4), (std::vector<std::int64_t>{5, 7, 6, 7}));
            auto* const copy = emptyOnDevice<std::int64_t>(2);
            EXPECT_EQ(cudaMemcpy(copy, all + 2, 16, cudaMemcpyDeviceToDevice), cudaSuccess);
            EXPECT_EQ(read(copy, 2), (std::vector<std::int64_t>{6, 7}));

            EXPECT_EQ(ncclAllReduce(own, own, 2, ncclInt64, ncclSum, comm, nullptr), ncclSuccess);
            EXPECT_EQ(read(own, 2), (std::vector<std::int64_t>{11, 14}));
            float* const numbers = onDevice<float>({rank + 1.0F, -rank - 1.0F});
            EXPECT_EQ(ncclAllReduce(numbers, numbers, 2, ncclFloat32, ncclMax, comm, nullptr), ncclSuccess);
            EXPECT_EQ(read(numbers, 2), (std::vector<float>{2, -1}));
            int* const word = onDevice<int>({rank + 20});
            EXPECT_EQ(ncclBroadcast(word, word, 1, ncclInt32, 1, comm, nullptr), ncclSuccess);
            EXPECT_EQ(read(word, 1), std::vector<int>{21});
            int* const pair = onDevice<int>({rank, 10 * rank + 10});
            int* const mine = emptyOnDevice<int>(1);
            EXPECT_EQ(ncclReduceScatter(pair, mine, 1, ncclInt32, ncclSum, comm, nullptr), ncclSuccess);
            EXPECT_EQ(read(mine, 1), std::vector<int>{rank == 0 ? 1 : 30});

            EXPECT_EQ(cudaMemset(own, 0, 16), cudaSuccess);
            EXPECT_EQ(read(own, 2), (std::vector<std::int64_t>{0, 0})) << "it was overwritten";
            EXPECT_EQ(ncclCommDestroy(comm), ncclSuccess);
        });
    });
}

TEST(PretendedNccl, SendsAndReceivesInOneGroup) {
    inDevice(kFour, [] {
        inRanks(4, [](int rank, const ncclUniqueId& id) {
            const ncclComm_t comm = joined(4, rank, id);
            std::array<int*, 4> in{};
            EXPECT_EQ(ncclGroupStart(), ncclSuccess);
            for (int peer = 0; peer < 4; ++peer) {  // all to all, twice to each
                in[static_cast<std::size_t>(peer)] = emptyOnDevice<int>(2);
                for (int part = 0; part < 2; ++part) {
                    const int* const out = onDevice<int>({100 * rank + 10 * peer + part});
                    EXPECT_EQ(ncclSend(out, 1, ncclInt32, peer, comm, nullptr), ncclSuccess);
                }
                for (int part = 0; part < 2; ++part) {
                    int* const to = in[static_cast<std::size_t>(peer)] + part;
                    EXPECT_EQ(ncclRecv(to, 1, ncclInt32, peer, comm, nullptr), ncclSuccess);
                }
            }
            EXPECT_EQ(ncclGroupEnd(), ncclSuccess);
            for (int peer = 0; peer < 4; ++peer) {
                const int* const from = in[static_cast<std::size_t>(peer)];
                EXPECT_EQ(read(from, 1).at(0), 100 * peer + 10 * rank);
                EXPECT_EQ(read(from + 1, 1).at(0), 100 * peer + 10 * rank + 1);
            }
            int* const four = onDevice<int>({rank, rank + 10, rank + 20, rank + 30});
            int* const got = emptyOnDevice<int>(4);
            EXPECT_EQ(ncclAlltoAll(four, got, 1, ncclInt32, comm, nullptr), ncclSuccess);
            EXPECT_EQ(read(got, 4),
                      (std::vector<int>{10 * rank, 10 * rank + 1, 10 * rank + 2, 10 * rank + 3}));
            EXPECT_EQ(ncclScatter(four, got, 1, ncclInt32, 2, comm, nullptr), ncclSuccess);
            EXPECT_EQ(read(got, 1), std::vector<int>{10 * rank + 2});
            EXPECT_EQ(ncclGather(onDevice<int>({rank}), got, 1, ncclInt32, 3, comm, nullptr), ncclSuccess);
            if (rank == 3) {
                EXPECT_EQ(read(got, 4), (std::vector<int>{0, 1, 2, 3}));
            }
        });
    });
}

TEST(PretendedNccl, LargeMessagesMeetButReadAsZero) {
    inDevice(kTwo, [] {
        inRanks(2, [](int rank, const ncclUniqueId& id) {
            const ncclComm_t comm = joined(2, rank, id);
            constexpr std::size_t kCount = kMostValueBytes + 1;
            char* const bytes = onDevice(std::vector<char>(kCount, 'x'));
            EXPECT_EQ(ncclBroadcast(bytes, bytes, kCount, ncclInt8, 0, comm, nullptr), ncclSuccess);
            EXPECT_EQ(read(bytes, 1).at(0), '\0');
        });
    });
}

TEST(PretendedNccl, TheLatestOfManyValuesAreKept) {
    inDevice(kTwo, [] {
        inRanks(2, [](int rank, const ncclUniqueId& id) {
            const ncclComm_t comm = joined(2, rank, id);
            const std::vector<char> bytes(kMostValueBytes, static_cast<char>(rank + 1));
            char* const first = onDevice(bytes);
            char* last = nullptr;
            for (std::size_t kept = 0; kept <= 2 * kMostKeptBytes; kept += bytes.size()) {
                last = onDevice(bytes);
            }
            EXPECT_EQ(ncclBroadcast(first, first, bytes.size(), ncclInt8, 0, comm, nullptr), ncclSuccess);
            EXPECT_EQ(read(first, 1).at(0), 0) << "forgotten";
            EXPECT_EQ(ncclBroadcast(last, last, bytes.size(), ncclInt8, 1, comm, nullptr), ncclSuccess);
            EXPECT_EQ(read(last, 1).at(0), 2);
        });
    });
}

TEST(PretendedNccl, ACommunicatorIsSplitByColorAndOrderedByKey) {
    inDevice(kFour, [] {
        inRanks(4, [](int rank, const ncclUniqueId& id) {
            const ncclComm_t comm = joined(4, rank, id);
            ncclComm_t part = nullptr;
            EXPECT_EQ(ncclCommSplit(comm, rank == 3 ? -1 : rank % 2, -rank, &part, nullptr), ncclSuccess);
            EXPECT_EQ(part == nullptr, rank == 3);
            if (part) {
                int count = 0;
                int place = -1;
                EXPECT_EQ(ncclCommCount(part, &count), ncclSuccess);
                EXPECT_EQ(ncclCommUserRank(part, &place), ncclSuccess);
                EXPECT_EQ(count, rank == 1 ? 1 : 2);
                EXPECT_EQ(place, rank == 0 ? 1 : 0);
                int* const sum = onDevice<int>({rank + 1});
                EXPECT_EQ(ncclAllReduce(sum, sum, 1, ncclInt32, ncclSum, part, nullptr), ncclSuccess);
                EXPECT_EQ(read(sum, 1).at(0), rank == 1 ? 2 : 4);
            }
        });
    });
}

TEST(PretendedNccl, OperationsThatDifferAreOneLine) {
    inDevice(
        kTwo,
        [] {
            inRanks(2, [](int rank, const ncclUniqueId& id) {
                const ncclComm_t comm = joined(2, rank, id);
                float* const at = emptyOnDevice<float>(20);
                const std::size_t count = rank == 0 ? 10 : 20;
                EXPECT_EQ(ncclAllReduce(at, at, count, ncclFloat32, ncclSum, comm, nullptr),
                          ncclInvalidUsage);
                EXPECT_NE(std::string(ncclGetLastError(comm)).find("ranks do not match"), std::string::npos);
                ncclResult_t later = ncclSuccess;
                EXPECT_EQ(ncclCommGetAsyncError(comm, &later), ncclSuccess);
                EXPECT_NE(later, ncclSuccess);
            });
        },
        "ranks do not match in operation 1 of a communicator: rank [01] calls AllReduce of [12]0 float32, "
        "sum, "
        "rank [01] calls AllReduce of [12]0 float32, sum\n");
}

TEST(PretendedNccl, ARankThatNeverComesIsOneLineAtTheLimit) {
    inDevice(
        {{"DEVICES", "2"}, {"ZEROS", "1"}, {"RANK_PATIENCE", "0"}},
        [] {
            std::array<int, 2> over{};
            ASSERT_EQ(pipe(over.data()), 0);
            inRanks(2, [&](int rank, const ncclUniqueId& id) {
                char byte = 0;
                if (rank == 0) {
                    ncclComm_t comm = nullptr;
                    EXPECT_EQ(ncclCommInitRank(&comm, 2, id, 0), ncclRemoteError);
                    EXPECT_EQ(comm, nullptr);
                    EXPECT_EQ(write(over[1], &byte, 1), 1);
                } else {
                    EXPECT_EQ(::read(over[0], &byte, 1), 1) << "until the other has given up";
                }
            });
        },
        "rank 0 of 2 waited 0 s in the start of a communicator for rank 1, which did not come "
        ".HIGHWATER_PRETEND_RANK_PATIENCE sets the limit.\n");
}

TEST(PretendedNccl, ARankThatHasEndedIsNotWaitedFor) {
    inDevice(
        kTwo,
        [] {
            inRanks(2, [](int rank, const ncclUniqueId& id) {
                const ncclComm_t comm = joined(2, rank, id);
                if (rank == 0) {
                    float* const at = emptyOnDevice<float>(10);
                    EXPECT_EQ(ncclReduce(at, at, 10, ncclFloat32, ncclSum, 0, comm, nullptr),
                              ncclRemoteError);
                }
            });
        },
        "rank 0 of 2 waits in Reduce of 10 float32, sum, root 0 .number 1. for rank 1, which has ended\n");
}

TEST(PretendedNccl, BuffersAreMemoryOfTheDevice) {
    inDevice({{"DEVICES", "2"}, {"ZEROS", "1"}, {"NCCL", "104857600"}}, [] {
        inRanks(2, [](int rank, const ncclUniqueId& id) {
            std::size_t before = 0;
            std::size_t now = 0;
            std::size_t total = 0;
            EXPECT_EQ(cudaMemGetInfo(&before, &total), cudaSuccess);
            const ncclComm_t comm = joined(2, rank, id);
            EXPECT_EQ(cudaMemGetInfo(&now, &total), cudaSuccess);
            EXPECT_EQ(before - now, 100 * kMiB);
            EXPECT_EQ(ncclCommDestroy(comm), ncclSuccess);
            EXPECT_EQ(cudaMemGetInfo(&now, &total), cudaSuccess);
            EXPECT_EQ(before, now);
        });
    });
}

TEST(PretendedNccl, BuffersThatDoNotFitAreSaid) {
    inDevice(
        {{"DEVICES", "2"}, {"MEMORY", "1073741824"}, {"CONTEXT", "0"}, {"NCCL", "2147483648"}},
        [] {
            inRanks(2, [](int rank, const ncclUniqueId& id) {
                ncclComm_t comm = nullptr;
                EXPECT_EQ(ncclCommInitRank(&comm, 2, id, rank), ncclUnhandledCudaError);
                EXPECT_EQ(comm, nullptr);
            });
        },
        "the device has no room for NCCL's buffers, estimated at 2048 MiB\n");
}

TEST(PretendedNccl, LeavesNoFileBehind) {
    inDevice(kTwo, [] {
        inRanks(2, [](int rank, const ncclUniqueId& id) {
            joined(2, rank, id);
            EXPECT_FALSE(std::filesystem::exists(std::string("/dev/shm/") + id.internal));
        });
    });
}

TEST(PretendedNccl, ASingleRankNeedsNobody) {
    inDevice({{"ZEROS", "1"}}, [] {
        ncclUniqueId id{};
        EXPECT_EQ(ncclGetUniqueId(&id), ncclSuccess);
        const ncclComm_t comm = joined(1, 0, id);
        int* const word = onDevice<int>({4});
        EXPECT_EQ(ncclBroadcast(word, word, 1, ncclInt32, 0, comm, nullptr), ncclSuccess);
        EXPECT_EQ(read(word, 1).at(0), 4);
        EXPECT_EQ(ncclCommDestroy(comm), ncclSuccess);
    });
}

}  // namespace
}  // namespace highwater::pretend
