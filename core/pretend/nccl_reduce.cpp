#include "core/pretend/nccl_reduce.h"

#include <algorithm>
#include <cstring>

namespace highwater::pretend {
namespace {

template <typename T>
T combined(T a, T b, int op) {
    switch (op) {
        case ncclProd:
            return static_cast<T>(a * b);
        case ncclMax:
            return std::max(a, b);
        case ncclMin:
            return std::min(a, b);
        default:
            return static_cast<T>(a + b);
    }
}

template <typename T>
Message reducedAs(const std::vector<Message>& all, std::size_t count, int op) {
    Message result(count * sizeof(T));
    for (std::size_t i = 0; i < count; ++i) {
        T value{};
        for (std::size_t rank = 0; rank < all.size(); ++rank) {
            T next{};
            if (!all[rank].empty()) {
                std::memcpy(&next, all[rank].data() + i * sizeof(T), sizeof(T));
            }
            value = rank == 0 ? next : combined(value, next, op);
        }
        if (op == ncclAvg) {
            value = static_cast<T>(value / static_cast<T>(all.size()));
        }
        std::memcpy(result.data() + i * sizeof(T), &value, sizeof(T));
    }
    return result;
}

}  // namespace

Message reduced(const std::vector<Message>& all, std::size_t count, int type, int op) {
    const bool unknown = std::ranges::all_of(all, [](const Message& each) { return each.empty(); });
    if (unknown || op < ncclSum || op > ncclAvg) {
        return {};
    }
    switch (type) {
        case ncclInt8:
            return reducedAs<std::int8_t>(all, count, op);
        case ncclUint8:
            return reducedAs<std::uint8_t>(all, count, op);
        case ncclInt32:
            return reducedAs<std::int32_t>(all, count, op);
        case ncclUint32:
            return reducedAs<std::uint32_t>(all, count, op);
        case ncclInt64:
            return reducedAs<std::int64_t>(all, count, op);
        case ncclUint64:
            return reducedAs<std::uint64_t>(all, count, op);
        case ncclFloat32:
            return reducedAs<float>(all, count, op);
        case ncclFloat64:
            return reducedAs<double>(all, count, op);
        default:
            return {};
    }
}

}  // namespace highwater::pretend
