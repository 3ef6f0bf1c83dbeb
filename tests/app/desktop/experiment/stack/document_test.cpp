#include "app/desktop/experiment/stack/document.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <functional>
#include <set>
#include <vector>

#include "tests/app/desktop/experiment/stack/stacks.h"

namespace highwater::desktop {
namespace {

void setBatch(ExperimentDocument& document, std::int64_t batch, const QString& key) {
    document.edit("batch", [&](stack::Experiment& e) { e.step.batchSize = batch; }, key);
}

TEST(ExperimentDocument, EditsInferAnewAndUndo) {
    ExperimentDocument document;
    document.reset(testing::experimentFrom("conv relu"));
    ASSERT_TRUE(document.info().ok());
    QSignalSpy changed(&document, &ExperimentDocument::changed);
    document.edit("remove", [](stack::Experiment& e) { e.stack.pop_back(); });
    EXPECT_EQ(changed.count(), 1);
    EXPECT_EQ(document.info()->layers.size(), 1u);
    document.undoStack().undo();
    EXPECT_EQ(document.info()->layers.size(), 2u);
    document.undoStack().redo();
    EXPECT_EQ(document.info()->layers.size(), 1u);
}

TEST(ExperimentDocument, SameKeyIsOneStepAndBackToTheStartIsNone) {
    ExperimentDocument document;
    document.reset(testing::experimentFrom("conv"));
    setBatch(document, 2, "batch");
    setBatch(document, 3, "batch");
    EXPECT_EQ(document.undoStack().count(), 1);
    setBatch(document, 4, "other");
    EXPECT_EQ(document.undoStack().count(), 2);
    document.undoStack().undo();
    document.undoStack().undo();
    EXPECT_EQ(document.experiment().step.batchSize, 1);
    setBatch(document, 2, "batch");
    setBatch(document, 1, "batch");
    EXPECT_EQ(document.undoStack().count(), 0);
}

TEST(ExperimentDocument, AChangeThatChangesNothingLeavesNoStep) {
    ExperimentDocument document;
    document.reset(testing::experimentFrom("conv"));
    QSignalSpy changed(&document, &ExperimentDocument::changed);
    setBatch(document, 1, {});
    EXPECT_EQ(document.undoStack().count(), 0);
    EXPECT_EQ(changed.count(), 0);
}

TEST(ExperimentDocument, TheLastStepsCanBeUndone) {
    ExperimentDocument document;
    document.reset(testing::experimentFrom("conv"));
    constexpr int kEdits = ExperimentDocument::kUndoSteps + 40;
    std::set<std::uint64_t> revisions;
    for (int i = 1; i <= kEdits; ++i) {
        setBatch(document, 1 + i, {});
        revisions.insert(document.revision());
    }
    EXPECT_EQ(revisions.size(), kEdits) << "no two changes have the same";
    EXPECT_EQ(document.undoStack().count(), ExperimentDocument::kUndoSteps);
    while (document.undoStack().canUndo()) {
        document.undoStack().undo();
        EXPECT_FALSE(revisions.contains(document.revision()));
    }
    EXPECT_EQ(document.experiment().step.batchSize, 41);
    EXPECT_FALSE(document.undoStack().isClean());
}

/// Steps of the history share unchanged parts, but each restores its complete value.
TEST(ExperimentDocument, EveryStepOfTheHistoryIsTheValueThatItWas) {
    ExperimentDocument document;
    document.reset(testing::experimentFrom("conv relu conv relu conv"));
    std::vector<stack::Experiment> values = {document.experiment()};
    const auto edit = [&](const std::function<void(stack::Experiment&)>& change) {
        document.edit("edit", change);
        ASSERT_NE(document.experiment(), values.back());
        values.push_back(document.experiment());
    };
    const stack::Layer conv = values[0].stack[0], relu = values[0].stack[1];
    edit([&](stack::Experiment& e) { e.stack.insert(e.stack.begin() + 2, relu); });
    edit([&](stack::Experiment& e) { e.stack.push_back(conv); });
    edit([&](stack::Experiment& e) { e.stack.erase(e.stack.begin()); });
    edit([&](stack::Experiment& e) { e.stack.push_back({"", stack::Block{"b", false, {conv, relu}}}); });
    edit([&](stack::Experiment& e) { std::get<stack::Block>(e.stack.back().op).layers.pop_back(); });
    edit([&](stack::Experiment& e) { std::swap(e.stack.front(), e.stack.back()); });
    edit([&](stack::Experiment& e) { e.step.batchSize = 9; });
    edit([&](stack::Experiment& e) { e.stack.clear(); });
    edit([&](stack::Experiment& e) { e.stack = {relu, relu, relu}; });
    edit([&](stack::Experiment& e) { e.stack.pop_back(); });
    for (std::size_t i = values.size() - 1; i-- > 0;) {
        document.undoStack().undo();
        EXPECT_EQ(document.experiment(), values[i]) << i;
    }
    EXPECT_FALSE(document.undoStack().canUndo());
    for (std::size_t i = 1; i < values.size(); ++i) {
        document.undoStack().redo();
        EXPECT_EQ(document.experiment(), values[i]) << i;
    }
}

TEST(ExperimentDocument, ResetClearsHistoryAndIsClean) {
    ExperimentDocument document;
    setBatch(document, 5, {});
    document.reset(testing::experimentFrom("conv"));
    EXPECT_EQ(document.undoStack().count(), 0);
    EXPECT_TRUE(document.undoStack().isClean());
}

}  // namespace
}  // namespace highwater::desktop
