#include "app/desktop/shell/preferences_dialog.h"

#include <QApplication>
#include <QDesktopServices>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QUrl>
#include <QVBoxLayout>

#include "app/desktop/experiment/stack/error_words.h"
#include "app/desktop/experiment/target/targets.h"
#include "core/base/text.h"
#include "core/predict/tables/contexts.h"
#include "core/predict/tables/profile.h"
#include "core/script/launch.h"
#include "widgets/controls/checked_edit.h"
#include "widgets/controls/field_cell.h"
#include "widgets/controls/search_combo.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/screen_size.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

/// What a profile's GPU is called, or the id if there is no such profile.
QString profileName(const std::string& id) {
    const auto profile = predict::loadProfile(id);
    return profile ? shortDeviceName(profile->name) : widgets::fromUtf8(id);
}

QString contextText(const predict::KeptContext& kept) {
    const QString size = widgets::fromUtf8(base::formatBytes(kept.bytes.expected));
    return kept.given ? QObject::tr("%1, given by you").arg(size)
                      : QObject::tr("%1, measured here").arg(size);
}

QString whyNoSize(const QString& text) {
    const auto bytes = text.trimmed().isEmpty() ? base::Result<base::Bytes>(base::Bytes{0})
                                                : base::parseBytes(text.trimmed().toStdString());
    return bytes ? QString() : widgets::fromUtf8(bytes.error().message);
}

}  // namespace

std::vector<NamedTheme> namedThemes() {
    using widgets::ThemeMode;
    return {{QObject::tr("Light"), "light", ThemeMode::Light},
            {QObject::tr("Dark"), "dark", ThemeMode::Dark},
            {QObject::tr("Match system"), "system", ThemeMode::System}};
}

void chooseTheme(const NamedTheme& theme) {
    QSettings().setValue("view/theme", theme.name);
    widgets::applyTheme(*qApp, theme.mode);
}

PreferencesDialog::PreferencesDialog(TargetField& target, const std::filesystem::path& store, QWidget* parent)
    : QDialog(parent), target_(target) {
    setWindowTitle(tr("Preferences"));
    column_ = widgets::makeLayout<QVBoxLayout>(this, 8, {16, 14, 16, 14});
    addTheme();
    addTarget();
    addContexts();
    addPython();
    addStore(store);
    column_->addStretch(1);
    auto* foot = widgets::makeLayout<QHBoxLayout>(nullptr, 0);
    auto* close = new QPushButton(tr("Close"), this);
    close->setDefault(true);
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    foot->addStretch(1);
    foot->addWidget(close);
    column_->addLayout(foot);
    resize(widgets::onScreen(*this, {520, 520}));
}

void PreferencesDialog::addTitle(const QString& title) {
    auto* label = new QLabel(title, this);
    QFont bold = label->font();
    bold.setBold(true);
    label->setFont(bold);
    column_->addSpacing(4);
    column_->addWidget(label);
}

void PreferencesDialog::addTheme() {
    addTitle(tr("Appearance"));
    auto* theme = new QComboBox(this);
    for (const NamedTheme& each : namedThemes()) {
        theme->addItem(each.title);
        if (widgets::themeMode() == each.mode) {
            theme->setCurrentIndex(theme->count() - 1);
        }
    }
    theme->setObjectName("theme");
    connect(theme, &QComboBox::activated, this,
            [](int index) { chooseTheme(namedThemes()[static_cast<std::size_t>(index)]); });
    column_->addWidget(new widgets::FieldCell(tr("Theme"), tr("The colors of all windows"), theme, this));
}

void PreferencesDialog::addTarget() {
    addTitle(tr("Predictions"));
    auto* device = new widgets::SearchCombo(this);
    device->setObjectName("device");
    for (const TargetItem& item : target_.targets()) {
        device->addItem(item.title, item.id);
    }
    device->setCurrentIndex(device->findData(target_.choice().id));
    const auto change = [this](auto set) {
        TargetChoice choice = target_.choice();
        set(choice);
        target_.setChoice(choice);
        emit target_.changed(target_.choice());
    };
    connect(device, &QComboBox::currentIndexChanged, this, [device, change] {
        change([&](TargetChoice& choice) { choice.id = device->currentData().toString(); });
    });
    column_->addWidget(new widgets::FieldCell(
        tr("Predict for"), tr("The device whose memory and time are predicted when the program starts"),
        device, this));
    auto* others = new widgets::CheckedEdit(whyNoSize, this);
    others->setObjectName("others");
    others->setPlaceholderText(tr("nothing"));
    const base::Bytes held = target_.choice().others;
    others->setText(held > 0 ? widgets::fromUtf8(base::formatBytes(held)) : QString());
    connect(others, &widgets::CheckedEdit::edited, this, [change](const QString& text) {
        const auto bytes = base::parseBytes(text.trimmed().toStdString());
        change([&](TargetChoice& choice) { choice.others = bytes ? *bytes : 0; });
    });
    column_->addWidget(new widgets::FieldCell(
        tr("GPU memory that other programs hold"),
        tr("Such as 1.2 GiB: a desktop, a browser, other runs. nvidia-smi shows it"), others, this));
}

void PreferencesDialog::addContexts() {
    addTitle(tr("CUDA contexts known on this machine"));
    const auto kept = predict::keptContexts();
    auto* none = widgets::textLabel(this);
    none->setProperty("muted", true);
    none->setText(kept ? tr("None: the value in each GPU's profile is used. A run on a GPU measures it.")
                       : plainError(kept.error()));
    column_->addWidget(none);
    if (!kept || kept->empty()) {
        return;
    }
    none->hide();
    for (const auto& [id, context] : *kept) {
        auto* row = new QWidget(this);
        auto* line = widgets::makeLayout<QHBoxLayout>(row, 8);
        auto* name = new QLabel(tr("%1: %2").arg(profileName(id), contextText(context)), row);
        auto* forget = new QPushButton(tr("Clear"), row);
        forget->setObjectName("clear " + widgets::fromUtf8(id));
        forget->setAccessibleName(tr("Clear the CUDA context of %1").arg(profileName(id)));
        forget->setAutoDefault(false);
        line->addWidget(name, 1);
        line->addWidget(forget);
        column_->addWidget(row);
        connect(forget, &QPushButton::clicked, this, [this, row, none, name, profile = id] {
            if (const auto forgotten = predict::forgetContext(profile); !forgotten) {
                name->setText(plainError(forgotten.error()));
                return;
            }
            row->hide();
            const auto left = predict::keptContexts();
            none->setVisible(left && left->empty());
            emit contextForgotten();
        });
    }
}

void PreferencesDialog::addPython() {
    addTitle(tr("Scripts"));
    auto* python = new widgets::CheckedEdit(
        [](const QString& text) {
            const auto found = script::findPython(text.trimmed().toStdString(), {});
            return text.trimmed().isEmpty() || found ? QString() : widgets::fromUtf8(found.error().message);
        },
        this);
    python->setObjectName("python");
    python->setPlaceholderText(tr("the active environment, .venv beside the script, or python3"));
    python->setText(QSettings().value("script/python").toString());
    connect(python, &widgets::CheckedEdit::edited, this,
            [](const QString& text) { QSettings().setValue("script/python", text.trimmed()); });
    column_->addWidget(new widgets::FieldCell(
        tr("Python"),
        tr("An interpreter, or the folder of a virtual environment. Its PyTorch must be built with CUDA."),
        python, this));
}

void PreferencesDialog::addStore(const std::filesystem::path& store) {
    addTitle(tr("Runs"));
    auto* row = widgets::makeLayout<QHBoxLayout>(nullptr, 8);
    auto* folder = new QLineEdit(widgets::fromUtf8(store.string()), this);
    folder->setObjectName("store");
    folder->setReadOnly(true);
    folder->setAccessibleName(tr("The folder of runs"));
    folder->setToolTip(tr("The folder of runs; --store DIR chooses another when the program starts"));
    auto* open = new QPushButton(tr("Open"), this);
    open->setAutoDefault(false);
    connect(open, &QPushButton::clicked, this,
            [store] { QDesktopServices::openUrl(QUrl::fromLocalFile(widgets::fromUtf8(store.string()))); });
    row->addWidget(folder, 1);
    row->addWidget(open);
    column_->addLayout(row);
}

}  // namespace highwater::desktop

#include "moc_preferences_dialog.cpp"
