#include "core/script/module_costs.h"

#include <limits>
#include <map>
#include <set>

#include "core/base/json_file.h"

namespace highwater::script {

using base::JsonFileIn;

namespace {

constexpr base::Whole kSize{0, base::Bytes{1} << 50};
constexpr std::size_t kMostModules = 100'000;

}  // namespace

void exchange(JsonFileIn& way, ModuleCost& module) {
    way("root", module.root);
    way("name", module.name);
    way("class", module.className);
    constexpr base::Whole held{-(base::Bytes{1} << 50), base::Bytes{1} << 50};
    way("held_bytes", module.held, held);
    way("output_bytes", module.output, kSize);
    way("flops", module.flops);
    way("calls", module.calls, kSize);
    way("batch", module.batch, kSize);
    way("splits", module.splits);
    way("batch_norm", module.batchNorm);
    way("recomputable", module.recomputable);
    way.acceptAnyKey();
}

void exchange(JsonFileIn& way, OptimizerUse& optimizer) {
    way("class", optimizer.className);
    way("foreach", optimizer.foreach);
    way("fused", optimizer.fused);
    way("can_fuse", optimizer.canFuse);
    way.acceptAnyKey();
}

void exchange(JsonFileIn& way, ScriptModules& script) {
    way("autocast", script.autocast);
    way("compiled", script.compiled);
    way("channels_last", script.channelsLast);
    way("keeps_gradients", script.keepsGradients);
    way("dropout", script.dropout);
    way("loader_batch", script.loaderBatch, kSize);
    way.list("own_checkpoints", script.ownCheckpoints, kMostModules, kSize);
    way.list("modules", script.modules, kMostModules);
    way.list("optimizers", script.optimizers, kMostModules);
    way.acceptAnyKey();
}

base::Result<ScriptModules> readModules(const std::filesystem::path& runFolder) {
    return base::fromJsonFile<ScriptModules>(runFolder / "script-modules.json");
}

const ModuleCost* ScriptModules::model() const {
    const ModuleCost* found = nullptr;
    for (const ModuleCost& module : modules) {
        if (module.name.empty() && (found == nullptr || module.held > found->held)) {
            found = &module;
        }
    }
    return found;
}

namespace {

/// The modules of one model, and the estimate of sets of them.
class Planner {
public:
    Planner(const ScriptModules& script, base::Bytes peak) : model_(*script.model()), peak_(peak) {
        // A module that keeps less than this is not worth a line.
        const base::Bytes least = std::max<base::Bytes>(1, model_.saved() / 200);
        for (const ModuleCost& module : script.modules) {
            if (module.root == model_.root && !module.name.empty() && module.recomputable &&
                saved(module) >= least) {
                modules_.push_back(&module);
            }
        }
    }

    /// The outermost of the modules that `take` accepts.
    template <class Take>
    std::vector<const ModuleCost*> outermost(Take take) const {
        std::vector<const ModuleCost*> taken;
        std::set<std::string> names;
        for (const ModuleCost* module : modules_) {
            if (!insideOne(module->name, names) && take(*module)) {
                taken.push_back(module);
                names.insert(module->name);
            }
        }
        return taken;
    }

    /// The largest modules that each keep at most `most`.
    std::vector<const ModuleCost*> cut(base::Bytes most) const {
        return outermost([&](const ModuleCost& module) { return saved(module) <= most; });
    }

    ModuleSet setOf(std::vector<const ModuleCost*> modules) const {
        base::Bytes freed = 0, largest = 0;
        ModuleSet set{std::move(modules), 0, 0};
        for (const ModuleCost* module : set.modules) {
            freed += saved(*module);
            largest = std::max(largest, module->saved());
            set.flops += module->flops * times(*module);
        }
        set.estimate = peak_ - freed + largest;
        return set;
    }

    /// The modules that free the most for their work, as many of them as are needed. Empty: all do not do.
    ModuleSet cheapest(std::vector<const ModuleCost*> from, base::Bytes target) const {
        std::ranges::stable_sort(from, [&](const ModuleCost* a, const ModuleCost* b) {
            return static_cast<double>(a->saved()) * b->flops > static_cast<double>(b->saved()) * a->flops;
        });
        for (std::size_t count = 1; count <= from.size(); ++count) {
            ModuleSet set = setOf({from.begin(), from.begin() + static_cast<std::ptrdiff_t>(count)});
            if (set.estimate <= target) {
                return set;
            }
        }
        return {};
    }

    const std::vector<const ModuleCost*>& modules() const { return modules_; }
    std::set<base::Bytes> sizes() const {
        std::set<base::Bytes> sizes;
        for (const ModuleCost* module : modules_) {
            sizes.insert(saved(*module));
        }
        return sizes;
    }

private:
    double times(const ModuleCost& module) const {
        return std::max(1.0, static_cast<double>(module.calls) /
                                 static_cast<double>(std::max<std::int64_t>(1, model_.calls)));
    }
    base::Bytes saved(const ModuleCost& module) const {
        return static_cast<base::Bytes>(static_cast<double>(module.saved()) * times(module));
    }
    static bool insideOne(const std::string& name, const std::set<std::string>& names) {
        for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
            if (names.contains(name.substr(0, dot))) {
                return true;
            }
        }
        return false;
    }

    const ModuleCost& model_;
    base::Bytes peak_;
    std::vector<const ModuleCost*> modules_;
};

}  // namespace

std::vector<ModuleSet> setsToRecompute(const ScriptModules& script, base::Bytes peak, base::Bytes target) {
    std::vector<ModuleSet> sets;
    if (script.model() == nullptr) {
        return sets;
    }
    const Planner planner(script, peak);
    const auto add = [&](ModuleSet set) {
        std::ranges::sort(set.modules);  // in the model's order
        if (!set.modules.empty() && set.estimate < peak &&
            std::ranges::none_of(
                sets, [&](const ModuleSet& other) { return other.modules == set.modules; })) {
            sets.push_back(std::move(set));
        }
    };
    ModuleSet lowest{{}, peak, 0};
    for (const double share : {0.95, 0.8, 0.65}) {
        ModuleSet best{{}, 0, std::numeric_limits<double>::max()};
        for (const base::Bytes size : planner.sizes()) {
            const auto cut = planner.cut(size);
            ModuleSet set =
                planner.cheapest(cut, static_cast<base::Bytes>(share * static_cast<double>(target)));
            if (!set.modules.empty() && set.flops < best.flops) {
                best = std::move(set);
            }
            if (ModuleSet all = planner.setOf(cut); all.estimate < lowest.estimate) {
                lowest = std::move(all);
            }
        }
        add(std::move(best));
    }
    add(std::move(lowest));
    ModuleSet best{{}, peak, 0};
    std::set<std::string> classes;
    for (const ModuleCost* module : planner.modules()) {
        if (classes.insert(module->className).second) {
            ModuleSet set = planner.setOf(planner.outermost(
                [&](const ModuleCost& each) { return each.className == module->className; }));
            if (set.modules.size() > 1 && set.estimate < best.estimate) {
                best = std::move(set);
            }
        }
    }
    add(std::move(best));
    return sets;
}

}  // namespace highwater::script
