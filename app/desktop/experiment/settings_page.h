#pragma once

#include <QObject>

#include "app/desktop/experiment/stack/document.h"

class QSplitter;

namespace highwater::widgets {
class Pages;
class Panel;
}  // namespace highwater::widgets
namespace highwater::desktop {

class ControlBar;
class RunRefusal;
class SettingsPanel;
class StackEditor;

/// The left column: the stack and the settings as two tabbed pages, and the line that says why the experiment
/// cannot be run, with a link to the cause.
class SettingsPage : public QObject {
    Q_OBJECT
public:
    /// `stackPage` holds the editor, with the options below it. The column takes ownership of it.
    SettingsPage(ExperimentDocument& document, StackEditor& editor, QWidget* stackPage,
                 QObject* parent = nullptr);
    /// Sets what the availability of settings depends on. It must outlive the page.
    void follow(ControlBar& controls);
    /// Shows why the experiment cannot be predicted; empty if it can.
    void setTrouble(const QString& trouble);

    /// Adds a page that is hidden until it is shown. Returns its number for showPage() and hidePage().
    int addPage(const QString& title, const QString& tip, widgets::Panel* page);
    /// Shows its tab, and with `front` the page.
    void showPage(int page, bool front);
    void hidePage(int page);

    QWidget* column() const;
    RunRefusal* refusal() const { return refusal_; }
    SettingsPanel& panel() { return *panel_; }

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
    ExperimentDocument& document_;
    StackEditor& editor_;
    widgets::Pages* pages_;
    int added_ = 1;  ///< the number of the last page; 0 and 1 are the stack and the settings
    SettingsPanel* panel_;
    RunRefusal* refusal_;
    ControlBar* controls_ = nullptr;
};

}  // namespace highwater::desktop
