#include "app/desktop/experiment/settings_page.h"

#include <QSettings>

#include "app/desktop/experiment/bar/control_bar.h"
#include "app/desktop/experiment/bar/run_refusal.h"
#include "app/desktop/experiment/settings/settings_panel.h"
#include "app/desktop/experiment/stack/stack_editor.h"
#include "widgets/theme/pages.h"
#include "widgets/theme/panel.h"

namespace highwater::desktop {

namespace {
constexpr int kStack = 0, kSettings = 1;
}

SettingsPage::SettingsPage(ExperimentDocument& document, StackEditor& editor, QWidget* stackPage,
                           QObject* parent)
    : QObject(parent),
      document_(document),
      editor_(editor),
      pages_(new widgets::Pages),
      panel_(new SettingsPanel(document)),
      refusal_(new RunRefusal(document)) {
    pages_->addPage(tr("Stack"), tr("The layers and the options of the selected one"), stackPage, &editor_);
    pages_->addPage(tr("Settings"),
                    tr("All other settings of the experiment: input, loss, optimizer, step, data, windows, "
                       "libraries (Ctrl+Shift+E). The number is how many differ from the default"),
                    panel_, panel_);
    const auto count = [this] {
        const int set = panel_->changedFields();
        pages_->setTitle(kSettings, set > 0 ? tr("Settings · %1 changed").arg(set) : tr("Settings"));
    };
    connect(panel_, &SettingsPanel::changedFieldsChanged, this, count);
    count();
    connect(refusal_, &RunRefusal::settingWanted, this, [this](const QString& pointer) {
        pages_->setCurrent(kSettings);
        panel_->showField(pointer);
    });
    connect(refusal_, &RunRefusal::layerWanted, this, &SettingsPage::showLayer);
}

void SettingsPage::follow(ControlBar& controls) {
    controls_ = &controls;
    connect(&controls, &ControlBar::deviceChanged, this, &SettingsPage::showDevices);
    connect(&controls.target(), &TargetField::changed, this, &SettingsPage::showDevices);
    showDevices();
}

void SettingsPage::setTrouble(const QString& trouble) {
    refusal_->setTrouble(trouble);
}

void SettingsPage::showDevices() {
    const bool runsOnGpu = controls_->runOptions().device != "cpu";
    panel_->setDevices(runsOnGpu, controls_->target().choice().id != "cpu");
    refusal_->setRunsOnGpu(runsOnGpu);
}

void SettingsPage::showLayer(int layer) {
    const auto& info = document_.info();
    if (!info || layer >= static_cast<int>(info->layers.size())) {
        return;
    }
    pages_->setCurrent(kStack);
    editor_.select({info->layers[static_cast<std::size_t>(layer)].path});
}

int SettingsPage::addPage(const QString& title, const QString& tip, widgets::Panel* page) {
    pages_->addPage(title, tip, page, page);
    pages_->setPageVisible(++added_, false);
    return added_;
}

void SettingsPage::showPage(int page, bool front) {
    pages_->setPageVisible(page, true);
    if (front) {
        pages_->setCurrent(page);
    }
}

void SettingsPage::hidePage(int page) {
    pages_->setPageVisible(page, false);
}

QWidget* SettingsPage::column() const {
    return pages_;
}

bool SettingsPage::showsSettings() const {
    return pages_->current() == kSettings;
}

void SettingsPage::showSettings(bool on) {
    pages_->setCurrent(on ? kSettings : kStack);
    if (on) {
        panel_->focusSearch();
    } else {
        editor_.setFocus();
    }
}

void SettingsPage::restoreState() {
    const QSettings settings;
    if (const QVariant open = settings.value("settings/open"); open.isValid()) {
        panel_->setOpenSections(open.toStringList());
    }
    pages_->setCurrent(settings.value("settings/shown").toBool() ? kSettings : kStack);
}

void SettingsPage::keepState() const {
    QSettings settings;
    settings.setValue("settings/open", panel_->openSections());
    settings.setValue("settings/shown", showsSettings());
}

}  // namespace highwater::desktop

#include "moc_settings_page.cpp"
