// Pictures of hosts and of runs on them: hosts_pictures FOLDER [SIZE...]. Some are for the documentation
// (docs/make-pictures), the others for visual inspection. The host is a separate sshd on this machine, with a
// GPU that only its nvidia-smi reports. Built only by name; needs a display (xvfb-run).
#include <QAbstractItemView>
#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QMessageBox>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTimer>
#include <fstream>
#include <iostream>

#include "app/desktop/experiment/bar/control_bar.h"
#include "app/desktop/prediction/device_page.h"
#include "app/desktop/run/hosts_dialog.h"
#include "app/desktop/run/runs_table.h"
#include "app/desktop/shell/main_window.h"
#include "core/hosts/hosts.h"
#include "tests/e2e/program.h"
#include "tests/e2e/ssh_server.h"
#include "tests/widgets/wait_until.h"
#include "widgets/plot/live_plots.h"
#include "widgets/theme/theme.h"

namespace {

namespace fs = std::filesystem;
using namespace highwater;
using namespace highwater::desktop;
using test::waitUntil;

/// "lab", with two GPUs as reported by its nvidia-smi.
class Lab {
public:
    explicit Lab(const fs::path& folder) : folder_(folder) {
        fs::create_directories(folder_ / "bin");
        std::ofstream(folder_ / "bin" / "nvidia-smi")
            << "#!/bin/sh\necho 'NVIDIA H100 80GB HBM3, 550.54.15, 81559 MiB'\n"
               "echo 'NVIDIA GeForce RTX 4090, 550.54.15, 24564 MiB'\n";
        fs::permissions(folder_ / "bin" / "nvidia-smi", fs::perms::owner_all);
        server_.emplace(folder_ / "ssh", std::map<std::string, std::string>{
                                             {"HOME", folder_.string()},
                                             {"XDG_CACHE_HOME", (folder_ / "cache").string()},
                                             {"XDG_DATA_HOME", (folder_ / "data").string()},
                                             {"PATH", (folder_ / "bin").string() + ":/usr/bin:/bin"},
                                             {"OMP_WAIT_POLICY", "PASSIVE"}});
        const std::string config = e2e::textOf(server_->clientConfig());
        std::ofstream(server_->clientConfig()) << "Host lab.example.org" << config.substr(config.find('\n'));
        qputenv("HIGHWATER_SSH_CONFIG", QByteArray::fromStdString(server_->clientConfig().string()));
        e2e::prepareIn(folder_ / "cache");
    }
    ~Lab() {
        for (const auto& run : fs::directory_iterator(runs())) {
            std::ofstream(run.path() / "stop") << "kill";
        }
        waitUntil([&] { return e2e::programsWith(folder_.string()).empty(); }, 10'000);
    }
    e2e::SshServer& server() { return *server_; }

private:
    fs::path runs() const {
        fs::create_directories(folder_ / "data" / "highwater-host" / "runs");
        return folder_ / "data" / "highwater-host" / "runs";
    }
    fs::path folder_;
    std::optional<e2e::SshServer> server_;
};

class Pictures {
public:
    Pictures(QString folder, QSize size) : folder_(std::move(folder)), size_(size) {}

    void make(const QString& theme, Lab& lab, desktop::Options options) {
        theme_ = theme;
        options.theme = theme;
        options.size = size_;
        desktop::MainWindow window(options);
        window.show();
        window.open(options);
        waitUntil([&] { return !window.loading() && window.settled(); });
        dialog(window, lab);
        choice(window);
        run(window, lab);
    }

private:
    void save(QWidget* widget, const QString& name) const {
        waitUntil([] { return false; }, 400);
        const QString size = size_.width() == 1600 ? QString() : QString("-%1").arg(size_.width());
        widget->grab().save(folder_ + '/' + name + '-' + theme_ + size + ".png");
        std::cerr << (name + '-' + theme_ + size).toStdString() << '\n';
    }
    /// Empty, with hosts, and after a check that reached all of them and one that reached none.
    void dialog(desktop::MainWindow& window, Lab& lab) const {
        fs::remove(hosts::hostsFile());
        {
            desktop::HostsDialog empty(&window);
            empty.show();
            save(&empty, "hosts-none");
        }
        (void)hosts::addHost(hosts::hostsFile(), {"lab", "lab.example.org", ""}).ok();
        (void)hosts::addHost(hosts::hostsFile(),
                             {"cluster", "anna@login.example.org", "/opt/venv/bin/python"})
            .ok();
        desktop::HostsDialog page(&window);
        QObject::connect(&page, &desktop::HostsDialog::hostsChanged, [&] { window.devices().look(); });
        page.show();
        const auto check = [&] {
            for (QPushButton* button : page.findChildren<QPushButton*>()) {
                if (button->text() == "Check and prepare") {
                    button->click();
                }
            }
            waitUntil([&] { return !page.checking(); }, 60'000);
        };
        check();
        save(&page, "hosts");
        lab.server().stop();
        check();
        save(&page, "hosts-unreachable");
        lab.server().start();
    }
    void choice(desktop::MainWindow& window) const {
        auto* device = window.findChild<QComboBox*>("Run on");
        waitUntil([&] { return device->findText("lab: H100 80GB HBM3") >= 0; }, 10'000);
        device->showPopup();
        save(device->view()->window(), "run-on-hosts");
        device->hidePopup();
        device->setCurrentIndex(device->findText("lab: H100 80GB HBM3"));
        waitUntil([&] { return window.settled(); }, 10'000);
        save(&window, "host-gpu");
    }
    /// A completed run; another in progress, when its host is gone, and the question whether to give it up.
    void run(desktop::MainWindow& window, Lab& lab) const {
        auto* controls = window.findChild<ControlBar*>();
        const auto start = [&](int steps) {
            auto* device = window.findChild<QComboBox*>("Run on");
            device->setCurrentIndex(device->findText("lab: CPU"));
            RunOptions options = controls->runOptions();
            options.steps = steps;
            controls->setRunOptions(options);
            std::cerr << window.startRun().toStdString();
        };
        start(8);
        waitUntil([&] { return !window.running(); }, 60'000);
        start(60);
        auto* plots = window.findChild<widgets::LivePlots*>();
        waitUntil([&] { return plots->stepCount() < 3; },
                  60'000);  // the previous run is shown until it starts
        waitUntil([&] { return plots->stepCount() > 14; }, 60'000);
        save(&window, "host-run");
        lab.server().stop();
        waitUntil([&] { return window.notices().text().contains("goes on there"); }, 30'000);
        save(&window, "host-gone");
        auto* table = window.findChild<RunsTable*>();
        QTimer::singleShot(500, [&] {
            if (auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget())) {
                save(box, "host-give-up");
                for (QAbstractButton* button : box->buttons()) {
                    if (box->buttonRole(button) == QMessageBox::DestructiveRole) {
                        button->click();
                        return;
                    }
                }
            }
        });
        emit table->giveUpRequested(QString::fromStdString(window.store().rows().back().id));
        waitUntil([&] { return !window.running(); }, 30'000);
        save(&window, "host-given-up");
        lab.server().start();
    }
    QString folder_, theme_;
    QSize size_;
};

}  // namespace

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    QApplication::setApplicationName("highwater-pictures");
    QTemporaryDir work(QDir::tempPath() + "/lab-XXXXXX");
    qputenv("XDG_CONFIG_HOME", (work.path() + "/config").toUtf8());
    const QString folder = argc > 1 ? argv[1] : ".";
    const bool small = argc > 2 && QString(argv[2]) == "1000x700";
    Lab lab(work.path().toStdString());
    if (!lab.server().problem().empty()) {
        std::cerr << lab.server().problem() << '\n';
        return 1;
    }
    desktop::Options options;
    options.quit = true;  // as if driven, so that the last session is not used
    for (const QString theme : {"dark", "light"}) {
        options.store = (work.path() + "/store-" + theme).toStdString();
        Pictures(folder, small ? QSize(1000, 700) : QSize(1600, 1000)).make(theme, lab, options);
    }
    return 0;
}
