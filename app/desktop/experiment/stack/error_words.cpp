#include "app/desktop/experiment/stack/error_words.h"

#include <QObject>
#include <QRegularExpression>

namespace highwater::desktop {

namespace {

/// A setting as files name it: "/step/precision", at the start or after a space.
const QRegularExpression& pointer() {
    static const QRegularExpression e(
        "(?:^|(?<= ))(/(?:step|input|target|loss|optimizer|windows|data|backend)"
        "(?:/[a-z_0-9]++)*+)(?![/\\w-]|\\.\\w)");
    return e;
}

}  // namespace

QString settingNamedBy(const QString& error) {
    static const QRegularExpression words("^(input|step|optimizer|windows|data|backend): ([a-z_0-9]+)");
    static const QRegularExpression whole("^(loss|target|windows|windowed)\\b");
    if (const auto match = pointer().match(error); match.hasMatch() && match.capturedStart() == 0) {
        return match.captured(1);
    }
    if (const auto match = words.match(error); match.hasMatch()) {
        return '/' + match.captured(1) + '/' + match.captured(2);
    }
    if (const auto match = whole.match(error); match.hasMatch()) {
        return match.captured(1).startsWith("window") ? "/windows" : '/' + match.captured(1);
    }
    return {};
}

int layerNamedBy(const QString& error) {
    static const QRegularExpression layer("^layer (\\d+)\\b");
    const auto match = layer.match(error);
    return match.hasMatch() ? match.captured(1).toInt() - 1 : -1;
}

QString plainError(const QString& error) {
    static const QRegularExpression command("`highwater-cli ([^`]*)`"), quoted("(layer \\d+) `([^`]*)`");
    QString text = error;
    text.replace(quoted, "\\1, \\2");
    for (auto match = command.match(text); match.hasMatch(); match = command.match(text)) {
        text.replace(match.capturedStart(), match.capturedLength(),
                     match.captured(1).startsWith("devices") ? QObject::tr("Run > Calibrate this machine")
                                                             : match.captured(1));
    }
    for (auto match = pointer().match(text); match.hasMatch(); match = pointer().match(text)) {
        text.replace(match.capturedStart(), match.capturedLength(), match.captured(1).section('/', -1));
    }
    return text.remove('`');
}

QString plainError(const base::Error& error) {
    return plainError(QString::fromStdString(error.message));
}

}  // namespace highwater::desktop
