#pragma once

#include <QDialog>

#include "app/desktop/shell/about.h"

namespace highwater::desktop {

/// A description of the program, its license, and the versions of everything it is built from and runs on,
/// which a button copies for a bug report.
class AboutDialog : public QDialog {
    Q_OBJECT
public:
    AboutDialog(std::vector<AboutPart> libraries, std::vector<AboutPart> machine, QWidget* parent = nullptr);

private:
    void copy();
    std::vector<AboutPart> libraries_, machine_;
};

}  // namespace highwater::desktop
