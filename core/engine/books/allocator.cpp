#include "core/engine/books/allocator.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Allocator.h>
#include <c10/core/impl/alloc_cpu.h>

#include <cstring>

namespace highwater::engine {

namespace {

constexpr std::size_t kHeader = 64;  // a multiple of LibTorch's alignment of 64

struct Header {
    BlockId block = 0;
};
static_assert(sizeof(Header) <= kHeader);

Accounting& books() {
    static auto* const accounting = new Accounting;
    return *accounting;
}

Header& headerOf(void* data) {
    return *reinterpret_cast<Header*>(static_cast<char*>(data) - kHeader);
}

void releaseCounted(void* data) {
    if (data == nullptr) {
        return;
    }
    Header& header = headerOf(data);
    books().release(header.block);
    c10::free_cpu(&header);
}

void* reserve(std::size_t bytes) {
    const BlockId block = books().allocate(static_cast<Bytes>(bytes));
    try {
        void* const memory = c10::alloc_cpu(bytes + kHeader);
        new (memory) Header{block};
        books().made();
        return static_cast<char*>(memory) + kHeader;
    } catch (...) {
        books().undo(block);
        throw;
    }
}

class CountingAllocator final : public c10::Allocator {
public:
    // Const in LibTorch 1.13, not const since 2.3: one of the two overrides the base class's.
    c10::DataPtr allocate(std::size_t bytes) const { return make(bytes); }  // NOLINT
    c10::DataPtr allocate(std::size_t bytes) { return make(bytes); }        // NOLINT
    // oneDNN uses raw_allocate, which needs the context to equal the data and a non-null deleter.
    c10::DeleterFnPtr raw_deleter() const override { return &releaseCounted; }
    // Pure virtual since 2.2; unused before.
    void copy_data(void* to, const void* from, std::size_t bytes) const {  // NOLINT
        std::memcpy(to, from, bytes);
    }

private:
    static c10::DataPtr make(std::size_t bytes) {
        void* const data = bytes == 0 ? nullptr : reserve(bytes);
        return {data, data, &releaseCounted, c10::Device(c10::DeviceType::CPU)};
    }
};

Header* headerOf(const at::Tensor& tensor) {
    if (!tensor.defined() || !tensor.has_storage()) {
        return nullptr;
    }
    const c10::DataPtr& data = tensor.storage().data_ptr();
    return data.get_deleter() == &releaseCounted && data.get() != nullptr ? &headerOf(data.get_context())
                                                                          : nullptr;
}

}  // namespace

Accounting& installAllocator() {
    static const bool installed = [] {
        static auto* const allocator = new CountingAllocator;
        c10::SetAllocator(c10::DeviceType::CPU, allocator, 100);
        return true;
    }();
    static_cast<void>(installed);
    return books();
}

bool retagHost(const at::Tensor& tensor, Category category, bool onlyTemporaries) {
    const Header* const header = headerOf(tensor);
    if (header != nullptr) {
        books().retag(header->block, category, onlyTemporaries);
    }
    return header != nullptr;
}

std::optional<Category> categoryOnHost(const at::Tensor& tensor) {
    const Header* const header = headerOf(tensor);
    return header != nullptr ? std::optional(books().categoryOf(header->block)) : std::nullopt;
}

}  // namespace highwater::engine
