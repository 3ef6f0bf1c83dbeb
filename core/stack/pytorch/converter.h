#pragma once

#include "core/stack/pytorch/values.h"

/// One call of an operator that becomes a layer. Private to core/stack/pytorch.
namespace highwater::stack::pytorch {

using Whole = std::vector<std::int64_t>;

/// As the file has sizes: one number where all axes have the same.
base::Json oneOrList(const Whole& sizes);
/// As the file has numbers: whole ones without a point.
base::Json plainNumber(double value);
/// `count` sizes; a single one is that of all axes.
Whole spread(const Whole& sizes, std::size_t count);
Whole spatial(const Shape& shape);

/// Gives a call's arguments and takes its layer. What no layer says is refused with its kind, of which the
/// first is kept; from then on getters return zeros and nothing is added, so that the code of an operator
/// needs no checks in between.
class Converter {
public:
    Converter(const Graph& graph, Values& values, const Call& call)
        : graph(graph), values(values), call(call) {}

    const Graph& graph;
    Values& values;
    const Call& call;

    void refuse(std::string kind);
    bool failed() const { return !refusal_.empty(); }
    const std::string& refusal() const { return refusal_; }

    /// An argument that is not said has PyTorch's default.
    const Argument* find(std::string_view argument) const;  ///< null where it is not said
    bool has(std::string_view argument) const;              ///< not None
    bool isTensor(std::string_view argument) const;
    Ref tensor(std::string_view argument);
    Refs tensors(std::string_view argument);
    /// `self` or `input`.
    Ref source();
    Whole integers(std::string_view argument);
    std::int64_t integer(std::string_view argument);
    double number(std::string_view argument);
    bool boolean(std::string_view argument);
    std::string text(std::string_view argument);
    /// An axis of a tensor with so many, counted from the first.
    std::size_t axis(std::string_view argument, std::size_t axes);

    const Shape& shape(Ref ref) const { return graph.shape(ref); }
    const Shape& shape() const { return graph.shape(call); }
    std::size_t sizeAxes(const Shape& shape);  ///< without batch and channels
    bool trained(Ref ref) const;
    Roles parameters(std::initializer_list<std::string_view> roles);
    int read(Ref ref);
    int read(const Activation& held);

    void put(base::Json& layer, const char* key, const base::Json& value, const base::Json& usual) const;
    void putSizes(base::Json& layer, const char* key, std::int64_t usual);

    /// A layer whose output is a new tensor.
    void add(base::Json layer, std::vector<int> inputs, bool trained, Extra extra = {});
    /// A layer whose output takes the place of what `target` holds, for all that lead there.
    void overwrite(Ref target, base::Json layer, std::vector<int> inputs, Extra extra = {});
    /// A layer of one tensor, `self` or `input`.
    void plain(base::Json layer, Extra extra = {});
    /// A layer of one tensor which may be written over it.
    void write(base::Json layer, bool inplace, bool canBeInplace, std::string remark = "");
    /// The call's output is this view.
    void view(Activation made, std::size_t output = 0);
    /// The call's output is what `source` is.
    void same(Ref source);
    /// A new tensor with the same numbers.
    void copyOf(Ref source);
    bool endsInPlace() const { return call.name.ends_with('_'); }
    /// The name without the mark of what works in place.
    std::string kind() const;
    std::string outOfPlace() const;

private:
    std::string refusal_;
};

}  // namespace highwater::stack::pytorch
