#include "widgets/theme/theme.h"

#include <QApplication>
#include <QFont>
#include <QFontDatabase>
#include <QPalette>
#include <QStyleHints>

#include "widgets/theme/flat_style.h"

namespace highwater::widgets {

namespace {

Theme darkTheme() {
    Theme t;
    t.dark = true;
    t.window = "#1e2127";
    t.panel = "#1a1d23";
    t.header = "#252932";
    t.border = "#343a46";
    t.field = "#252932";
    t.selection = "#26384d";
    t.text = "#e4e7ec";
    t.mutedText = "#9aa3b2";
    t.accent = "#4ea1ff";
    t.accentText = "#0b1420";
    t.good = "#3fb96f";
    t.warning = "#f0b429";
    t.bad = "#ff6b6b";
    t.category = {QColor("#9aa3b2"), QColor("#8fb573"), QColor("#56b6a6"), QColor("#c678dd"),
                  QColor("#5b8def"), QColor("#e0a458"), QColor("#e6c95c")};
    t.device = {QColor("#e9a9ba"), QColor("#cf7390"), QColor("#965670"), QColor("#6b8ba0"),
                QColor("#4c6272")};
    t.phase = {QColor("#9aa3b2"), QColor("#5b8def"), QColor("#e0a458"), QColor("#c678dd"), QColor("#56b6a6")};
    t.box = "#f0b429";
    return t;
}

Theme lightTheme() {
    Theme t;
    t.dark = false;
    t.window = "#ffffff";
    t.panel = "#fbfcfe";
    t.header = "#f5f6f9";
    t.border = "#d5dae3";
    t.field = "#f5f6f9";
    t.selection = "#d9e7fa";
    t.text = "#1b1f27";
    t.mutedText = "#5d6675";
    t.accent = "#1769d6";
    t.accentText = "#ffffff";
    t.good = "#1c8446";
    t.warning = "#a86a00";
    t.bad = "#cc2f2f";
    t.category = {QColor("#7c8496"), QColor("#6a9549"), QColor("#2f9285"), QColor("#a653c5"),
                  QColor("#3f74df"), QColor("#c98826"), QColor("#dcb42f")};
    t.device = {QColor("#e39aae"), QColor("#c4627f"), QColor("#8b4a63"), QColor("#5a7688"),
                QColor("#9db0bc")};
    t.phase = {QColor("#7c8496"), QColor("#3f74df"), QColor("#c98826"), QColor("#a653c5"), QColor("#2f9285")};
    t.box = "#f0b429";
    return t;
}

Theme current = darkTheme();
ThemeMode currentMode = ThemeMode::System;

bool systemIsDark() {
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
    return QGuiApplication::styleHints()->colorScheme() == Qt::ColorScheme::Dark;
#else
    // Read before our first palette is set: afterwards the application no longer knows the system's palette.
    static const bool dark = QGuiApplication::palette().color(QPalette::Window).lightness() < 128;
    return dark;
#endif
}

QPalette paletteOf(const Theme& t) {
    QPalette p;
    p.setColor(QPalette::Window, t.window);
    p.setColor(QPalette::WindowText, t.text);
    p.setColor(QPalette::Base, t.window);
    p.setColor(QPalette::AlternateBase, t.panel);
    p.setColor(QPalette::Text, t.text);
    p.setColor(QPalette::PlaceholderText, t.mutedText);
    p.setColor(QPalette::Button, t.field);
    p.setColor(QPalette::ButtonText, t.text);
    p.setColor(QPalette::BrightText, t.bad);
    p.setColor(QPalette::ToolTipBase, t.header);
    p.setColor(QPalette::ToolTipText, t.text);
    p.setColor(QPalette::Highlight, t.selection);
    p.setColor(QPalette::HighlightedText, t.text);
    p.setColor(QPalette::Link, t.accent);
    p.setColor(QPalette::LinkVisited, t.accent);
    p.setColor(QPalette::Light, t.header.lighter(120));
    p.setColor(QPalette::Midlight, t.header);
    p.setColor(QPalette::Mid, t.border);
    p.setColor(QPalette::Dark, t.border.darker(115));
    p.setColor(QPalette::Shadow, t.dark ? QColor("#0b0c0f") : t.border.darker(140));
    QColor faint = t.mutedText;
    faint.setAlphaF(0.6);
    for (const auto role :
         {QPalette::WindowText, QPalette::Text, QPalette::PlaceholderText, QPalette::ButtonText}) {
        p.setColor(QPalette::Disabled, role, faint);
    }
    return p;
}

QFont interfaceFont() {
    const bool inter = QFontDatabase::families().contains("Inter");
    QFont font = inter ? QFont("Inter") : QFontDatabase::systemFont(QFontDatabase::GeneralFont);
    font.setPointSizeF(10);
    return font;
}

}  // namespace

const Theme& theme() {
    return current;
}

ThemeMode themeMode() {
    return currentMode;
}

void applyTheme(QApplication& app, ThemeMode mode) {
    const bool dark = mode == ThemeMode::Dark || (mode == ThemeMode::System && systemIsDark());
    currentMode = mode;
    current = dark ? darkTheme() : lightTheme();
    static const bool styled = (QApplication::setStyle(new FlatStyle), true);
    Q_UNUSED(styled);
    app.setFont(interfaceFont());
    app.setPalette(paletteOf(current));
    app.setStyleSheet(styleSheet(current));
    emit ThemeNotifier::instance().changed();
}

ThemeNotifier& ThemeNotifier::instance() {
    static ThemeNotifier notifier;
    return notifier;
}

}  // namespace highwater::widgets

#include "moc_theme.cpp"
