#include "app/desktop/study/factorial/factorial_run.h"

#include <QObject>
#include <algorithm>
#include <map>

namespace highwater::desktop {

base::Result<std::vector<study::Measured>> measureCells(StudyWorker::Job& job,
                                                        const std::vector<study::Cell>& cells,
                                                        const StudyRun& how,
                                                        const study::TrialOptions& options,
                                                        const CellWatch& watch) {
    std::vector<study::Subject> subjects;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (cells[i].problem.empty()) {
            subjects.push_back(cells[i].subject);
            places.push_back(i);
        }
    }
    const auto runner = HIGHWATER_TRY(job.runner(how));
    std::map<std::string_view, std::size_t> cellOf;
    for (std::size_t s = 0; s < subjects.size(); ++s) {
        cellOf[subjects[s].name] = places[s];
    }
    const study::Runner watched = [&](const study::Subject& subject, int repeat) {
        const std::size_t cell = cellOf.at(subject.name);
        watch(cell, nullptr);
        auto outcome = runner(subject, repeat);
        watch(cell, &outcome);
        return outcome;
    };
    auto measured = HIGHWATER_TRY(study::measure(
        subjects, watch ? watched : runner, options, job.cancelled(), [&](const study::Progress& progress) {
            job.say(QObject::tr("run %1 of at most %2, %3")
                        .arg(std::min(progress.done + 1, progress.atMost))
                        .arg(progress.atMost)
                        .arg(QString::fromStdString(progress.what)),
                    progress.atMost > 0 ? static_cast<double>(progress.done) / progress.atMost : 0);
        }));
    std::vector<study::Measured> all(cells.size());
    for (std::size_t i = 0; i < places.size() && i < measured.size(); ++i) {
        all[places[i]] = std::move(measured[i]);
    }
    return all;
}

}  // namespace highwater::desktop
