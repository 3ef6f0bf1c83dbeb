#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "core/pretend/abi/driver.h"
#include "core/pretend/abi/runtime.h"
#include "tests/core/pretend/pretend_fixture.h"

// The pretended device's memory, accessed through the functions of CUDA's runtime and driver.
namespace highwater::pretend {
namespace {

std::size_t freeBytes() {
    std::size_t free = 0;
    std::size_t total = 0;
    EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
    return free;
}

char* allocated(std::size_t bytes) {
    void* at = nullptr;
    EXPECT_EQ(cudaMalloc(&at, bytes), cudaSuccess);
    return static_cast<char*>(at);
}

std::size_t residentBytes() {
    std::ifstream file("/proc/self/statm");
    std::size_t size = 0;
    std::size_t resident = 0;
    file >> size >> resident;
    return resident * sysconf(_SC_PAGESIZE);
}

TEST(PretendedMemory, GivesItsCapacityAndNoMore) {
    inDevice({{"MEMORY", "1073741824"}, {"CONTEXT", "67108864"}}, [] {
        EXPECT_EQ(freeBytes(), kGiB - 64 * kMiB);
        char* most = allocated(900 * kMiB);
        EXPECT_EQ(freeBytes(), 60 * kMiB);
        void* more = most;
        EXPECT_EQ(cudaMalloc(&more, 61 * kMiB), cudaErrorMemoryAllocation);
        EXPECT_EQ(more, nullptr);
        EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
        EXPECT_EQ(cudaGetLastError(), cudaSuccess);
        EXPECT_EQ(cudaMalloc(&more, 60 * kMiB), cudaSuccess);
        EXPECT_EQ(freeBytes(), 0U);
        EXPECT_EQ(cudaFree(most), cudaSuccess);
        EXPECT_EQ(cudaFree(most), cudaErrorInvalidValue);
        EXPECT_EQ(freeBytes(), 900 * kMiB);
    });
}

TEST(PretendedMemory, RefusesSizesThatNoAdditionHolds) {
    inDevice({}, [] {
        void* at = nullptr;
        EXPECT_EQ(cudaMalloc(&at, ~std::size_t{0}), cudaErrorMemoryAllocation);
        EXPECT_EQ(cudaMalloc(&at, ~std::size_t{0} - kMiB), cudaErrorMemoryAllocation);
        EXPECT_EQ(cudaMalloc(&at, 0), cudaSuccess);
        EXPECT_EQ(at, nullptr);
        EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
    });
}

TEST(PretendedMemory, TakesNoneOfTheMachinesUntilItIsWritten) {
    inDevice({{"MEMORY", "214748364800"}}, [] {
        constexpr std::size_t kColumns = 116187056640;
        const std::size_t before = residentBytes();
        char* at = allocated(kColumns);
        char* copied = allocated(8 * kGiB);
        EXPECT_EQ(cudaMemcpy(copied, at, 8 * kGiB, cudaMemcpyDeviceToDevice), cudaSuccess);
        EXPECT_EQ(cudaMemset(at, 0, kColumns), cudaSuccess);
        std::array<char, 4> last{1, 2, 3, 4};
        EXPECT_EQ(cudaMemcpy(last.data(), at + kColumns - 4, 4, cudaMemcpyDeviceToHost), cudaSuccess);
        EXPECT_EQ(last, (std::array<char, 4>{}));
        EXPECT_LT(residentBytes(), before + 64 * kMiB);
    });
}

TEST(PretendedMemory, CopiesBetweenHostAndDevice) {
    inDevice({}, [] {
        std::vector<int> sent(3 * kMiB);
        std::iota(sent.begin(), sent.end(), 0x11000001);
        const std::size_t bytes = sent.size() * sizeof(int);
        char* first = allocated(bytes);
        char* second = allocated(bytes);
        EXPECT_EQ(cudaMemcpy(first, sent.data(), bytes, cudaMemcpyHostToDevice), cudaSuccess);
        EXPECT_EQ(cudaMemcpyAsync(second, first, bytes, cudaMemcpyDeviceToDevice, nullptr), cudaSuccess);
        std::vector<int> back(sent.size());
        EXPECT_EQ(cudaMemcpy(back.data(), second, bytes, cudaMemcpyDefault), cudaSuccess);
        EXPECT_EQ(back, sent);
        char* clean = allocated(bytes);
        EXPECT_EQ(cudaMemcpy(second, clean, bytes, cudaMemcpyDeviceToDevice), cudaSuccess);
        EXPECT_EQ(cudaMemset(first + 1, 0, bytes - 2), cudaSuccess);
        EXPECT_EQ(cudaMemcpy(back.data(), second, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
        EXPECT_EQ(back, std::vector<int>(sent.size()));
        EXPECT_EQ(cudaMemcpy(back.data(), first, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
        EXPECT_EQ(back.front(), 0x01);
        EXPECT_EQ(back.back(), 0x11000000);
        EXPECT_EQ(std::accumulate(back.begin() + 1, back.end() - 1, 0L), 0);
    });
}

TEST(PretendedMemory, ReadsAsZeroAlwaysWhenAsked) {
    inDevice({{"ZEROS", "1"}}, [] {
        long value = 42;
        char* at = allocated(sizeof value);
        EXPECT_EQ(cudaMemcpy(at, &value, sizeof value, cudaMemcpyHostToDevice), cudaSuccess);
        EXPECT_EQ(cudaMemset(at, 7, sizeof value), cudaSuccess);
        EXPECT_EQ(cudaMemcpy(&value, at, sizeof value, cudaMemcpyDeviceToHost), cudaSuccess);
        EXPECT_EQ(value, 0);
    });
}

TEST(PretendedMemory, GivesTheLowestFreePlace) {
    inDevice({}, [] {
        char* a = allocated(20 * kMiB);
        char* b = allocated(20 * kMiB);
        char* c = allocated(20 * kMiB);
        EXPECT_LT(a, b);
        EXPECT_LT(b, c);
        EXPECT_EQ(cudaFree(a), cudaSuccess);
        EXPECT_GT(allocated(22 * kMiB), c);
        EXPECT_EQ(allocated(18 * kMiB), a);
    });
}

TEST(PretendedMemory, RefusesCopiesToWhereNothingIs) {
    inDevice({}, [] {
        std::vector<char> host(4 * kMiB);
        char* at = allocated(2 * kMiB);
        EXPECT_EQ(cudaMemcpy(host.data(), at, 2 * kMiB, cudaMemcpyDeviceToHost), cudaSuccess);
        EXPECT_EQ(cudaMemcpy(host.data(), at, 2 * kMiB + 1, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
        char* next = allocated(2 * kMiB);
        EXPECT_EQ(cudaMemcpy(host.data(), at, 4 * kMiB, cudaMemcpyDeviceToHost), cudaSuccess);
        EXPECT_EQ(cudaFree(next), cudaSuccess);
        EXPECT_EQ(cudaMemcpy(next, host.data(), 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
        EXPECT_EQ(cudaMemset(next, 0, 1), cudaErrorInvalidValue);
        EXPECT_EQ(cudaMalloc(nullptr, 1), cudaErrorInvalidValue);
        EXPECT_EQ(cudaEventRecord(nullptr, nullptr), cudaErrorInvalidResourceHandle);
    });
}

TEST(PretendedMemory, KnowsWhatAPointerIs) {
    inDevice({}, [] {
        void* pinned = nullptr;
        EXPECT_EQ(cudaHostAlloc(&pinned, 100, 0), cudaSuccess);
        char* device = allocated(100);
        int own = 0;
        const auto typeOf = [](const void* at) {
            cudaPointerAttributes attributes{};
            EXPECT_EQ(cudaPointerGetAttributes(&attributes, at), cudaSuccess);
            return attributes.type;
        };
        EXPECT_EQ(typeOf(pinned), cudaMemoryTypeHost);
        EXPECT_EQ(typeOf(device + 50), cudaMemoryTypeDevice);
        EXPECT_EQ(typeOf(&own), cudaMemoryTypeUnregistered);
        EXPECT_EQ(cudaHostRegister(&own, sizeof own, 0), cudaSuccess);
        EXPECT_EQ(typeOf(&own), cudaMemoryTypeHost);
        EXPECT_EQ(cudaHostUnregister(&own), cudaSuccess);
        EXPECT_EQ(cudaHostUnregister(&own), cudaErrorHostMemoryNotRegistered);
        EXPECT_EQ(cudaGetLastError(), cudaErrorHostMemoryNotRegistered);
        EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
        EXPECT_EQ(typeOf(pinned), cudaMemoryTypeUnregistered);
    });
}

TEST(PretendedMemory, MapsHandlesToReservedAddresses) {
    inDevice({{"MEMORY", "1073741824"}, {"CONTEXT", "0"}}, [] {
        std::size_t granule = 0;
        EXPECT_EQ(cuMemGetAllocationGranularity(&granule, nullptr, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
                  CUDA_SUCCESS);
        EXPECT_EQ(granule, 2 * kMiB);
        CUdeviceptr at = 0;
        EXPECT_EQ(cuMemAddressReserve(&at, 100 * kGiB, 0, 0, 0), CUDA_SUCCESS);
        EXPECT_EQ(freeBytes(), kGiB);
        CUmemGenericAllocationHandle handle = 0;
        EXPECT_EQ(cuMemCreate(&handle, kGiB + granule, nullptr, 0), CUDA_ERROR_OUT_OF_MEMORY);
        EXPECT_EQ(cuMemCreate(&handle, kMiB, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(cuMemCreate(&handle, 20 * kMiB, nullptr, 0), CUDA_SUCCESS);
        EXPECT_EQ(freeBytes(), kGiB - 20 * kMiB);
        EXPECT_EQ(cuMemMap(at + 40 * kMiB, 20 * kMiB, 0, handle, 0), CUDA_SUCCESS);
        EXPECT_EQ(cuMemMap(at + 40 * kMiB, 20 * kMiB, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(cuMemSetAccess(at + 40 * kMiB, 20 * kMiB, nullptr, 0), CUDA_SUCCESS);
        EXPECT_EQ(cudaMemset(reinterpret_cast<void*>(at + 60 * kMiB - 1), 1, 1), cudaSuccess);
        EXPECT_EQ(cudaMemset(reinterpret_cast<void*>(at + 60 * kMiB - 1), 1, 2), cudaErrorInvalidValue);
        EXPECT_EQ(cuMemRelease(handle), CUDA_SUCCESS);
        EXPECT_EQ(freeBytes(), kGiB - 20 * kMiB);
        EXPECT_EQ(cuMemUnmap(at + 40 * kMiB, 20 * kMiB), CUDA_SUCCESS);
        EXPECT_EQ(freeBytes(), kGiB);
        EXPECT_EQ(cuMemUnmap(at + 40 * kMiB, 20 * kMiB), CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(cuMemRelease(handle), CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(cuMemAddressFree(at, 100 * kGiB), CUDA_SUCCESS);
        EXPECT_EQ(cuMemAddressFree(at, 100 * kGiB), CUDA_ERROR_INVALID_VALUE);
    });
}

}  // namespace
}  // namespace highwater::pretend
