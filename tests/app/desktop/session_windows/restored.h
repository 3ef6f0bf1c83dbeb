#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <set>
#include <vector>

#include "tests/app/desktop/session_windows/ordered_window.h"

namespace highwater::test {

/// Starts windows until there are no left sessions. Returns every batch size that they show or restore by
/// Undo, and closes them.
inline std::set<std::int64_t> restoredBatches(const std::filesystem::path& folder) {
    std::set<std::int64_t> batches;
    std::vector<std::unique_ptr<OrderedWindow>> windows;
    do {
        windows.push_back(std::make_unique<OrderedWindow>(folder));
        OrderedWindow& window = *windows.back();
        batches.insert(window.document.experiment().step.batchSize);
        while (window.document.undoStack().canUndo()) {
            window.document.undoStack().undo();
            batches.insert(window.document.experiment().step.batchSize);
        }
        while (window.document.undoStack().canRedo()) {  // back to the initial state
            window.document.undoStack().redo();
        }
    } while (!windows.back()->session.leftByOthers().isEmpty());
    for (const auto& window : windows) {
        EXPECT_TRUE(window->session.close());
    }
    return batches;
}

}  // namespace highwater::test
