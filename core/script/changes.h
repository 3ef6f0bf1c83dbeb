#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/script/module_costs.h"
#include "core/wire/script_source.h"

namespace highwater::script {

enum class SameResults {
    Bit,       ///< equal to the bit
    Rounding,  ///< equal up to rounding
    Other      ///< other results
};
/// "equal", "rounding", "other".
std::string_view sameResultsKey(SameResults results);

/// A change to a script, applied from outside of it.
struct Change {
    std::string kind = {};  ///< "recompute"; two changes of the same kind exclude each other
    std::string name = {};  ///< "recompute 12 modules (BasicBlockD)"
    SameResults results = SameResults::Bit;
    std::string difference = {};  ///< of the results, in words; empty: none to name
    double work = 0;              ///< added to a step's work in convolutions and linear layers, as a share
    bool compiles = false;        ///< it takes minutes of processor time
    std::vector<std::string> modules = {};  ///< those it names
    std::vector<std::string> early = {};    ///< lines of Python that precede the import of PyTorch
    std::vector<std::string> model = {};    ///< lines that change `model`, before its first call
    std::vector<std::string> lines = {};    ///< other lines
};

/// What is known of a script that does not fit.
struct ScriptNeed {
    ScriptModules script;
    base::Bytes peak = 0;     ///< allocated, on a GPU with room for it
    base::Bytes target = 0;   ///< that may be allocated
    int architecture = 0;     ///< compute capability x 10
    bool inOptimizer = true;  ///< the peak is in an optimizer step
    bool everything = false;  ///< also changes that cannot make it fit alone
};

/// Changes that apply to the script, each alone; those that compile are the last.
std::vector<Change> changesFor(const ScriptNeed& need);

/// expandable_segments of PyTorch's allocator: less is reserved for what is allocated.
Change expandableSegments();

/// Several changes as one: lines in the order in which they must be applied.
Change together(std::vector<Change> changes);

/// A Python file that applies a change and then runs the script. `remark`, one line, is put at its top.
/// Error: a part of the installation is missing, or there is no such script.
base::Result<std::string> changedScript(const Change& change, const wire::ScriptSource& source,
                                        const std::string& modelClass, const std::string& remark);

}  // namespace highwater::script
