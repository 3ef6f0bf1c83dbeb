#pragma once

#include <QDialog>
#include <filesystem>
#include <vector>

#include "widgets/theme/theme.h"

class QVBoxLayout;

namespace highwater::desktop {

class TargetField;

/// A theme and its name in the settings and on the command line.
struct NamedTheme {
    QString title;  ///< "Match system"
    QString name;   ///< "system"
    widgets::ThemeMode mode;
};
std::vector<NamedTheme> namedThemes();
/// Shows the theme now and at the next start.
void chooseTheme(const NamedTheme& theme);

/// What the program keeps between its starts and a user chooses: the theme, the device to predict for, the
/// CUDA contexts known here, the Python of scripts. Changes apply at once; a wrong text says why below its
/// field and is not applied.
class PreferencesDialog : public QDialog {
    Q_OBJECT
public:
    /// `target` is the window's; it must outlive the dialog.
    PreferencesDialog(TargetField& target, const std::filesystem::path& store, QWidget* parent);

signals:
    /// A CUDA context is no longer kept.
    void contextForgotten();

private:
    void addTheme();
    void addTarget();
    void addContexts();
    void addPython();
    void addStore(const std::filesystem::path& store);
    void addTitle(const QString& title);
    TargetField& target_;
    QVBoxLayout* column_;
};

}  // namespace highwater::desktop
