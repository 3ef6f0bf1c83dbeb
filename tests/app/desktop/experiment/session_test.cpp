#include "app/desktop/experiment/session.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "app/desktop/experiment/experiment_file.h"
#include "core/base/file.h"
#include "core/stack/presets.h"

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
    file.adopt(preset());
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

}  // namespace
}  // namespace highwater::desktop
