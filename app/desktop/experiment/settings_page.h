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

/// The left column: the stack and the settings as pages of one place, and the line that says why the
/// experiment cannot be run and leads to what is wrong.
class SettingsPage : public QObject {
    Q_OBJECT
public:
    /// `stackPage` holds the editor (and the options beneath it); the column takes it over.
    SettingsPage(widgets::ExperimentDocument& document, widgets::StackEditor& editor, QWidget* stackPage,
                 QObject* parent = nullptr);
    /// What the settings go by; both must outlive the page.
    void follow(widgets::ControlBar& controls, PredictionPage& predictions);

    QWidget* column() const;
    widgets::RunRefusal* refusal() const { return refusal_; }
    widgets::SettingsPanel& panel() { return *panel_; }

    bool showsSettings() const;
    /// Shows the settings, with the cursor in their search, or the stack.
    void showSettings(bool on);
    /// Shows the stack with that layer chosen, counted from 0; nothing where there is none.
    void showLayer(int layer);
    /// The page and what is folded, between launches.
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
