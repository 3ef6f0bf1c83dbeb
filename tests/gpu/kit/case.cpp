#include "tests/gpu/kit/case.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace highwater::kit {

namespace {

std::int64_t divided(Scale scale, std::int64_t size, std::int64_t by) {
    if (scale == Scale::Gpu) {
        return size;
    }
    return size % 16 == 0 ? std::max<std::int64_t>(size / by / 16, 1) * 16
                          : std::max<std::int64_t>(size / by, 16);
}

}  // namespace

std::int64_t size3d(Scale scale, std::int64_t size) {
    return divided(scale, size, 4);
}
std::int64_t size2d(Scale scale, std::int64_t size) {
    return divided(scale, size, 8);
}
std::int64_t size1d(Scale scale, std::int64_t size) {
    return divided(scale, size, 64);
}

std::string processWords(const stack::Experiment& experiment) {
    const stack::Backend& backend = experiment.backend;
    std::string words = backend.allocConf;
    const auto add = [&words](const std::string& more) { words += (words.empty() ? "" : " ") + more; };
    if (backend.benchmark) {
        add("benchmark");
    }
    if (backend.workspaceLimit) {
        add(fmt::format("workspaces of {}", base::formatBytes(*backend.workspaceLimit)));
    }
    return words;
}

std::vector<Case> interleaved(const std::vector<std::vector<Case>>& lists) {
    std::vector<Case> all;
    std::size_t longest = 0;
    for (const std::vector<Case>& list : lists) {
        longest = std::max(longest, list.size());
    }
    for (std::size_t i = 0; i < longest; ++i) {
        for (const std::vector<Case>& list : lists) {
            if (i < list.size()) {
                all.push_back(list[i]);
            }
        }
    }
    return all;
}

base::Result<std::vector<Case>> allCases(Scale scale, bool quick) {
    std::vector<std::vector<Case>> families;
    for (auto made :
         {networkCases(scale), base::Result<std::vector<Case>>(layerCases(scale)), leverCases(scale),
          base::Result<std::vector<Case>>(trainingCases(scale)), ladderCases(scale),
          base::Result<std::vector<Case>>(cliffCases(scale)), allocatorCases(scale)}) {
        if (!made) {
            return made.error();
        }
        if (quick) {
            made->resize((made->size() + 3) / 4);
        }
        families.push_back(std::move(*made));
    }
    std::vector<Case> all = interleaved(families);
    if (scale == Scale::Rehearsal) {
        for (Case& each : all) {
            each.warmup = 1, each.steps = 2;
        }
    }
    return all;
}

}  // namespace highwater::kit
