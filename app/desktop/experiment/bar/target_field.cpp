#include "app/desktop/experiment/bar/target_field.h"

#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QSignalBlocker>
#include <QToolButton>
#include <QWidgetAction>
#include <algorithm>
#include <initializer_list>

#include "core/base/text.h"
#include "widgets/controls/checked_edit.h"
#include "widgets/controls/search_combo.h"
#include "widgets/theme/panel.h"

namespace highwater::desktop {

namespace {

/// Selects the entry with that data, or the first one if there is none.
void choose(QComboBox* combo, const QString& data) {
    const QSignalBlocker quiet(combo);
    combo->setCurrentIndex(std::max(0, combo->findData(data)));
}

/// "1.2 GiB", or an empty string for 0.
base::Result<base::Bytes> parseOthers(const QString& text) {
    return text.trimmed().isEmpty() ? base::Bytes{0} : base::parseBytes(text.trimmed().toStdString());
}

widgets::CheckedEdit* sizeField(const QString& name, QWidget* parent) {
    auto* field = new widgets::CheckedEdit(
        [](const QString& text) {
            const auto bytes = parseOthers(text);
            return bytes ? QString() : QString::fromStdString(bytes.error().message);
        },
        parent);
    field->setObjectName(name);
    field->setAccessibleName(name);
    return field;
}

QString othersText(base::Bytes bytes) {
    return bytes > 0 ? QString::fromStdString(base::formatBytes(bytes)) : QString();
}

void fill(QComboBox* combo, const QString& first, const QStringList& rest) {
    const QSignalBlocker quiet(combo);
    const QString before = combo->currentData().toString();
    combo->clear();
    combo->addItem(first, QString());
    for (const QString& version : rest) {
        combo->addItem(version, version);
    }
    choose(combo, before);
}

}  // namespace

TargetField::TargetField(QWidget* parent) : QWidget(parent) {
    auto* layout = widgets::makeLayout<QHBoxLayout>(this, 4);
    device_ = new widgets::SearchCombo(this);
    device_->addItem(tr("this CPU"), "cpu");
    device_->setObjectName("Predict for");
    device_->setAccessibleName(tr("Predict for"));
    device_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    device_->setMinimumContentsLength(0);
    button_ = new QToolButton(this);
    button_->setObjectName("Versions");
    button_->setAccessibleName(tr("Versions"));
    button_->setText(tr("versions ▾"));
    button_->setProperty("reset", true);
    button_->setPopupMode(QToolButton::InstantPopup);
    QSizePolicy held = button_->sizePolicy();
    held.setRetainSizeWhenHidden(true);  // the bar keeps its height if there are no versions
    button_->setSizePolicy(held);
    auto* menu = new QMenu(this);
    auto* action = new QWidgetAction(menu);
    action->setDefaultWidget(versionsForm());
    menu->addAction(action);
    button_->setMenu(menu);
    layout->addWidget(device_, 1);
    for (QComboBox* combo : std::initializer_list<QComboBox*>{device_, libtorch_, cudnn_}) {
        connect(combo, &QComboBox::currentIndexChanged, this, &TargetField::read);
    }
    connect(others_, &widgets::CheckedEdit::edited, this, &TargetField::read);
    connect(context_, &widgets::CheckedEdit::edited, this, [this](const QString& text) {
        const bool removed = text.trimmed().isEmpty();
        emit contextGiven(removed ? std::nullopt : std::optional(*parseOthers(text)));
    });
    show();
}

QWidget* TargetField::versionsForm() {
    auto* form = new QWidget;
    QFormLayout* const layout = form_ = new QFormLayout(form);
    layout->setContentsMargins(12, 10, 12, 10);
    libtorch_ = new QComboBox(form);
    libtorch_->setObjectName("LibTorch");
    cudnn_ = new QComboBox(form);
    cudnn_->setObjectName("cuDNN");
    for (QComboBox* combo : {libtorch_, cudnn_}) {
        combo->setMinimumWidth(190);
    }
    auto* note = new QLabel(tr("Both affect how memory is allocated and where it jumps."), form);
    note->setProperty("muted", true);
    note->setWordWrap(true);
    others_ = sizeField(tr("Others hold"), form);
    others_->setPlaceholderText(tr("nothing"));
    others_->setHint(tr(
        "GPU memory that other programs use, such as 1.2 GiB: a desktop, a browser, other runs.\nnvidia-smi "
        "shows it. A run can use the rest."));
    layout->addRow("LibTorch", libtorch_);
    layout->addRow("cuDNN", cudnn_);
    layout->addRow(note);
    layout->addRow(tr("Others hold"), others_);
    context_ = sizeField(tr("CUDA context"), form);
    context_->setHint(tr(
        "Memory of this GPU's CUDA context, such as 520 MiB: what nvidia-smi shows for a process, less what "
        "PyTorch reserves.\nIt is kept for this GPU; clear it to use the default again."));
    layout->addRow(tr("CUDA context"), context_);
    layout->setRowVisible(context_, false);
    return form;
}

void TargetField::setContext(std::optional<base::Bytes> given, const QString& otherwise) {
    form_->setRowVisible(context_, true);
    context_->setPlaceholderText(otherwise);
    context_->showValue(given ? QString::fromStdString(base::formatBytes(*given)) : QString(),
                        [&](const QString& typed) {
                            const auto same = parseOthers(typed);
                            return given ? same && *same == *given : typed.trimmed().isEmpty();
                        });
}

void TargetField::setTargets(const std::vector<TargetItem>& targets) {
    const TargetChoice before = choice_;
    {
        const QSignalBlocker quiet(device_);
        device_->clear();
        device_->addItem(tr("this CPU"), "cpu");
        for (const TargetItem& target : targets) {
            if (target.id != "cpu") {
                device_->addItem(target.title, target.id);
            }
        }
    }
    setChoice(before);
}

std::vector<TargetItem> TargetField::targets() const {
    std::vector<TargetItem> items;
    for (int i = 0; i < device_->count(); ++i) {
        items.push_back({device_->itemData(i).toString(), device_->itemText(i)});
    }
    return items;
}

void TargetField::setVersions(const QStringList& libtorch, const QString& defaultLibtorch,
                              const QStringList& cudnn) {
    QStringList others = libtorch;
    others.removeAll(defaultLibtorch);
    fill(libtorch_, tr("%1 (default)").arg(defaultLibtorch), others);
    fill(cudnn_, tr("with LibTorch"), cudnn);
}

void TargetField::setDefaultCudnn(const QString& text) {
    cudnn_->setItemText(0, tr("%1 (with that LibTorch)").arg(text));
}

void TargetField::setChoice(const TargetChoice& choice) {
    choose(device_, choice.id);
    choose(libtorch_, choice.libtorch);
    choose(cudnn_, choice.cudnn);
    choice_.others = choice.others;
    others_->showValue(othersText(choice.others));
    choice_ = chosen();
    show();
    device_->showName();
}

TargetChoice TargetField::chosen() const {
    TargetChoice choice{device_->currentData().toString(), libtorch_->currentData().toString(),
                        cudnn_->currentData().toString(), choice_.others};
    // If the text was not edited, keep the exact number of bytes, which the text rounds.
    if (const auto others = parseOthers(others_->text());
        others && others_->text() != othersText(choice_.others)) {
        choice.others = *others;
    }
    return choice;
}

void TargetField::read() {
    const TargetChoice next = chosen();
    others_->showValue(othersText(next.others), [&](const QString& typed) {
        const auto same = parseOthers(typed);
        return same && *same == next.others;
    });
    if (next == choice_) {
        return;
    }
    choice_ = next;
    show();
    emit changed(choice_);
}

void TargetField::show() {
    const bool gpu = choice_.id != "cpu";
    button_->setVisible(gpu);  // the CPU uses the LibTorch that this program runs with
    button_->setToolTip(tr("LibTorch %1, cuDNN %2: the versions of the prediction")
                            .arg(libtorch_->currentText(), cudnn_->currentText()) +
                        '\n' +
                        (choice_.others > 0 ? tr("Other programs use %1").arg(othersText(choice_.others))
                                            : tr("Also: memory that other programs use")));
    device_->setToolTip(tr(
        "The device whose memory and time are predicted while you edit; this machine does not need to have "
        "it"));
}

QString TargetField::title() const {
    return device_->itemText(device_->currentIndex());
}

QString TargetField::name() const {
    return choice().id == "cpu" ? tr("this CPU") : title();
}

}  // namespace highwater::desktop

#include "moc_target_field.cpp"
