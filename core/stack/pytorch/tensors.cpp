#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/layers/limits.h"
#include "core/stack/pytorch/graph.h"
#include "core/stack/pytorch/json_parts.h"

namespace highwater::stack::pytorch {

namespace {

using base::Json;

base::Result<std::vector<std::int64_t>> readSizes(const Json* sizes, const std::string& name,
                                                  std::int64_t most) {
    std::vector<std::int64_t> read;
    for (const Json& size : listOf(sizes)) {
        const Json* plain = find(size, "as_int");
        if (find(size, "as_expr")) {
            return base::Error{
                fmt::format("the sizes of \"{}\" are symbolic; export without dynamic_shapes", name)};
        }
        if (!plain || !plain->is_number_integer() || *plain < 0 || *plain > most) {
            return base::Error{fmt::format("a size of \"{}\" is not from 0 to {}", name, most)};
        }
        read.push_back(plain->get<std::int64_t>());
    }
    return read;
}

/// An error for more elements, or axes, than any tensor can have.
base::Status holdable(const Shape& shape, const std::string& name) {
    if (shape.size() > kMostGraphAxes) {
        return base::Error{
            fmt::format("\"{}\" has {} axes; a tensor has at most {}", name, shape.size(), kMostGraphAxes)};
    }
    std::int64_t count = 1;
    for (const std::int64_t size : shape) {
        if (size > 0 && count > kMostTensorBytes / size) {
            return base::Error{fmt::format("\"{}\" is larger than any tensor", name)};
        }
        count *= std::max<std::int64_t>(size, 1);
    }
    return {};
}

}  // namespace

base::Result<TensorMeta> readMeta(const Json& json, const std::string& name) {
    const auto shape = readSizes(find(json, "sizes"), name, kMostSize);
    const auto strides = readSizes(find(json, "strides"), name, std::numeric_limits<std::int64_t>::max());
    if (!shape || !strides) {
        return shape ? strides.error() : shape.error();
    }
    if (strides->size() > kMostGraphAxes) {
        return base::Error{fmt::format("\"{}\" has {} strides; a tensor has at most {}", name,
                                       strides->size(), kMostGraphAxes)};
    }
    TensorMeta meta{*shape, *strides};
    const Json* dtype = find(json, "dtype");
    meta.dtype = dtype && dtype->is_number_integer() ? dtype->get<std::int64_t>() : 0;
    const Json* gradient = find(json, "requires_grad");
    meta.requiresGrad = gradient && gradient->is_boolean() && gradient->get<bool>();
    const auto held = holdable(meta.shape, name);
    return held ? base::Result<TensorMeta>(std::move(meta)) : held.error();
}

base::Result<TensorMeta> contiguousMeta(Shape shape, std::int64_t dtype, const std::string& name) {
    for (const std::int64_t size : shape) {
        if (size < 0 || size > kMostSize) {
            return base::Error{fmt::format("a size of \"{}\" is not from 0 to {}", name, kMostSize)};
        }
    }
    if (const auto held = holdable(shape, name); !held) {
        return held.error();
    }
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t axis = shape.size(); axis-- > 1;) {
        strides[axis - 1] = strides[axis] * std::max<std::int64_t>(shape[axis], 1);
    }
    return TensorMeta{std::move(shape), std::move(strides), dtype, true};
}

}  // namespace highwater::stack::pytorch
