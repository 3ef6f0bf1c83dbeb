#include "widgets/theme/flat_style.h"

#include <QPair>
#include <array>

namespace highwater::widgets {

namespace {

constexpr const char* kSheet = R"(
QToolTip { background: @header; color: @text; border: 1px solid @border; padding: 5px 7px; }
QLabel[muted="true"], QLabel[note="true"] { color: @muted; font-size: 8.5pt; }
QLabel[bad="true"] { color: @bad; }

QPushButton { background: @field; color: @text; border: 1px solid @border; border-radius: 4px;
              padding: 5px 14px; }
QPushButton:hover { border-color: @accent; }
QPushButton:pressed { background: @selection; }
QPushButton:focus { border-color: @accent; }
QPushButton:disabled { color: @faint; border-color: @border; }
QPushButton[primary="true"] { background: @accent; color: @accentText; border-color: @accent;
                              font-weight: 600; }
QPushButton[primary="true"]:hover { background: @accentHover; border-color: @accentHover; }
QPushButton[primary="true"]:focus { border-color: @text; }
QPushButton[primary="true"]:disabled { background: @header; color: @faint; border-color: @border; }

QToolButton { background: transparent; color: @text; border: 1px solid transparent; border-radius: 4px;
              padding: 3px 5px; }
QToolButton:hover { background: @header; border-color: @border; }
QToolButton:checked { background: @selection; }
QToolButton:focus { border-color: @accent; }
QToolButton[link="true"] { color: @accent; padding: 3px 4px; }
QToolButton[link="true"]:hover { background: transparent; border-color: transparent;
                                 text-decoration: underline; }
QToolButton[link="true"]:focus { border-color: @accent; }
QToolButton[link="true"]:disabled { color: @faint; }
QToolButton[reset="true"] { color: @accent; padding: 0 3px; font-size: 8.5pt; border: none; }
QToolButton[reset="true"]:hover { background: transparent; text-decoration: underline; }
QToolButton[reset="true"]:focus { background: @selection; }
QToolButton[slim="true"] { padding: 2px 3px; color: @muted; }
QToolButton[slim="true"]:hover { color: @text; }
QToolButton[slim="true"]:disabled { color: @border; }
QToolButton[fold="true"] { font-weight: 600; padding: 4px 4px; text-align: left; }
QToolButton[fold="true"]:hover { background: transparent; border-color: transparent; color: @accent; }
QToolButton::menu-indicator { image: none; width: 0; }

QMenuBar { background: @window; color: @muted; border: none; padding: 2px; }
QMenuBar::item { background: transparent; padding: 4px 9px; border-radius: 4px; }
QMenuBar::item:selected { background: @header; color: @text; }
QMenu { background: @header; color: @text; border: 1px solid @border; padding: 4px; }
QMenu::item { padding: 5px 26px 5px 22px; border-radius: 3px; }
QMenu::item:selected { background: @selection; }
QMenu::item:disabled { color: @faint; }
QMenu::separator { height: 1px; background: @border; margin: 4px 6px; }
QMenu::icon { left: 5px; }

QAbstractItemView { border: none; outline: none; }
QListView[boxed="true"] { background: @field; border: 1px solid @border; border-radius: 4px; padding: 3px; }
QListView[boxed="true"]::item { padding: 4px 5px; border-radius: 3px; }
QListView[boxed="true"]::item:selected { background: @selection; color: @text; }
QComboBox QAbstractItemView, QListView[popup="true"] { background: @header; border: 1px solid @border; padding: 3px; }
QListView[popup="true"]::item { padding: 3px 4px; }
QHeaderView { background: @window; border: none; }
QHeaderView::section { background: @window; color: @muted; border: none; border-bottom: 1px solid @border;
                       padding: 4px 8px; }
QTableCornerButton::section { background: @window; border: none; }

QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: @border; border-radius: 3px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::handle:hover { background: @muted; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QSplitter::handle { background: @border; }
QSplitter::handle:horizontal { width: 1px; }
QSplitter::handle:vertical { height: 1px; }
QSplitter::handle:hover { background: @accent; }

QTabBar::tab { background: transparent; color: @muted; padding: 6px 12px; border: none;
               border-bottom: 2px solid transparent; }
QTabBar::tab:selected { color: @text; border-bottom-color: @accent; }
QTabBar::tab:hover { color: @text; }
QTabBar::tab:focus { background: @selection; border-top-left-radius: 4px; border-top-right-radius: 4px; }
QTabBar[strip="true"]::tab { padding: 6px 8px 5px 8px; }
QTabBar[strip="true"]::tab:selected { font-weight: 600; }
QTabWidget::pane { border: none; }

QStatusBar { background: @window; color: @muted; border-top: 1px solid @border; }
QStatusBar::item { border: none; }
QProgressBar { background: @field; border: 1px solid @border; border-radius: 3px; text-align: center; }
QProgressBar::chunk { background: @accent; border-radius: 2px; }
)";

}  // namespace

QString styleSheet(const Theme& t) {
    const QColor hover = t.dark ? t.accent.lighter(112) : t.accent.darker(112);
    QColor faint = t.mutedText;
    faint.setAlphaF(0.6);
    // Longer names first: "@accent" is the beginning of "@accentText".
    const std::array<QPair<const char*, QColor>, 13> colours = {{{"@accentHover", hover},
                                                                 {"@accentText", t.accentText},
                                                                 {"@accent", t.accent},
                                                                 {"@window", t.window},
                                                                 {"@panel", t.panel},
                                                                 {"@header", t.header},
                                                                 {"@border", t.border},
                                                                 {"@field", t.field},
                                                                 {"@selection", t.selection},
                                                                 {"@text", t.text},
                                                                 {"@muted", t.mutedText},
                                                                 {"@faint", faint},
                                                                 {"@bad", t.bad}}};
    QString sheet = kSheet;
    for (const auto& [name, colour] : colours) {
        const QString value = QString("rgba(%1,%2,%3,%4)")
                                  .arg(colour.red())
                                  .arg(colour.green())
                                  .arg(colour.blue())
                                  .arg(colour.alpha());
        sheet.replace(QLatin1String(name), value);
    }
    return sheet;
}

}  // namespace highwater::widgets
