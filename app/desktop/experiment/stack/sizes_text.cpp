#include "app/desktop/experiment/stack/sizes_text.h"

#include <QLocale>
#include <QObject>
#include <QRegularExpression>
#include <QStringList>
#include <algorithm>
#include <cmath>

namespace highwater::desktop {

namespace {

base::Error error(const QString& message) {
    return {message.toStdString()};
}

/// "3³" to "3 3 3".
QString withoutPowers(QString text) {
    static const QRegularExpression power("^\\s*(\\S+?)([²³])\\s*$");
    const auto match = power.match(text);
    if (!match.hasMatch()) {
        return text;
    }
    const int count = match.captured(2) == "²" ? 2 : 3;
    return QStringList(count, match.captured(1)).join(' ');
}

QStringList words(const QString& text) {
    static const QRegularExpression between("[\\s,;xX×*]+");
    return withoutPowers(text).split(between, Qt::SkipEmptyParts);
}

QString rangeText(double low, double high) {
    const auto plain = [](double value) {  // bounds such as 100000 are harder to read as 1e+05
        const bool whole = value == std::floor(value) && std::fabs(value) < 1e15;
        return whole ? QString::number(value, 'f', 0) : numberText(value);
    };
    return QObject::tr("from %1 to %2").arg(plain(low), plain(high));
}

}  // namespace

base::Result<stack::Sizes> parseSizes(const QString& text, const SizeRule& rule) {
    const QStringList parts = words(text);
    if (parts.isEmpty()) {
        if (rule.mayBeEmpty) {
            return stack::Sizes{};
        }
        return error(rule.most == 1 ? QObject::tr("write a number")
                                    : QObject::tr("write a number, or one per axis"));
    }
    if (static_cast<std::size_t>(parts.size()) > rule.most) {
        return error(QObject::tr("at most %1 numbers (depth, height, width), not %2")
                         .arg(rule.most)
                         .arg(parts.size()));
    }
    stack::Sizes sizes;
    for (const QString& part : parts) {
        bool ok = false;
        const qlonglong value = QLocale::c().toLongLong(part, &ok);
        if (!ok) {
            return error(
                QObject::tr("“%1” is not a whole number; write e.g. 3 or 3 × 3 × 1").arg(part.left(20)));
        }
        if (value < rule.low || value > rule.high) {
            return error(QObject::tr("%1 is not %2")
                             .arg(value)
                             .arg(rangeText(static_cast<double>(rule.low), static_cast<double>(rule.high))));
        }
        sizes.push_back(value);
    }
    return sizes;
}

QString sizesText(const stack::Sizes& sizes) {
    QStringList parts;
    for (const std::int64_t size : sizes) {
        parts << QString::number(size);
    }
    return parts.join(QStringLiteral(" × "));
}

stack::Sizes expandSizes(stack::Sizes sizes, std::size_t count) {
    if (sizes.size() == 1) {
        sizes.assign(count, sizes.front());
    }
    return sizes;
}

QStringList wordList(std::span<const std::string_view> words) {
    QStringList list;
    for (const std::string_view word : words) {
        list << QString::fromUtf8(word.data(), static_cast<qsizetype>(word.size()));
    }
    return list;
}

QString sizesWords(const stack::Sizes& sizes, int dims) {
    return QString::fromStdString(stack::powerText(sizes, dims));
}

base::Result<double> parseNumber(const QString& text, double low, double high) {
    bool ok = false;
    const double value = QLocale::c().toDouble(text.trimmed(), &ok);
    if (!ok) {
        return error(
            text.trimmed().isEmpty()
                ? QObject::tr("write a number")
                : QObject::tr("“%1” is not a number; write e.g. 0.01 or 1e-5").arg(text.trimmed().left(20)));
    }
    if (!(value >= low && value <= high)) {
        return error(QObject::tr("%1 is not %2").arg(numberText(value), rangeText(low, high)));
    }
    return value;
}

QString numberText(double value) {
    return QLocale::c().toString(value, 'g', QLocale::FloatingPointShortest).remove(',');
}

base::Result<std::vector<double>> parseNumbers(const QString& text, double low, double high) {
    const QStringList parts = words(text);
    if (parts.isEmpty() || parts.size() > 3) {
        return error(QObject::tr("write a number, or one per axis"));
    }
    std::vector<double> values;
    for (const QString& part : parts) {
        const auto value = HIGHWATER_TRY(parseNumber(part, low, high));
        values.push_back(value);
    }
    return values;
}

QString numbersText(const std::vector<double>& values) {
    QStringList parts;
    for (const double value : values) {
        parts << numberText(value);
    }
    return parts.join(QStringLiteral(" × "));
}

}  // namespace highwater::desktop
