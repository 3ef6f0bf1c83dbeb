#pragma once

#include "core/stack/pytorch/values.h"

/// One call of an operator that is converted to a layer. Private to core/stack/pytorch.
namespace highwater::stack::pytorch {

using Whole = std::vector<std::int64_t>;

/// Sizes in the file's form: one number if all axes have the same.
base::Json oneOrList(const Whole& sizes);
/// A number in the file's form: integers without a decimal point.
base::Json plainNumber(double value);
/// `count` sizes; a single one applies to all axes.
Whole spread(const Whole& sizes, std::size_t count);
Whole spatial(const Shape& shape);

/// Reads a call's arguments and takes its layer. A call that no layer can express is refused with its kind,
/// of which the first is kept; from then on getters return zeros and nothing is added, so that an operator's
/// code needs no checks in between.
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

    /// A missing argument has PyTorch's default.
    const Argument* find(std::string_view argument) const;  ///< null if it is not given
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
    /// An axis of a tensor with `axes` axes, counted from the front.
    std::size_t axis(std::string_view argument, std::size_t axes);

    const Shape& shape(Ref ref) const { return graph.shape(ref); }
    const Shape& shape() const { return graph.shape(call); }
    std::size_t sizeAxes(const Shape& shape);  ///< the number of axes without batch and channels
    bool trained(Ref ref) const;
    Roles parameters(std::initializer_list<std::string_view> roles);
    int read(Ref ref);
    int read(const Activation& held);

    void put(base::Json& layer, const char* key, const base::Json& value, const base::Json& usual) const;
    void putSizes(base::Json& layer, const char* key, std::int64_t usual);

    /// A layer whose output is a new tensor.
    void add(base::Json layer, std::vector<int> inputs, bool trained, Extra extra = {});
    /// A layer whose output replaces the value of `target` for all names that refer to it.
    void overwrite(Ref target, base::Json layer, std::vector<int> inputs, Extra extra = {});
    /// A layer of one tensor, `self` or `input`.
    void plain(base::Json layer, Extra extra = {});
    /// A layer of one tensor that may overwrite it.
    void write(base::Json layer, bool inplace, bool canBeInplace, std::string remark = "");
    /// The call's output is this view.
    void view(Activation made, std::size_t output = 0);
    /// The call's output is the same value as `source`.
    void same(Ref source);
    /// A new tensor with the same elements.
    void copyOf(Ref source);
    bool endsInPlace() const { return call.name.ends_with('_'); }
    /// The name without the trailing underscore of in-place operators.
    std::string kind() const;
    std::string outOfPlace() const;

private:
    std::string refusal_;
};

}  // namespace highwater::stack::pytorch
