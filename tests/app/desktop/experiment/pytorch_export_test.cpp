#include "app/desktop/experiment/pytorch_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QAction>
#include <QApplication>
#include <QFileDialog>
#include <QMenu>
#include <QMenuBar>
#include <QTimer>

#include "app/desktop/shell/main_window.h"
#include "core/base/file.h"
#include "core/stack/export/export_pytorch.h"
#include "core/stack/presets/presets.h"
#include "tests/core/temporary_folder.h"
#include "tests/widgets/wait_until.h"

namespace highwater::desktop {
namespace {

using ::testing::HasSubstr;

class PytorchExport : public ::testing::Test {
protected:
    highwater::test::TemporaryFolder folder_;
    QString path(const char* name) const { return QString::fromStdString((folder_.path() / name).string()); }
};

TEST_F(PytorchExport, WritesTheProgram) {
    const stack::Experiment e = (*stack::loadPresets()).front().experiment;
    ASSERT_TRUE(exportPytorchTo(e, path("modèle.py")).ok());
    EXPECT_EQ(*base::readFile(folder_.path() / "modèle.py"), *stack::exportPytorch(e));
}

TEST_F(PytorchExport, WritesThePhantomBesideTheProgram) {
    stack::Experiment e = (*stack::loadPresets()).front().experiment;
    stack::ScanInput input;
    input.scans = {{"phantom:head", {}, 0}};
    e.input = input;
    const auto written = exportPytorchTo(e, path("model.py"));
    ASSERT_TRUE(written.ok()) << written.error().message;
    EXPECT_TRUE(std::filesystem::exists(folder_.path() / "head-phantom.nii.gz"));
}

TEST_F(PytorchExport, SaysWhyItCannot) {
    stack::Experiment e = (*stack::loadPresets()).front().experiment;
    const auto nowhere = exportPytorchTo(e, path("no/model.py"));
    ASSERT_FALSE(nowhere.ok());
    EXPECT_THAT(nowhere.error().message, HasSubstr("no/model.py"));
    e.stack.clear();
    e.step.batchSize = 0;
    const auto invalid = exportPytorchTo(e, path("model.py"));
    ASSERT_FALSE(invalid.ok());
    EXPECT_THAT(invalid.error().message, HasSubstr("The experiment cannot be exported: "));
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "model.py"));
}

QAction* actionOf(const QMenu& menu, const QString& text) {
    for (QAction* action : menu.actions()) {
        if (action->text() == text) {
            return action;
        }
        if (QAction* const found = action->menu() ? actionOf(*action->menu(), text) : nullptr) {
            return found;
        }
    }
    return nullptr;
}

/// The menu's action asks for a file, and writes what the editor holds there.
TEST_F(PytorchExport, IsInTheFileMenu) {
    qputenv("XDG_CONFIG_HOME", QByteArray::fromStdString((folder_.path() / "config").string()));
    QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    Options options;
    options.store = folder_.path() / "store";
    MainWindow window(options, [] { return devices::GpusHere{}; });
    window.document().reset((*stack::loadPresets()).front().experiment);
    QAction* const action =
        actionOf(*window.menuBar()->actions().front()->menu(), "Experiment as a PyTorch program (.py)…");
    ASSERT_NE(action, nullptr);
    QTimer::singleShot(0, [this] {
        auto* const dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
        ASSERT_NE(dialog, nullptr);
        dialog->selectFile(path("model.py"));
        QMetaObject::invokeMethod(dialog, "accept");
    });
    action->trigger();
    ASSERT_TRUE(
        highwater::test::waitUntil([this] { return std::filesystem::exists(folder_.path() / "model.py"); }));
    EXPECT_EQ(*base::readFile(folder_.path() / "model.py"),
              *stack::exportPytorch(window.document().experiment()));
}

}  // namespace
}  // namespace highwater::desktop
