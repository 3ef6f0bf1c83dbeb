#pragma once

#include <QObject>

#include "widgets/stack/document.h"

class QSplitter;

namespace highwater::widgets {
class ControlBar;
class Pages;
class RunRefusal;
class SettingsPanel;
class StackEditor;
}  // namespace highwater::widgets

namespace highwater::desktop {

class PredictionPage;

/// The left column: the stack and the settings as two pages in one place, and the line that says why the
/// experiment cannot be run, with a link to the cause.
class SettingsPage : public QObject {
    Q_OBJECT
public:
    /// `stackPage` holds the editor, with the options below it. The column takes ownership of it.
    SettingsPage(widgets::ExperimentDocument& document, widgets::StackEditor& editor, QWidget* stackPage,
                 QObject* parent = nullptr);
    /// Sets what the availability of settings depends on. Both must outlive the page.
    void follow(widgets::ControlBar& controls, PredictionPage& predictions);

    QWidget* column() const;
    widgets::RunRefusal* refusal() const { return refusal_; }
    widgets::SettingsPanel& panel() { return *panel_; }

    bool showsSettings() const;
    /// Shows the settings with the cursor in their search field, or the stack if `on` is false.
    void showSettings(bool on);
    /// Shows the stack with that layer (counted from 0) selected. Does nothing if there is no such layer.
    void showLayer(int layer);
    /// Restores the page and the folded sections of the last launch; keepState() stores them.
    void restoreState();
    void keepState() const;

private:
    void showDevices();
    widgets::ExperimentDocument& document_;
    widgets::StackEditor& editor_;
    widgets::Pages* pages_;
    widgets::SettingsPanel* panel_;
    widgets::RunRefusal* refusal_;
    widgets::ControlBar* controls_ = nullptr;
};

}  // namespace highwater::desktop
