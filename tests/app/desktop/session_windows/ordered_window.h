#pragma once

#include <filesystem>

#include "app/desktop/shell/experiment_file.h"
#include "app/desktop/shell/session.h"
#include "core/stack/presets/presets.h"

namespace highwater::test {

/// The effect of a window's start on its session, without the window.
struct OrderedWindow {
    explicit OrderedWindow(const std::filesystem::path& folder) : session(folder) {
        if (!file.restore()) {
            file.adopt("the preset", (*stack::loadPresets()).front().experiment);
        }
    }
    void edit(int batch) {
        document.edit("batch", [batch](stack::Experiment& e) { e.step.batchSize = batch; });
    }
    void replace() { file.adopt("something else", (*stack::loadPresets()).back().experiment); }
    desktop::ExperimentDocument document;
    desktop::Session session;
    desktop::ExperimentFile file{document, session};
};

}  // namespace highwater::test
