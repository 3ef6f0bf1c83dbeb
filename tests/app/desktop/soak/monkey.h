#pragma once

#include <QObject>
#include <QPointer>
#include <QTimer>
#include <QUrl>
#include <filesystem>
#include <functional>
#include <random>
#include <string>

class QFileDialog;
class QWidget;

namespace highwater::desktop {
class MainWindow;
}

namespace highwater::test {

/// Uses a window like a restless person: menus, buttons, fields, keys, the mouse, scans, runs. Its actions
/// depend only on the seed (and on what the window offers at that moment). Modal dialogs are answered by a
/// timer, files are chosen among those in `files`, and nothing outside that folder is written.
class Monkey : public QObject {
    Q_OBJECT
public:
    Monkey(desktop::MainWindow& window, std::filesystem::path files, unsigned seed);
    ~Monkey() override;

    /// Opens the phantom, selects every entry of the menus and every device once, opens every list and writes
    /// a report of every kind, so that everything that is created on first use exists.
    void openEverything();
    /// Performs one action and lets the window work for a moment. Returns the action: "menu Edit > Undo".
    std::string act();
    /// Ends all activity, closes all other windows, shows the same small experiment and scan on the same
    /// pages, and empties the cache of Qt's style sheet, which grows with every new state of a widget that is
    /// drawn. Returns false if something does not end within a minute: stuck() says what.
    bool rest();
    const std::string& stuck() const { return stuck_; }

public slots:
    void leaveOut(const QUrl&) {}  ///< links do not open other programs

private:
    int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
    void openLists();
    std::string chooseMenu();
    std::string press();
    std::string changeField();
    std::string useMouse();
    std::string useKeys();
    std::string openScan();
    std::string edit();
    std::string run();
    std::string report();
    std::string report(const char* name);
    std::string closeWindow();
    std::string resize();
    void watchModels();
    void waitForDialog();
    void answer();
    void answer(QFileDialog& dialog);
    QWidget* anyWindow();
    QString file(const char* name) const;
    bool await(const std::string& what, const std::function<bool()>& met);

    desktop::MainWindow& window_;
    std::filesystem::path files_;
    std::mt19937 random_;  // the same numbers on every platform
    bool dragging_ = false;
    std::string stuck_;
};

}  // namespace highwater::test
