#pragma once

class QMenu;

namespace highwater::report {
struct Format;
}

namespace highwater::desktop {

class MainWindow;

/// Fills the window's menu bar. Every action can be reached by the keyboard.
class MainMenu {
public:
    explicit MainMenu(MainWindow& window) : window_(window) {}
    void build();

private:
    void file();
    void edit();
    void stack();
    void run();
    void study();
    void view();
    void patchModes(QMenu* menu);
    void help();
    static void exportPytorch(MainWindow& window);
    static void chooseReport(MainWindow& window, const report::Format& format);
    QMenu* menu(const QString& title);
    MainWindow& window_;
};

}  // namespace highwater::desktop
