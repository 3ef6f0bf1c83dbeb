#pragma once

#include <QDialog>

#include "app/desktop/shell/about.h"

namespace highwater::desktop {

/// What this is, its license, and the versions of all that it is made of and runs on, which a button copies
/// for a report of a bug.
class AboutDialog : public QDialog {
    Q_OBJECT
public:
    AboutDialog(std::vector<AboutPart> libraries, std::vector<AboutPart> machine, QWidget* parent = nullptr);

private:
    void copy();
    std::vector<AboutPart> libraries_, machine_;
};

}  // namespace highwater::desktop
