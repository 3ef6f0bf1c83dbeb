#pragma once

#include <QDialog>
#include <atomic>
#include <memory>

#include "core/base/result.h"
#include "core/hosts/check.h"
#include "core/hosts/hosts.h"
#include "widgets/jobs/background.h"

class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;

namespace highwater::desktop {

/// The hosts that run an engine: adds, removes and checks them, and builds the engine there. A check can be
/// stopped; a build that has started continues on the host, and the next check follows it.
class HostsDialog : public QDialog {
    Q_OBJECT
public:
    explicit HostsDialog(QWidget* parent = nullptr);
    ~HostsDialog() override;

    QString message() const;
    bool checking() const { return stop_ != nullptr; }

signals:
    void hostsChanged();

private:
    using Answer = base::Result<hosts::HostFacts>;
    void fill(const std::string& chosen);
    void add();
    void remove();
    void check();
    void finish(const hosts::Host& host, const Answer& answer, const QString& problem);
    void showState();
    using Rows = std::vector<std::pair<std::string, std::string>>;
    void say(const QString& text, const Rows& rows = {});
    QString said_;
    std::vector<hosts::Host> hosts_;
    QListWidget* list_;
    QLineEdit *name_, *address_, *python_;
    QPushButton *add_, *remove_, *check_;
    QLabel* message_;
    std::shared_ptr<std::atomic<bool>> stop_;  ///< of the check in progress
    widgets::Background worker_;
};

}  // namespace highwater::desktop
