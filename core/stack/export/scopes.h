#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/stack/experiment.h"
#include "core/stack/export/python_text.h"
#include "core/stack/program.h"
#include "core/stack/shapes.h"

/// Divides a program into Python functions: which steps become one line, which parts become methods, and
/// which values have a name. Private to core/stack.
namespace highwater::stack::python {

/// A block as a range of the program's steps.
struct BlockRange {
    int layer = -1;  ///< index into StackInfo::layers
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
    bool checkpoint = false;     ///< called through torch.utils.checkpoint
    bool drawsRandomly = false;  ///< for a checkpointed item
    bool offload = false;        ///< its saved activations are offloaded to host memory
    bool clones = false;  ///< an in-place step on a value that its segment is recomputed from: it works on a
                          ///< clone
    int first = 0, last = 0;  ///< steps
    std::vector<int> reads;   ///< values, starting with that of the current path
    std::vector<int> writes;  ///< values that are read later or are outputs
    int path = kSame;         ///< the value from which the path continues
    std::string method;       ///< the name of a method; two segments may begin at the same step
    std::string comment;      ///< a comment about what begins here; may be empty
};

/// A function: forward, or the method of a checkpointed segment. Its first parameter is `x`.
struct Scope {
    int segment = -1;         ///< its segment's first step; -1: forward
    std::string name;         ///< name of the method
    std::vector<int> params;  ///< values; the first one is x
    std::vector<int> returns;
    std::vector<Item> items;
};

/// All names and functions of one network.
class Plan {
public:
    Plan(const Experiment& experiment, const StackInfo& info, const Program& program);

    const std::vector<Scope>& scopes() const { return scopes_; }  ///< forward last
    /// Returns the module of a step, or of the sequence that begins there.
    const std::string& moduleName(int step) const { return modules_.at(step); }
    /// The steps that begin an nn.Sequential, each with the step that ends it.
    const std::map<int, int>& sequences() const { return sequences_; }
    /// Returns a value's name: its id, "head1", "value7".
    const std::string& valueName(int value) const { return values_.at(value); }
    /// Returns how often a step's forward runs in one training step.
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
    bool isShared(int step) const;
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
    std::map<int, std::string> values_, modules_;
    std::map<int, int> sequences_;
    std::set<int> clones_;
    std::vector<int> runs_;
    std::vector<Scope> scopes_;
    int segments_ = 0;
};

}  // namespace highwater::stack::python
