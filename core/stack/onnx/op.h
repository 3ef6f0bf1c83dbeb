#pragma once

#include "core/stack/onnx/maker.h"

/// One operator of the file while it is converted to a call. Private to core/stack/onnx.
namespace highwater::stack::onnx {

/// Reads a node's inputs and attributes and takes the resulting call. A missing value reads as a constant
/// without numbers, or as the standard's default; an invalid one is refused and becomes a call that no layer
/// implements.
class Op {
public:
    Op(Maker& maker, const Node& node) : maker(maker), node(node) {}

    Maker& maker;
    const Node& node;

    bool has(std::size_t input) const;
    Value& in(std::size_t input);
    Value* output();  ///< null before the call
    const Node* makerOf(std::size_t input) const;
    /// The input of another node of the file.
    Value* inputOf(const Node* other, std::size_t input);
    const Node* makerOf(const Node* other, std::size_t input) const;
    Ref ref(std::size_t input);
    std::int64_t integer(std::string_view attribute, std::int64_t usual) const;
    double real(std::string_view attribute, double usual) const;
    std::string text(std::string_view attribute, std::string_view usual) const;
    Whole integers(std::string_view attribute, const Whole& usual = {}) const;
    /// An attribute in older files, an input in newer ones; std::nullopt if neither is given.
    std::optional<Whole> listed(std::string_view attribute, std::size_t input);
    /// The axis counted from the front; refused if there is no such axis.
    std::size_t axis(std::int64_t axis, std::size_t axes);

    /// Adds a call that computes the node's first output.
    Ref call(std::string name, const Arguments& arguments, const Shape& shape);
    /// Adds a call that computes an intermediate value for the next call.
    Ref step(std::string name, const Arguments& arguments, const Shape& shape);
    /// A call with one tensor, which keeps its shape.
    void unary(std::string name, Arguments more = {});
    /// The output is the same value as the input.
    void same(std::size_t input);
    void constant(Value value);
    /// `kind`: the name in the message that there is no layer for it.
    void refuse(std::string kind);
    bool done() const { return done_; }
    std::optional<pytorch::Scopes> within;  ///< the modules, if they are not the node's
    std::optional<Type> type;  ///< type of the call's result, if it is not that of the first input

    /// Whether the numbers of an input are a parameter, not a constant of the exporter.
    bool isParameter(std::size_t input);
    /// The module named by the exporter; empty if there is none.
    std::string module() const;
    /// Weight and bias, if they are parameters, with PyTorch's shapes.
    Arguments parameters(std::size_t weight, std::size_t bias);
    Argument parameter(const std::string& name, const Value& value, const Shape& shape);
    Seen& seen() { return maker.seen_; }
    std::unordered_map<Ref, GroupNorm>& groupNorms() { return maker.groupNorms_; }
    std::unordered_map<Ref, Product>& products() { return maker.products_; }
    const pytorch::Scopes& scopes() const;
    std::int64_t operators() const { return maker.file_.operators; }

private:
    Value made(const Shape& shape, Ref ref) const;
    bool followsFromData() const;
    pytorch::Scopes ownScopes() const;
    bool done_ = false;
};

using Translate = void (*)(Op&);
/// Returns a translator that does nothing for an unknown operator.
Translate translatorOf(std::string_view kind);
/// Whether the node could be computed from constants alone.
bool fold(Op& op);
/// Whether the node is the last of several that are one operator of PyTorch.
bool fuse(Op& op);

}  // namespace highwater::stack::onnx
