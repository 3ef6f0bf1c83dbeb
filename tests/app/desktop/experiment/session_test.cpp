#include "app/desktop/experiment/session.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "app/desktop/experiment/experiment_file.h"
#include "core/base/file.h"
#include "core/stack/json/json.h"
#include "core/stack/presets.h"
#include "tests/core/temporary_folder.h"

namespace highwater::desktop {
namespace {

namespace fs = std::filesystem;

class SessionTest : public ::testing::Test {
protected:
    fs::path folder = fs::path(::testing::TempDir()) / "hw session";
    void SetUp() override { fs::remove_all(folder); }
    void TearDown() override { fs::remove_all(folder); }
    static stack::Experiment preset() { return (*stack::loadPresets()).front().experiment; }
};

TEST_F(SessionTest, ComesBackAfterACrash) {
    {
        Session session(folder);
        EXPECT_FALSE(session.restore());
        session.keep(preset(), "/a/b.json", true);
        session.flush();  // and no close(): the window died
    }
    Session next(folder);
    const auto state = next.restore();
    ASSERT_TRUE(state);
    EXPECT_EQ(state->experiment, preset());
    EXPECT_EQ(state->file, "/a/b.json");
    EXPECT_TRUE(state->unsaved);
    EXPECT_TRUE(state->crashed);
}

TEST_F(SessionTest, ComesBackAfterAnOrderlyEnd) {
    {
        Session session(folder);
        session.keep(preset(), "", false);
        session.close();
    }
    const auto state = Session(folder).restore();
    ASSERT_TRUE(state);
    EXPECT_FALSE(state->crashed);
}

TEST_F(SessionTest, ASecondWindowLeavesTheFirstOnesAlone) {
    Session first(folder);
    first.keep(preset(), "first", true);
    first.flush();
    {
        Session second(folder);
        EXPECT_FALSE(second.restore());
        second.keep({}, "second", false);
        second.close();
    }
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 2) << "session.json and its lock";
    EXPECT_NE(base::readFile(folder / "session.json")->find("first"), std::string::npos);
}

TEST_F(SessionTest, DamageIsNotRestored) {
    fs::create_directories(folder);
    for (const char* text : {"", "{", "[]", "{\"experiment\": 3}", "{\"experiment\": {\"schema\": \"x\"}}"}) {
        ASSERT_TRUE(base::writeFileAtomically(folder / "session.json", text));
        EXPECT_FALSE(Session(folder).restore()) << text;
    }
}

TEST_F(SessionTest, EditsReachTheSessionAndUndoMarksSaved) {
    widgets::ExperimentDocument document;
    Session session(folder);
    ExperimentFile file(document, session);
    file.adopt("the preset", preset());
    EXPECT_FALSE(file.unsaved());
    document.edit("batch", [](stack::Experiment& e) { e.step.batchSize = 7; });
    EXPECT_TRUE(file.unsaved());
    document.undoStack().undo();
    EXPECT_FALSE(file.unsaved());
    document.undoStack().redo();
    ASSERT_TRUE(file.save(QString::fromStdString((folder / "x.json").string())));
    EXPECT_FALSE(file.unsaved());
    EXPECT_EQ(file.title(), "x.json");
    document.edit("batch", [](stack::Experiment& e) { e.step.batchSize = 8; });
    session.flush();
    EXPECT_NE(base::readFile(folder / "session.json")->find("\"batch_size\": 8"), std::string::npos);
}

/// Nothing that was edited is lost by opening something else: it comes back, with its file.
TEST_F(SessionTest, UndoGoesBackToTheFileBefore) {
    fs::create_directories(folder);
    stack::Experiment other = preset();
    other.name = "other";
    other.step.batchSize = 5;
    ASSERT_TRUE(stack::saveExperiment(other, folder / "other.json"));
    widgets::ExperimentDocument document;
    Session session(folder);
    ExperimentFile file(document, session);
    int opened = 0;
    QObject::connect(&file, &ExperimentFile::opened, [&] { ++opened; });
    file.adopt("the preset", preset());
    EXPECT_FALSE(document.undoStack().canUndo());  // there was nothing before
    document.edit("batch", [](stack::Experiment& e) { e.step.batchSize = 7; });
    const stack::Experiment edited = document.experiment();
    ASSERT_TRUE(file.save(QString::fromStdString((folder / "mine.json").string())));
    document.edit("batch", [](stack::Experiment& e) { e.step.batchSize = 9; });
    ASSERT_TRUE(file.open(QString::fromStdString((folder / "other.json").string())));
    EXPECT_EQ(document.undoStack().undoText(), "Open other.json");
    EXPECT_EQ(file.title(), "other.json");
    EXPECT_FALSE(file.unsaved());
    EXPECT_EQ(opened, 2);

    document.undoStack().undo();
    EXPECT_EQ(file.title(), "mine.json");
    EXPECT_EQ(document.experiment().step.batchSize, 9);
    EXPECT_TRUE(file.unsaved());
    document.undoStack().undo();
    EXPECT_EQ(document.experiment(), edited);
    EXPECT_FALSE(file.unsaved());
    document.undoStack().redo();
    document.undoStack().redo();
    EXPECT_EQ(file.title(), "other.json");
    EXPECT_EQ(document.experiment(), other);
    EXPECT_FALSE(file.unsaved());

    ASSERT_TRUE(file.save(QString::fromStdString((folder / "renamed.json").string())));
    document.undoStack().undo();
    document.undoStack().redo();
    EXPECT_EQ(file.title(), "renamed.json");  // saved meanwhile
    EXPECT_FALSE(file.unsaved());
    EXPECT_FALSE(file.open(QString::fromStdString(highwater::test::nowhere() + "/a.json")));
    EXPECT_EQ(file.title(), "renamed.json");
}

}  // namespace
}  // namespace highwater::desktop
