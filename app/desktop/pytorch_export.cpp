#include "app/desktop/pytorch_export.h"

#include <QCoreApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QSettings>
#include <filesystem>

#include "core/base/file.h"
#include "core/stack/export_pytorch.h"

namespace highwater::desktop {

QString choosePytorchFile(QWidget* parent, const QString& title) {
    constexpr const char* kFolder = "files/pytorchFolder";
    QString name = title;
    if (name.endsWith(".json"))
        name.chop(5);
    QSettings settings;
    QString path = QFileDialog::getSaveFileName(
        parent, QCoreApplication::translate("PytorchExport", "Export to PyTorch"),
        settings.value(kFolder).toString() + '/' + name + ".py",
        QCoreApplication::translate("PytorchExport", "Python (*.py)"));
    if (path.isEmpty())
        return {};
    settings.setValue(kFolder, QFileInfo(path).absolutePath());
    return path;
}

base::Status exportPytorchTo(const stack::Experiment& experiment, const QString& path) {
    const auto program = stack::exportPytorch(experiment);
    if (!program)
        return base::Error{"The experiment cannot be exported: " + program.error().message};
    return base::writeFileAtomically(std::filesystem::path(path.toStdU16String()), *program);
}

}  // namespace highwater::desktop
