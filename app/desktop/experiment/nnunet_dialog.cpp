#include "app/desktop/experiment/nnunet_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>

#include "app/desktop/experiment/stack/error_words.h"
#include "app/desktop/experiment/stack/layer_words.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/stack/shapes.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/screen_size.h"

namespace highwater::desktop {

namespace {

constexpr std::size_t kMostBytes = 64 << 20;  // plans are a few hundred KB

QSpinBox* countBox(const QString& name, const QString& zero, QWidget* parent) {
    auto* box = new QSpinBox(parent);
    box->setRange(0, 1000);
    box->setSpecialValueText(zero);
    box->setAccessibleName(name);
    box->setObjectName(name);
    return box;
}

}  // namespace

bool isNnunetPlans(const QString& path) {
    const auto text = base::readFile(path.toStdString(), kMostBytes);
    return text && stack::looksLikeNnunetPlans(*text);
}

base::Status offerConfigurations(QComboBox& box, const QString& plans) {
    const QString before = box.currentText();
    box.clear();
    const auto text = base::readFile(plans.toStdString(), kMostBytes);
    const auto names = text ? stack::nnunetConfigurations(*text, QFileInfo(plans).fileName().toStdString())
                            : base::Result<std::vector<std::string>>(text.error());
    if (!names) {
        return names.error();
    }
    for (const std::string& name : *names) {
        box.addItem(QString::fromStdString(name));
    }
    const int kept = box.findText(before);
    box.setCurrentIndex(std::max(0, kept >= 0 ? kept : box.findText("3d_fullres")));
    return {};
}

NnunetDialog::NnunetDialog(const QString& path, bool gpu, QWidget* parent) : QDialog(parent), path_(path) {
    setWindowTitle(tr("Import nnU-Net plans"));
    configuration_ = new QComboBox(this);
    configuration_->setObjectName("Configuration");
    classes_ = countBox("Classes", tr("from dataset.json, otherwise 2"), this);
    channels_ = countBox("Channels", tr("as the plans"), this);
    deep_ = new QCheckBox(tr("a head on every stage of the decoder, as nnU-Net trains"), this);
    deep_->setChecked(true);
    precision_ = new QComboBox(this);
    precision_->setObjectName("Precision");
    precision_->addItem(tr("fp32, which also runs on this CPU"), static_cast<int>(stack::Precision::Fp32));
    precision_->addItem(tr("fp16, as nnU-Net trains on a GPU"), static_cast<int>(stack::Precision::Fp16));
    precision_->setCurrentIndex(gpu ? 1 : 0);
    summary_ = widgets::textLabel(this);
    summary_->setMinimumHeight(summary_->fontMetrics().height() * 8);
    summary_->setAlignment(Qt::AlignLeft | Qt::AlignTop);

    auto* form = new QFormLayout;
    form->setVerticalSpacing(10);
    form->addRow(tr("File"), new QLabel(QFileInfo(path).fileName(), this));
    form->addRow(tr("Configuration"), configuration_);
    form->addRow(tr("Classes"), classes_);
    form->addRow(tr("Channels"), channels_);
    form->addRow(tr("Deep supervision"), deep_);
    form->addRow(tr("Precision"), precision_);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    import_ = buttons->addButton(tr("Import"), QDialogButtonBox::AcceptRole);
    import_->setProperty("primary", true);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = widgets::makeLayout<QVBoxLayout>(this, 14, {16, 16, 16, 14});
    layout->addLayout(form);
    layout->addWidget(summary_, 1);
    layout->addWidget(buttons);
    resize(widgets::onScreen(*this, {560, 460}));

    fillConfigurations();
    connect(configuration_, &QComboBox::currentIndexChanged, this, &NnunetDialog::reimport);
    connect(precision_, &QComboBox::currentIndexChanged, this, &NnunetDialog::reimport);
    connect(classes_, &QSpinBox::valueChanged, this, &NnunetDialog::reimport);
    connect(channels_, &QSpinBox::valueChanged, this, &NnunetDialog::reimport);
    connect(deep_, &QCheckBox::toggled, this, &NnunetDialog::reimport);
    reimport();
}

void NnunetDialog::fillConfigurations() {
    if (const auto offered = offerConfigurations(*configuration_, path_); !offered) {
        problem_ = QString::fromStdString(offered.error().message);
    }
}

void NnunetDialog::reimport() {
    imported_.reset();
    stack::NnunetOptions options;
    options.configuration = configuration_->currentText().toStdString();
    options.classes = classes_->value();
    options.inputChannels = channels_->value();
    options.deepSupervision = deep_->isChecked();
    options.precision = static_cast<stack::Precision>(precision_->currentData().toInt());
    auto imported = stack::importNnunetFile(path_.toStdString(), options);
    if (imported) {
        imported_ = std::move(*imported);
    } else if (problem_.isEmpty() && configuration_->count() <= 1) {
        problem_ = QString::fromStdString(imported.error().message);
    }
    import_->setEnabled(imported_.has_value());
    summary_->setText(imported_ ? summary() : QString::fromStdString(imported.error().message));
    summary_->setProperty("bad", !imported_);
    summary_->setStyleSheet({});  // the property determines the color
}

QString NnunetDialog::summary() const {
    QStringList lines;
    const auto info = stack::inferShapes(imported_->experiment);
    if (info) {
        const auto layers = std::ranges::count_if(
            info->layers, [](const stack::LayerInfo& layer) { return layer.type != "block"; });
        lines << tr("%1, %2 parameters, input %3")
                     .arg(layersText(layers), QString::fromStdString(base::formatCount(info->parameters)),
                          QString::fromStdString(base::formatShapeShort(info->input)));
    } else {
        lines << plainError(info.error());
    }
    for (const std::string& note : imported_->notes) {
        lines << QStringLiteral("• ") + QString::fromStdString(note);
    }
    return lines.join('\n');
}

}  // namespace highwater::desktop

#include "moc_nnunet_dialog.cpp"
