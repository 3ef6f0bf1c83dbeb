#include "app/desktop/experiment/pytorch_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/script/launch.h"
#include "widgets/theme/panel.h"

namespace highwater::desktop {

namespace {

constexpr auto kCommand = "python -m highwatermark my_module:build --input 2,1,96,96,96 --out net.json";
constexpr auto kArchive = "torch.export.save(torch.export.export(model.train(), (example,)), \"net.pt2\")";

constexpr auto kOnnx =
    "torch.onnx.export(model.train(), (example,), \"net.onnx\", optimize=False, "
    "training=torch.onnx.TrainingMode.TRAINING)";

QLabel* words(const QString& text, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setWordWrap(true);
    return label;
}

/// A selectable line of code with a button that copies it.
QWidget* codeLine(const QString& code, QWidget* parent) {
    auto* line = new QWidget(parent);
    auto* row = widgets::makeLayout<QHBoxLayout>(line, 8);
    auto* text = new QLabel(code, line);
    text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    text->setTextFormat(Qt::PlainText);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto* copy = new QPushButton(QObject::tr("Copy"), line);
    copy->setAccessibleName(QObject::tr("Copy %1").arg(code));
    QObject::connect(copy, &QPushButton::clicked, line, [code] { QApplication::clipboard()->setText(code); });
    row->addWidget(text, 1);
    row->addWidget(copy);
    return line;
}

}  // namespace

PytorchDialog::PytorchDialog(QWidget* parent) : QDialog(parent) {
    setWindowTitle(tr("Import a PyTorch network"));
    auto* layout = widgets::makeLayout<QVBoxLayout>(this, 10, {16, 14, 16, 14});
    layout->addWidget(words(tr("In the Python that has your network and Highwater's package, one command "
                               "writes it as an experiment. my_module:build is the module or a function that "
                               "returns it; --input is the shape of a batch: samples, channels, sizes."),
                            this));
    layout->addWidget(codeLine(kCommand, this));
    layout->addWidget(words(tr("With PyTorch alone (2.5 or newer), torch.export also works:"), this));
    layout->addWidget(codeLine(kArchive, this));
    layout->addWidget(words(tr("An .onnx file also works if it was exported in training mode:"), this));
    layout->addWidget(codeLine(kOnnx, this));
    layout->addWidget(
        words(tr("Then open that file here. Nothing in it is executed, and no weights are read."), this));
    if (script::deviceFolder()) {
        layout->addWidget(words(tr("torch.compile changes what a training keeps in memory; an experiment is "
                                   "eager. To see both peaks, run the training script on a pretended GPU and "
                                   "choose “Try torch.compile, too”."),
                                this));
        auto* script = new QPushButton(tr("Your script…"), this);
        script->setAutoDefault(false);
        connect(script, &QPushButton::clicked, this, [this] {
            reject();
            emit scriptWanted();
        });
        layout->addWidget(script, 0, Qt::AlignLeft);
    }
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    auto* open = buttons->addButton(tr("Open net.json, net.pt2 or net.onnx…"), QDialogButtonBox::AcceptRole);
    open->setProperty("primary", true);
    auto* more = buttons->addButton(tr("Import notes"), QDialogButtonBox::HelpRole);
    connect(open, &QPushButton::clicked, this, [this] {
        accept();
        emit openWanted();
    });
    connect(more, &QPushButton::clicked, this, [this] { emit docsWanted("own-networks.md"); });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout->addStretch(1);
    layout->addWidget(buttons);
    resize(720, sizeHint().height());
}

}  // namespace highwater::desktop

#include "moc_pytorch_dialog.cpp"
