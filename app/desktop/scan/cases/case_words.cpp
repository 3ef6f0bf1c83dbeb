#include "app/desktop/scan/cases/case_words.h"

#include <QObject>
#include <algorithm>
#include <cmath>

#include "core/base/statistics.h"

namespace highwater::desktop {

namespace {

constexpr const char* kNoWord = "—";
constexpr double kSameSpacing = 1e-3;  // relative, because headers are rounded

QString threeOf(const QString& a, const QString& b, const QString& c) {
    return QStringLiteral("%1 × %2 × %3").arg(a, b, c);
}

bool known(const std::array<double, 3>& spacing) {
    return std::all_of(spacing.begin(), spacing.end(), [](double mm) { return mm > 0; });
}

bool sameSpacing(const std::array<double, 3>& a, const std::array<double, 3>& b) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (std::abs(a[axis] - b[axis]) > kSameSpacing * std::max(a[axis], b[axis])) {
            return false;
        }
    }
    return true;
}

bool usable(const CaseRow& row) {
    return row.read && row.problem.isEmpty();
}

}  // namespace

QString numberWords(double value) {
    return (std::abs(value) >= 1e3 && std::abs(value) < 1e15 ? QString::number(value, 'f', 0)
                                                             : QString::number(value, 'g', 4))
        .replace('-', QStringLiteral("−"));
}

QString sizeWords(const std::array<qint64, 3>& size) {
    if (size == std::array<qint64, 3>{}) {
        return kNoWord;
    }
    return threeOf(QString::number(size[0]), QString::number(size[1]), QString::number(size[2]));
}

QString spacingWords(const std::array<double, 3>& spacing) {
    if (spacing == std::array<double, 3>{}) {
        return QObject::tr("unknown");
    }
    const auto part = [](double mm) { return mm > 0 ? QString::number(mm, 'g', 4) : QStringLiteral("?"); };
    return threeOf(part(spacing[0]), part(spacing[1]), part(spacing[2]));
}

QString rangeWords(double low, double high) {
    if (!std::isfinite(low) || !std::isfinite(high)) {
        return kNoWord;
    }
    return QObject::tr("%1 to %2").arg(numberWords(low), numberWords(high));
}

QString noteOf(const QString& problem, const QStringList& warnings) {
    if (!problem.isEmpty()) {
        return problem;
    }
    if (warnings.size() < 2) {
        return warnings.value(0);
    }
    return QObject::tr("%1 warnings: %2").arg(warnings.size()).arg(warnings.front());
}

std::optional<CohortMedians> mediansOf(const std::vector<CaseRow>& cases) {
    CohortMedians medians;
    medians.low = medians.high = std::numeric_limits<double>::quiet_NaN();
    std::array<std::vector<double>, 3> sizes, spacings;
    for (const CaseRow& row : cases) {
        if (!usable(row)) {
            continue;
        }
        ++medians.cases;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            sizes[axis].push_back(static_cast<double>(row.size[axis]));
            if (known(row.spacing)) {
                spacings[axis].push_back(row.spacing[axis]);
            }
        }
        medians.low = std::fmin(medians.low, row.low);
        medians.high = std::fmax(medians.high, row.high);
    }
    if (medians.cases == 0) {
        return {};
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        medians.size[axis] = base::median(sizes[axis]);
        medians.spacing[axis] = base::median(spacings[axis]);
    }
    return medians;
}

QString mediansWords(const std::vector<CaseRow>& cases) {
    const auto isBad = [](const CaseRow& row) { return row.read && !row.problem.isEmpty(); };
    const auto bad = std::count_if(cases.begin(), cases.end(), isBad);
    QString left;
    if (bad > 0) {
        const CaseRow& first = *std::find_if(cases.begin(), cases.end(), isBad);
        const bool named = first.problem.startsWith(first.name);  // the problem names the file already
        left = QObject::tr("%1 cannot be used; %2%3.")
                   .arg(bad)
                   .arg(named ? QString() : first.name + ": ", first.problem);
    }
    const auto medians = mediansOf(cases);
    if (!medians) {
        return left;
    }
    const auto& size = medians->size;
    QString text = threeOf(numberWords(size[0]), numberWords(size[1]), numberWords(size[2]));
    text = medians->cases == 1
               ? QObject::tr("One case: %1 voxels").arg(text)
               : QObject::tr("Median of %1 cases as stored: %2 voxels").arg(medians->cases).arg(text);
    text = known(medians->spacing) ? QObject::tr("%1, %2 mm").arg(text, spacingWords(medians->spacing))
                                   : QObject::tr("%1, spacing unknown").arg(text);
    if (std::isfinite(medians->low)) {
        text = QObject::tr("%1; values %2").arg(text, rangeWords(medians->low, medians->high));
    }
    return left.isEmpty() ? text + '.' : text + ". " + left;
}

QString whyNotChannels(const std::vector<SeriesRow>& rows) {
    if (rows.size() < 2) {
        return QObject::tr("Select two or more on one grid");
    }
    for (const SeriesRow& row : rows) {
        if (!row.problem.isEmpty()) {
            return QObject::tr("%1 cannot be read").arg(row.description);
        }
        if (row.size == std::array<qint64, 3>{}) {
            return QObject::tr("%1 has not been read yet").arg(row.description);
        }
        if (row.size != rows.front().size) {
            return QObject::tr("%1 is %2 voxels, %3 is %4: channels must share one grid")
                .arg(row.description, sizeWords(row.size), rows.front().description,
                     sizeWords(rows.front().size));
        }
        if (!sameSpacing(row.spacing, rows.front().spacing)) {
            return QObject::tr("%1 has voxels of %2 mm, %3 of %4: channels must share one grid")
                .arg(row.description, spacingWords(row.spacing), rows.front().description,
                     spacingWords(rows.front().spacing));
        }
    }
    return {};
}

}  // namespace highwater::desktop
