#include "widgets/stack/error_words.h"

#include <QRegularExpression>

namespace highwater::widgets {

namespace {

const QRegularExpression& pointer() {
    static const QRegularExpression e("^(/[a-z_0-9]+(?:/[a-z_0-9]+)*)");
    return e;
}

}  // namespace

QString settingNamedBy(const QString& error) {
    static const QRegularExpression words("^(input|step|optimizer|windows|data|backend): ([a-z_0-9]+)");
    static const QRegularExpression whole("^(loss|target|windows|windowed)\\b");
    if (const auto match = pointer().match(error); match.hasMatch()) {
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
    const auto match = pointer().match(error);
    if (!match.hasMatch()) {
        return error;
    }
    return match.captured(1).section('/', -1) + error.mid(match.capturedLength());
}

}  // namespace highwater::widgets
