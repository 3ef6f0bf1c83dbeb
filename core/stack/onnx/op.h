#pragma once

#include "core/stack/onnx/maker.h"

/// One operator of the file while it becomes a call. Private to core/stack/onnx.
namespace highwater::stack::onnx {

/// Gives a node's inputs and attributes and takes the call. What is not there reads as a constant without
/// numbers, or as what the standard says for it; what cannot be is refused, and becomes a call that no layer
/// stands for.
class Op {
public:
    Op(Maker& maker, const Node& node) : maker(maker), node(node) {}

    Maker& maker;
    const Node& node;

    bool has(std::size_t input) const;
    Value& in(std::size_t input);
    Value* output();  ///< null before the call
    const Node* makerOf(std::size_t input) const;
    /// Of another node of the file: its input.
    Value* inputOf(const Node* other, std::size_t input);
    const Node* makerOf(const Node* other, std::size_t input) const;
    Ref ref(std::size_t input);
    std::int64_t integer(std::string_view attribute, std::int64_t usual) const;
    double real(std::string_view attribute, double usual) const;
    std::string text(std::string_view attribute, std::string_view usual) const;
    Whole integers(std::string_view attribute, const Whole& usual = {}) const;
    /// Of an attribute in older files and of an input in newer ones; nothing where neither says it.
    std::optional<Whole> listed(std::string_view attribute, std::size_t input);
    /// The same number counted from the front; refused where there is no such axis.
    std::size_t axis(std::int64_t axis, std::size_t axes);

    /// A call that makes the node's first output.
    Ref call(std::string name, const Arguments& arguments, const Shape& shape);
    /// A call that makes a value of its own, to be read by the next.
    Ref step(std::string name, const Arguments& arguments, const Shape& shape);
    /// Of one tensor, with its shape.
    void unary(std::string name, Arguments more = {});
    /// The output is what the input is.
    void same(std::size_t input);
    void constant(Value value);
    /// `kind`: as no layer is found for it.
    void refuse(std::string kind);
    bool done() const { return done_; }
    std::optional<pytorch::Scopes> within;  ///< the modules, where they are not those of the node
    std::optional<Type> type;  ///< of what the call makes, where it is not that of the first input

    /// Whether the numbers of an input are a parameter, not ones that the exporter put there.
    bool isParameter(std::size_t input);
    /// The module that the exporter names, where it does; empty otherwise.
    std::string module() const;
    /// Weight and bias where they are parameters, with the shapes that PyTorch gives them.
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
/// One that does nothing for an operator that is not known.
Translate translatorOf(std::string_view kind);
/// Whether the node could be computed from constants alone.
bool fold(Op& op);
/// Whether the node is the last of several that are one operator of PyTorch.
bool fuse(Op& op);

}  // namespace highwater::stack::onnx
