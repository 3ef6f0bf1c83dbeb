#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/stack/experiment.h"
#include "core/stack/export/python_text.h"
#include "core/stack/program.h"
#include "core/stack/shapes.h"

/// A program as Python's functions see it: what is one line of a function, what is called, which values have
/// a name. Private to core/stack.
namespace highwater::stack::python {

/// A block, as a range of the program's steps.
struct BlockRange {
    int layer = -1;  ///< in StackInfo::layers
    int first = 0, last = 0;
};

/// One line of a function.
struct Item {
    enum class Kind {
        Step,      ///< one layer
        Sequence,  ///< a block that is an nn.Sequential
        Method,    ///< a checkpointed segment that is a method
    };
    static constexpr int kSame = -2;

    Kind kind = Kind::Step;
    bool checkpoint = false;     ///< torch.utils.checkpoint calls it
    bool drawsRandomly = false;  ///< of a checkpointed one
    bool clones = false;         ///< a step in place on what its segment is recomputed from
    int first = 0, last = 0;     ///< steps
    std::vector<int> reads;      ///< values, the one on the path first
    std::vector<int> writes;     ///< values that are read later, or are outputs
    int path = kSame;            ///< the value that the path leads on from
    std::string comment;         ///< says what begins here; empty for nothing
};

/// A function: forward, or a checkpointed segment's. Its first parameter is `x`.
struct Scope {
    int segment = -1;         ///< its first step; -1: forward
    std::string name;         ///< of the method
    std::vector<int> params;  ///< values; the first is x
    std::vector<int> returns;
    std::vector<Item> items;
};

/// Everything about names and functions of one network.
class Plan {
public:
    Plan(const Experiment& experiment, const StackInfo& info, const Program& program);

    const std::vector<Scope>& scopes() const { return scopes_; }  ///< forward last
    /// The module of a step, or of the sequence that begins there.
    const std::string& moduleName(int step) const { return modules_.at(step); }
    /// Steps that begin an nn.Sequential, with the step that ends it.
    const std::map<int, int>& sequences() const { return sequences_; }
    const std::string& methodName(int firstStep) const { return methods_.at(firstStep); }
    /// A value's own name: its id, "head1", "value7".
    const std::string& valueName(int value) const { return values_.at(value); }
    /// How often a step runs its forward in one step of training.
    int runs(int step) const { return runs_[static_cast<std::size_t>(step)]; }

private:
    void findBlocks();
    void findIds(const std::vector<Layer>& layers, int& steps, int& path);
    void nameValues();
    void addScope(const std::vector<Segment>& segments, Scope scope, int depth);
    std::vector<Item> itemsOf(const std::vector<Segment>& segments, int depth);
    void addPlain(const Segment& segment, int depth, std::vector<Item>& items);
    Item checkpointed(const Segment& segment, int depth);
    Item stepItem(int step) const;
    Item sequenceItem(const BlockRange& block);
    bool isChain(int first, int last) const;
    const BlockRange* chainAt(int step, int end) const;
    std::set<int> inPlaceOnImports(const Segment& segment) const;
    void nameModules();
    std::string layerName(int layer) const;

    const Experiment& experiment_;
    const StackInfo& info_;
    const Program& program_;
    Names names_;
    std::vector<BlockRange> blocks_;    ///< outer ones first
    std::map<std::string, int> named_;  ///< the value of each id
    std::map<int, std::string> ids_;    ///< the first id of each value that has one
    std::map<int, std::string> values_, modules_, methods_;
    std::map<int, int> sequences_;
    std::set<int> clones_;
    std::vector<int> runs_;
    std::vector<Scope> scopes_;
    int segments_ = 0;
};

}  // namespace highwater::stack::python
