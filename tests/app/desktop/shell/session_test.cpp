#include "app/desktop/shell/session.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "app/desktop/experiment/settings/settings_values.h"
#include "app/desktop/experiment/stack/layer_words.h"
#include "app/desktop/experiment/stack/new_layer.h"
#include "app/desktop/shell/experiment_file.h"
#include "app/desktop/shell/session_folder.h"
#include "app/desktop/shell/session_json.h"
#include "core/base/file.h"
#include "core/base/json_reader.h"
#include "core/stack/json/json.h"
#include "core/stack/presets/presets.h"
#include "tests/core/temporary_folder.h"
#include "tests/widgets/wait_until.h"

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
        session.keep({preset(), "/a/b.json", true});
        session.flush();  // without close(), as if the window was killed
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
        session.keep({preset(), ""});
        EXPECT_TRUE(session.close());
    }
    const auto state = Session(folder).restore();
    ASSERT_TRUE(state);
    EXPECT_FALSE(state->crashed);
}

TEST_F(SessionTest, IsTakenOverFromAWindowThatDiedWhileItStartedAProcess) {
    const pid_t window = ::fork();
    if (window == 0) {
        SessionFolder owner(folder);
        const bool owns = owner.own(1);
        if (::fork() == 0) {  // holds the lock until it executes another program
            ::usleep(300'000);
        }
        ::_exit(owns ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(window, &status, 0), window);
    ASSERT_EQ(status, 0);
    SessionFolder next(folder);
    EXPECT_TRUE(next.ownedByAnother(1)) << "the process still holds it";
    EXPECT_TRUE(next.own(1));
    EXPECT_FALSE(SessionFolder(folder).own(1)) << "the new owner lives";
}

TEST_F(SessionTest, EachWindowKeepsItsOwn) {
    Session first(folder);
    first.keep({preset(), "first.json", true});
    Session second(folder);
    EXPECT_FALSE(second.restore()) << "the first window is still there";
    second.keep({preset(), "second.json", true});
    EXPECT_TRUE(second.close());
    EXPECT_TRUE(first.close());

    Session third(folder), fourth(folder), fifth(folder);
    EXPECT_EQ(third.restore()->file, "first.json") << "the one that was left last";
    EXPECT_EQ(third.leftByOthers(), QStringList{"second.json"});
    third.keep({preset(), "first.json", true});
    third.flush();
    EXPECT_EQ(fourth.restore()->file, "second.json");
    EXPECT_EQ(third.leftByOthers(), QStringList());
    EXPECT_FALSE(fifth.restore());

    fourth.keep({preset(), "second.json", true});
    EXPECT_TRUE(fourth.close());
    third.discardLeft();
    EXPECT_EQ(third.leftByOthers(), QStringList());
    EXPECT_FALSE(fs::exists(folder / "session-2.json"));
    EXPECT_TRUE(fs::exists(folder / "session.json")) << "that of a window that is there";
    EXPECT_FALSE(fifth.restore());
}

TEST_F(SessionTest, ChangesComeBackBeforeWhatIsSaved) {
    Session changed(folder), saved(folder), other(folder);
    changed.keep({preset(), "changed.json", true});
    saved.keep({preset(), "saved.json"});
    EXPECT_TRUE(changed.close());
    EXPECT_TRUE(saved.close());
    EXPECT_EQ(Session(folder).restore()->file, "changed.json");
    other.keep({preset(), "other.json"});
    other.flush();
    EXPECT_NE(base::readFile(folder / "session.json")->find("changed.json"), std::string::npos)
        << "a window that opens a file takes no place with changes";
}

TEST_F(SessionTest, ADrivenWindowNeitherReadsNorWrites) {
    {
        Session driven({});
        EXPECT_FALSE(driven.restore());
        driven.keep({preset(), "", true});
        EXPECT_TRUE(driven.close());
        EXPECT_FALSE(driven.keeps());
    }
    EXPECT_FALSE(fs::exists(folder));
}

TEST_F(SessionTest, WhatCannotBeReadIsMovedAsideAndSaid) {
    fs::create_directories(folder);
    const fs::path file = folder / "session.json", aside = folder / "session.json-unreadable";
    for (const char* text : {"", "{", "[]", "{\"experiment\": 3}", "{\"experiment\": {\"schema\": \"x\"}}"}) {
        fs::remove(aside);
        ASSERT_TRUE(base::writeFileAtomically(file, text));
        Session session(folder);
        EXPECT_FALSE(session.restore()) << text;
        ASSERT_EQ(session.unreadable().size(), 1) << text;
        EXPECT_TRUE(session.unreadable().front().contains("-unreadable")) << text;
        EXPECT_FALSE(fs::exists(file)) << text;
        EXPECT_EQ(*base::readFile(aside), text);
    }
    base::Json wrong = {{"experiment", stack::toJson(preset())}, {"file", 3}};
    ASSERT_TRUE(base::writeFileAtomically(file, wrong.dump()));
    EXPECT_FALSE(Session(folder).restore()) << "a field of another type";
}

/// A file in place of the folder: like a read-only disk, but also for root.
TEST_F(SessionTest, ChangesThatCannotBeKeptAreSaid) {
    ASSERT_TRUE(base::writeFileAtomically(folder, "no folder"));
    Session session(folder);
    QStringList problems;
    QObject::connect(&session, &Session::problemChanged,
                     [&](const QString& problem) { problems << problem; });
    EXPECT_FALSE(session.restore());
    session.keep({preset(), "", true});
    ASSERT_TRUE(highwater::test::waitUntil([&] { return problems.size() == 1; }));
    EXPECT_TRUE(problems.front().contains("cannot be written")) << problems.front().toStdString();
    const base::Status closed = session.close();
    ASSERT_FALSE(closed);
    EXPECT_EQ(closed.error().message, problems.front().toStdString());
    EXPECT_TRUE(session.hasUnsaved());

    fs::remove(folder);
    session.keep({preset(), "", true});
    ASSERT_TRUE(highwater::test::waitUntil([&] { return problems.size() == 2; }));
    EXPECT_EQ(problems.back(), "");
    EXPECT_TRUE(session.close());
    EXPECT_TRUE(Session(folder).restore()->unsaved);
}

TEST_F(SessionTest, WithoutLocksNothingIsOverwrittenThatIsNotSaved) {
    fs::create_directories(folder / "sessions.lock");  // cannot be opened as a file
    {
        Session first(folder);
        first.keep({preset(), "first.json", true});
        first.flush();
    }
    Session second(folder);
    second.keep({preset(), "second.json", true});
    EXPECT_TRUE(second.close());
    EXPECT_NE(base::readFile(folder / "session.json")->find("first.json"), std::string::npos);
    EXPECT_NE(base::readFile(folder / "session-2.json")->find("second.json"), std::string::npos);
}

/// Also values that no run accepts, and experiments that are not valid files yet.
TEST_F(SessionTest, WhateverTheEditorHoldsComesBack) {
    std::vector<stack::Experiment> held;
    for (const stack::Preset& each : {stack::loadPresets()->front(), stack::loadPresets()->back()}) {
        stack::Experiment e = each.experiment;
        for (const TypeGroup& group : typeGroups()) {
            for (const std::string_view type : group.types) {
                held.push_back(e);
                insertNewLayer(held.back(), type, {}, 1);
            }
        }
        for (const bool synthetic : {true, false}) {
            setSynthetic(e, true);
            setSynthetic(e, synthetic);
            held.push_back(e);
            setWindows(e, true);
            held.push_back(e);
            setWindows(e, false);
        }
        for (int kind = 0; kind <= static_cast<int>(stack::Optimizer::Kind::AdamW); ++kind) {
            e.optimizer = withKind(e.optimizer, static_cast<stack::Optimizer::Kind>(kind));
            held.push_back(e);
        }
        stack::Layer block;
        block.op = stack::Block{};
        e.stack.push_back(block);
        held.push_back(e);
        e.stack.clear();
        held.push_back(e);
    }
    fs::create_directories(folder);
    for (const stack::Experiment& experiment : held) {
        const std::string text = sessionText({experiment, "", true}, true);
        ASSERT_TRUE(base::writeFileAtomically(folder / "session.json", text));
        const auto state = readSession(folder / "session.json");
        ASSERT_TRUE(state) << state.error().message << text;
        EXPECT_EQ(state->experiment, experiment) << text;
    }
    EXPECT_GT(held.size(), 80u);
}

TEST_F(SessionTest, ASweepThatIsComposedIsKept) {
    SweepChoice sweep;
    sweep.axes = {{"batch_size", {"/step/batch_size"}, "1, 2, half typ", {}}, {"lever", {}, {}, "inplace"}};
    sweep.mode = 1;
    sweep.repeats = 3;
    sweep.steps = 20;
    {
        ExperimentDocument document;
        Session session(folder);
        ExperimentFile file(document, session);
        file.adopt("the preset", preset());
        file.keepSweep(sweep);
        EXPECT_TRUE(session.close());
    }
    Session other(folder);
    other.keep({preset(), ""});
    other.flush();
    EXPECT_FALSE(fs::exists(folder / "session-3.json"));
    const auto state = Session(folder).restore();
    ASSERT_TRUE(state && state->sweep);
    EXPECT_EQ(*state->sweep, sweep);
    EXPECT_FALSE(state->unsaved);
}

TEST_F(SessionTest, EditsReachTheSessionAndUndoMarksSaved) {
    ExperimentDocument document;
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

/// Opening another file loses no edits: Undo restores them, with their file.
TEST_F(SessionTest, UndoGoesBackToTheFileBefore) {
    fs::create_directories(folder);
    stack::Experiment other = preset();
    other.name = "other";
    other.step.batchSize = 5;
    ASSERT_TRUE(stack::saveExperiment(other, folder / "other.json"));
    ExperimentDocument document;
    Session session(folder);
    ExperimentFile file(document, session);
    int opened = 0;
    QObject::connect(&file, &ExperimentFile::opened, [&] { ++opened; });
    file.adopt("the preset", preset());
    EXPECT_FALSE(document.undoStack().canUndo());  // there was nothing before it
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

/// Opening another file asks no question, because Undo restores the edits, even after the next start.
TEST_F(SessionTest, UndoBringsBackWhatWasEditedBeforeTheLastStart) {
    const auto setBatch = [](ExperimentDocument& document, int batch) {
        document.edit("batch", [batch](stack::Experiment& e) { e.step.batchSize = batch; });
    };
    stack::Experiment other = preset();
    other.step.batchSize = 5;
    fs::create_directories(folder);
    ASSERT_TRUE(stack::saveExperiment(other, folder / "other.json"));
    const QString otherFile = QString::fromStdString((folder / "other.json").string());
    {
        ExperimentDocument document;
        Session session(folder);
        ExperimentFile file(document, session);
        file.adopt("the preset", preset());
        setBatch(document, 7);
        ASSERT_TRUE(file.open(otherFile));
        file.adopt("a run", preset());  // other.json is saved, so it need not be restored
        setBatch(document, 8);
        ASSERT_TRUE(file.open(otherFile));
        document.undoStack().undo();
        document.undoStack().redo();
        session.flush();
    }
    ExperimentDocument document;
    Session session(folder);
    ExperimentFile file(document, session);
    const auto state = file.restore();
    ASSERT_TRUE(state);
    EXPECT_EQ(state->left.size(), 2u);
    EXPECT_EQ(document.experiment(), other);
    EXPECT_EQ(file.title(), "other.json");
    EXPECT_FALSE(file.unsaved());
    for (const int batch : {8, 7}) {
        document.undoStack().undo();
        EXPECT_EQ(document.experiment().step.batchSize, batch);
        EXPECT_TRUE(file.unsaved());
    }
    EXPECT_FALSE(document.undoStack().canUndo());
    session.flush();
    EXPECT_TRUE(Session(folder).leftByOthers().isEmpty()) << "this window has them";
}

}  // namespace
}  // namespace highwater::desktop
