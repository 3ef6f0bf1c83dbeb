#include "core/stack/onnx/message_memory.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/message.h>
#include <google/protobuf/wire_format_lite.h>

#include <limits>
#include <unordered_map>

namespace highwater::stack::onnx {

namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::io::CodedInputStream;
using Wire = google::protobuf::internal::WireFormatLite;

constexpr int kDeepest = 100;              // protobuf's own limit
constexpr std::size_t kAllocation = 16;    // the allocator's overhead per block
constexpr std::size_t kUnknownField = 64;  // a field of a newer ONNX

class Counter {
public:
    Counter(CodedInputStream& stream, base::MemoryBudget& budget) : stream_(stream), budget_(budget) {}

    /// Counts the fields up to the stream's limit. False at the end of the stream.
    bool message(const Descriptor& type, int depth) {
        if (depth > kDeepest || !budget_.take(sizeOf(type) + kAllocation + sizeof(void*))) {
            return false;
        }
        while (const std::uint32_t tag = stream_.ReadTag()) {
            const FieldDescriptor* const known = type.FindFieldByNumber(Wire::GetTagFieldNumber(tag));
            if (!(Wire::GetTagWireType(tag) == Wire::WIRETYPE_LENGTH_DELIMITED ? delimited(known, depth)
                                                                               : number(tag, known))) {
                return false;
            }
        }
        return stream_.ConsumedEntireMessage();
    }

private:
    bool number(std::uint32_t tag, const FieldDescriptor* known) {
        const std::size_t bytes = known == nullptr       ? kUnknownField
                                  : known->is_repeated() ? sizeof(double)
                                                         : 0;
        return budget_.take(bytes) && Wire::SkipField(&stream_, tag);
    }

    bool delimited(const FieldDescriptor* known, int depth) {
        std::uint32_t length = 0;
        if (!stream_.ReadVarint32(&length) || length > kMost) {
            return false;
        }
        if (known != nullptr && known->type() == FieldDescriptor::TYPE_MESSAGE) {
            const auto limit = stream_.PushLimit(static_cast<int>(length));
            const bool whole = message(*known->message_type(), depth + 1);
            stream_.PopLimit(limit);
            return whole;
        }
        const bool packed = known != nullptr && known->is_packable();
        const std::size_t each = packed && known->cpp_type() != FieldDescriptor::CPPTYPE_FLOAT &&
                                         known->cpp_type() != FieldDescriptor::CPPTYPE_DOUBLE
                                     ? sizeof(std::int64_t)  // a byte may hold a number
                                     : 1;
        return budget_.take(length, each) && budget_.take(sizeof(std::string) + kAllocation) &&
               stream_.Skip(static_cast<int>(length));
    }

    std::size_t sizeOf(const Descriptor& type) {
        const auto [known, fresh] = sizes_.try_emplace(&type, 0);
        if (fresh) {
            known->second =
                google::protobuf::MessageFactory::generated_factory()->GetPrototype(&type)->SpaceUsedLong();
        }
        return known->second;
    }

    static constexpr std::uint32_t kMost = std::numeric_limits<int>::max();
    CodedInputStream& stream_;
    base::MemoryBudget& budget_;
    std::unordered_map<const Descriptor*, std::size_t> sizes_;
};

}  // namespace

void countMessage(google::protobuf::io::ZeroCopyInputStream& stream, const Descriptor& type,
                  base::MemoryBudget& budget) {
    CodedInputStream coded(&stream);
    coded.SetTotalBytesLimit(std::numeric_limits<int>::max());
    static_cast<void>(Counter(coded, budget).message(type, 0));
}

}  // namespace highwater::stack::onnx
