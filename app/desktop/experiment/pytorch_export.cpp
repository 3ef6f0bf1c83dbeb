#include "app/desktop/experiment/pytorch_export.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QObject>
#include <QSettings>
#include <filesystem>

#include "app/desktop/experiment/stack/error_words.h"
#include "core/base/file.h"
#include "core/base/paths.h"
#include "core/scan/phantom_client.h"
#include "core/stack/export/export_pytorch.h"
#include "widgets/controls/last_folder.h"

namespace highwater::desktop {

QString choosePytorchFile(QWidget* parent, const QString& title) {
    constexpr const char* kFolder = "files/pytorchFolder";
    QString name = title;
    if (name.endsWith(".json")) {
        name.chop(5);
    }
    QString path = QFileDialog::getSaveFileName(parent, QObject::tr("Export to PyTorch"),
                                                widgets::lastFolder(kFolder) + '/' + name + ".py",
                                                QObject::tr("Python (*.py)"));
    if (path.isEmpty()) {
        return {};
    }
    QSettings().setValue(kFolder, QFileInfo(path).absolutePath());
    return path;
}

base::Status exportPytorchTo(const stack::Experiment& experiment, const QString& path) {
    const auto program = stack::exportPytorch(experiment);
    if (!program) {
        return base::Error{"The experiment cannot be exported: " + plainError(program.error()).toStdString()};
    }
    const std::filesystem::path file(path.toStdU16String());
    auto written = base::writeFileAtomically(file, *program);
    if (written && stack::readsPhantom(experiment)) {
        written = scan::writePhantom((file.parent_path() / base::kHeadPhantomFile).string());
    }
    return written;
}

}  // namespace highwater::desktop
