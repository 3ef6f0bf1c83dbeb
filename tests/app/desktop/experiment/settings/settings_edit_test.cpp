// Every field edits its own key and nothing else, as one undo step.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QCheckBox>
#include <QComboBox>
#include <QSpinBox>
#include <QStandardItemModel>
#include <QTest>
#include <map>
#include <nlohmann/json.hpp>

#include "app/desktop/experiment/settings/augment_list.h"
#include "app/desktop/experiment/settings/settings_panel.h"
#include "core/base/json_reader.h"
#include "core/stack/json/json.h"
#include "tests/app/desktop/experiment/stack/stacks.h"
#include "widgets/controls/field_cell.h"
#include "widgets/controls/path_field.h"
#include "widgets/controls/path_list.h"

namespace highwater::desktop {
namespace {

/// The texts typed into text fields.
const std::map<QString, QString> kTyped = {{"/name", "my run"},
                                           {"/input/patch", "32 x 32 x 24"},
                                           {"/input/normalize/window", "-160, 240"},
                                           {"/input/synthetic", "2 16 16 16"},
                                           {"/target/threshold", "5.5"},
                                           {"/optimizer/lr", "0.02"},
                                           {"/optimizer/weight_decay", "0.125"},
                                           {"/optimizer/momentum", "0.75"},
                                           {"/optimizer/betas", "0.8, 0.99"},
                                           {"/optimizer/eps", "1e-6"},
                                           {"/step/seed", "18446744073709551615"},
                                           {"/data/read_delay_ms", "12"},
                                           {"/windows/size", "8"},
                                           {"/windows/overlap", "0.25"},
                                           {"/backend/workspace_limit", "256 MiB"},
                                           {"/step/clip_gradients", "12"},
                                           {"/backend/alloc_conf", "max_split_size_mb:128"}};

/// Experiments that together show every field.
std::map<std::string, stack::Experiment> experiments() {
    stack::Experiment synthetic = testing::experimentFrom("conv relu");
    synthetic.optimizer = stack::makeOptimizer(stack::Optimizer::Kind::AdamW);
    synthetic.target.kind = stack::Target::Kind::Classes;
    synthetic.windows = stack::Windows{.size = {12}};
    stack::Experiment scan = testing::experimentFrom("conv relu");
    stack::ScanInput input;
    input.scans = {{"a.nii", {}, 0}};
    input.normalize = {stack::Normalize::Kind::Window, 0, 100};
    scan.input = input;
    scan.target.kind = stack::Target::Kind::Threshold;
    scan.loss = stack::Loss::Dice;
    scan.optimizer = stack::makeOptimizer(stack::Optimizer::Kind::Sgd);
    scan.optimizer.momentum = 0.5;
    scan.step.checkpoint = {stack::Checkpointing::Kind::Segments, 3};
    return {{"synthetic", synthetic}, {"scan", scan}};
}

class SettingsEditTest : public ::testing::Test {
protected:
    void open(const stack::Experiment& experiment) {
        document.reset(experiment);
        panel.setDevices(false, true);  // so that everything is enabled
        panel.resize(440, 1600);
        panel.show();
        QCoreApplication::processEvents();
    }
    std::vector<widgets::FieldCell*> fields() {
        std::vector<widgets::FieldCell*> shown;
        for (widgets::FieldCell* cell : panel.findChildren<widgets::FieldCell*>()) {
            if (cell->isVisible() && cell->editor()->isEnabled()) {
                shown.push_back(cell);
            }
        }
        return shown;
    }
    /// Edits a field as a user would; returns whether its editor is of a known kind.
    static bool use(QWidget* editor) {
        if (auto* box = qobject_cast<QCheckBox*>(editor)) {
            box->click();
        } else if (auto* spin = qobject_cast<QSpinBox*>(editor)) {
            spin->setFocus();
            QTest::keyClick(spin, Qt::Key_Up);
        } else if (auto* combo = qobject_cast<QComboBox*>(editor)) {
            combo->setFocus();
            QTest::keyClick(combo, combo->currentIndex() + 1 < combo->count() ? Qt::Key_Down : Qt::Key_Up);
        } else if (auto* edit = qobject_cast<widgets::CheckedEdit*>(editor)) {
            EXPECT_TRUE(kTyped.contains(edit->objectName())) << edit->objectName().toStdString();
            edit->setFocus();
            edit->selectAll();
            QTest::keyClicks(edit, kTyped.at(edit->objectName()));
        } else {
            return false;
        }
        return true;
    }
    static base::Json flat(const stack::Experiment& e) {
        return base::Json::parse(stack::toText(e)).flatten();
    }
    /// The keys whose values differ.
    static std::vector<std::string> changes(const stack::Experiment& a, const stack::Experiment& b) {
        const base::Json before = flat(a), after = flat(b);
        std::vector<std::string> all;
        for (const auto& [key, value] : before.items()) {
            if (!after.contains(key) || after[key] != value) {
                all.push_back(key);
            }
        }
        for (const auto& [key, _] : after.items()) {
            if (!before.contains(key)) {
                all.push_back(key);
            }
        }
        return all;
    }
    ExperimentDocument document;
    SettingsPanel panel{document};
};

TEST_F(SettingsEditTest, EachFieldEditsItsOwnKeyAsOneUndoStep) {
    std::set<std::string> edited;
    for (const auto& [name, before] : experiments()) {
        open(before);
        std::vector<QString> names;
        for (const widgets::FieldCell* cell : fields()) {
            names.push_back(cell->editor()->objectName());
        }
        for (const QString& field : names) {
            SCOPED_TRACE(name + " " + field.toStdString());
            open(before);
            auto* editor = panel.findChild<QWidget*>(field);
            if (!use(editor)) {
                continue;
            }
            const stack::Experiment after = document.experiment();
            const auto changed = changes(before, after);
            ASSERT_FALSE(changed.empty());
            const bool kind = field == "/input" || field == "/optimizer/type" || field == "/target";
            const std::string own = kind ? field.section('/', 1, 1).prepend('/').toStdString()
                                    : field == "/input/volume" ? "/input/scan"  // each scan has its own
                                                               : field.toStdString();
            for (const std::string& key : changed) {
                EXPECT_TRUE(key == own || key.starts_with(own + "/")) << "also changed " << key;
            }
            EXPECT_EQ(document.undoStack().count(), 1);
            document.undoStack().undo();
            EXPECT_EQ(document.experiment(), before);
            document.undoStack().redo();
            EXPECT_EQ(document.experiment(), after);
            edited.insert(field.toStdString());
        }
    }
    EXPECT_EQ(edited.size(), 49u) << "all but lists, paths and the cohort";
    for (const auto& [typed, _] : kTyped) {
        EXPECT_TRUE(edited.contains(typed.toStdString())) << typed.toStdString();
    }
}

TEST_F(SettingsEditTest, TheLinkBesideAFieldSetsItBack) {
    stack::Experiment e = testing::experimentFrom("conv");
    e.loss = stack::Loss::Mse;
    e.step.seed = 5;
    open(e);
    widgets::FieldCell* cell = nullptr;
    for (widgets::FieldCell* each : fields()) {
        if (each->editor()->objectName() == "/step/seed") {
            cell = each;
        }
    }
    ASSERT_NE(cell, nullptr);
    emit cell->resetWanted();
    EXPECT_EQ(document.experiment().step.seed, 0u);
    EXPECT_EQ(panel.changedFields(), 0);
    document.undoStack().undo();
    EXPECT_EQ(document.experiment().step.seed, 5u);
    EXPECT_EQ(panel.changedFields(), 1);
}

TEST_F(SettingsEditTest, AScanIsReadOnceItsPathIsWhole) {
    open(experiments().at("scan"));
    auto* line = panel.findChild<widgets::PathField*>("Channel 1")->findChild<QLineEdit*>();
    line->setFocus();
    line->selectAll();
    QTest::keyClicks(line, "b.nii");
    EXPECT_EQ(document.undoStack().count(), 0) << "not letter by letter";
    QTest::keyClick(line, Qt::Key_Return);
    EXPECT_EQ(std::get<stack::ScanInput>(document.experiment().input).scans,
              (std::vector<stack::ScanSource>{{"b.nii", {}, 0}}));
    line->selectAll();
    QTest::keyClicks(line, "c");
    QTest::keyClick(line, Qt::Key_Escape);
    EXPECT_EQ(line->text(), QString("b.nii"));
    EXPECT_EQ(document.undoStack().count(), 1);
}

TEST_F(SettingsEditTest, ChannelsAreAddedAndRemoved) {
    open(experiments().at("scan"));
    QTest::mouseClick(panel.findChild<QWidget*>("Add channel"), Qt::LeftButton);
    auto* second = panel.findChild<widgets::PathField*>("Channel 2");
    ASSERT_NE(second, nullptr);
    EXPECT_EQ(document.undoStack().count(), 0) << "a channel without a path is none yet";
    QTest::keyClicks(second->findChild<QLineEdit*>(), "t2.nii");
    QTest::keyClick(second->findChild<QLineEdit*>(), Qt::Key_Return);
    EXPECT_EQ(std::get<stack::ScanInput>(document.experiment().input).scans,
              (std::vector<stack::ScanSource>{{"a.nii", {}, 0}, {"t2.nii", {}, 0}}));
    document.undoStack().undo();
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    EXPECT_EQ(panel.findChild<widgets::PathField*>("Channel 2"), nullptr);
}

TEST_F(SettingsEditTest, LabelsAreChosenByTheirPath) {
    stack::Experiment e = experiments().at("scan");
    e.target.kind = stack::Target::Kind::Labels;
    open(e);
    auto* line = panel.findChild<widgets::PathField*>("/target/labels")->findChild<QLineEdit*>();
    QTest::keyClicks(line, "labels.nii");
    QTest::keyClick(line, Qt::Key_Return);
    EXPECT_EQ(document.experiment().target.labels, "labels.nii");
}

}  // namespace
}  // namespace highwater::desktop
