#include "app/desktop/study/sweep/sweep_sources.h"

#include <QObject>
#include <QStringList>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/json_reader.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

/// "batch_size 2, precision bf16" split at the comma.
using Parts = QStringList;

struct NamedAxis {
    QString name;
    QStringList words;  ///< one for each name
};

/// The number of leading words common to all texts, such that each text has at least one more.
qsizetype commonWords(const std::vector<QStringList>& texts) {
    qsizetype common = texts.front().size() - 1;
    for (const QStringList& words : texts) {
        qsizetype same = 0;
        while (same < std::min(common, words.size() - 1) && words[same] == texts.front()[same]) {
            ++same;
        }
        common = same;
    }
    return common;
}

/// The axes common to all names; empty if the names have no common form.
std::vector<NamedAxis> axesOf(const QStringList& names) {
    std::vector<Parts> all;
    for (const QString& name : names) {
        all.push_back(name.split(QStringLiteral(", ")));
        if (all.back().size() != all.front().size()) {
            return {};
        }
    }
    std::vector<NamedAxis> axes;
    for (qsizetype part = 0; part < all.front().size(); ++part) {
        std::vector<QStringList> texts;
        for (const Parts& parts : all) {
            texts.push_back(parts[part].split(' '));
        }
        const qsizetype common = commonWords(texts);
        if (common < 1) {
            return {};
        }
        NamedAxis axis{texts.front().mid(0, common).join(' '), {}};
        for (const QStringList& words : texts) {
            axis.words << words.mid(common).join(' ');
        }
        axes.push_back(std::move(axis));
    }
    return axes;
}

/// The measurements of runs with one name, oldest first.
study::Measured measuredOf(const std::vector<const runs::RunSummary*>& of) {
    study::Measured m;
    m.name = of.front()->name;
    for (const runs::RunSummary* run : of) {
        m.runIds.push_back(run->id);
        if (run->status == wire::RunStatus::Cancelled && run != of.front()) {
            continue;  // as for a cancelled measurement: earlier repeats are kept
        }
        m.status = run->status;
        m.why = run->status == wire::RunStatus::Done ? std::string() : run->message;
        m.result.peakAllocated = std::max(m.result.peakAllocated, run->peakAllocated);
        m.result.environment.device = run->device;
        if (run->status == wire::RunStatus::Done && run->stepMs.n > 0) {
            m.repeatMs.push_back(run->stepMs.median);
        }
        if (run->loss) {
            m.result.losses = {*run->loss};
            m.result.lossLast = *run->loss;
        }
    }
    m.stepMs = base::medianWithInterval(m.repeatMs);
    m.result.runId = m.runIds.back();
    return m;
}

}  // namespace

base::Result<SweepFile> readSweepFile(const std::filesystem::path& path) {
    const auto text = HIGHWATER_TRY(base::readFile(path));
    const auto json = HIGHWATER_TRY(base::parseJson(text, path.string()));
    const auto schema = json.is_object() ? json.find("schema") : json.end();
    if (schema == json.end() || *schema != "highwater.sweep-result/1") {
        auto sweep = HIGHWATER_TRY(
            study::parseSweep(text, path.string(), std::filesystem::absolute(path).parent_path()));
        return SweepFile{std::move(sweep), {}};
    }
    auto result = HIGHWATER_TRY(study::parseSweepResult(text, path.string()));
    study::Sweep sweep = result.sweep;
    return SweepFile{std::move(sweep), std::move(result)};
}

std::vector<SweepStudy> studiesOf(const std::vector<runs::RunSummary>& rows) {
    struct Found {
        const runs::RunSummary* first;
        int runs = 0;
    };
    std::vector<Found> found;
    for (const runs::RunSummary& row : rows) {
        if (row.study.id.empty()) {
            continue;
        }
        const auto at = std::find_if(found.begin(), found.end(),
                                     [&](const Found& f) { return f.first->study.id == row.study.id; });
        at == found.end() ? found.push_back({&row, 1}) : void(++at->runs);
    }
    std::vector<SweepStudy> studies;
    for (auto at = found.rbegin(); at != found.rend(); ++at) {
        const QString name = widgets::fromUtf8(at->first->study.name);
        studies.push_back(
            {widgets::fromUtf8(at->first->study.id),
             QObject::tr("%1, %2, %3")
                 .arg(name.isEmpty() ? QObject::tr("a study") : name,
                      at->runs == 1 ? QObject::tr("1 run") : QObject::tr("%1 runs").arg(at->runs),
                      widgets::fromUtf8(at->first->created).left(16).replace('T', ' '))});
    }
    return studies;
}

study::SweepResult resultOf(const std::vector<runs::RunSummary>& rows, const std::string& study) {
    std::vector<std::vector<const runs::RunSummary*>> cells;
    QStringList names;
    study::Sweep sweep;
    for (const runs::RunSummary& row : rows) {
        if (row.study.id != study || row.status == wire::RunStatus::Running) {
            continue;
        }
        sweep.name = row.study.name;
        const qsizetype at = names.indexOf(widgets::fromUtf8(row.name));
        if (at < 0) {
            names << widgets::fromUtf8(row.name);
            cells.push_back({&row});
        } else {
            cells[static_cast<std::size_t>(at)].push_back(&row);
        }
    }
    std::vector<NamedAxis> axes = names.isEmpty() ? std::vector<NamedAxis>() : axesOf(names);
    if (axes.empty()) {
        axes = {{QStringLiteral("run"), names}};
    }
    std::vector<study::Cell> made(cells.size());
    std::vector<study::Measured> measured;
    for (const NamedAxis& named : axes) {
        study::Axis axis;
        axis.name = named.name.toStdString();
        QStringList levels = named.words;
        levels.removeDuplicates();
        for (const QString& word : levels) {
            axis.values.push_back(base::Json(word.toStdString()).dump());
        }
        for (std::size_t c = 0; c < made.size(); ++c) {
            const QString& word = named.words[static_cast<qsizetype>(c)];
            made[c].levels.push_back(static_cast<int>(levels.indexOf(word)));
            made[c].words.push_back(word.toStdString());
        }
        sweep.axes.push_back(std::move(axis));
    }
    for (std::size_t c = 0; c < made.size(); ++c) {
        made[c].subject.name = cells[c].front()->name;
        made[c].subject.experiment.step.batchSize = cells[c].front()->batchSize;
        measured.push_back(measuredOf(cells[c]));
    }
    return study::evaluate(std::move(sweep), std::move(made), std::move(measured));
}

}  // namespace highwater::desktop
