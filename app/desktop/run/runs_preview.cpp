#include "app/desktop/run/runs_preview.h"

#include <algorithm>

#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {
constexpr int kRestMs = 150;
}

RunsPreview::RunsPreview(Store& store, QObject* parent) : QObject(parent), store_(store) {
    rest_.setSingleShot(true);
    rest_.setInterval(kRestMs);
    connect(&rest_, &QTimer::timeout, this, &RunsPreview::read);
}

const runs::RunSummary* RunsPreview::row(const std::string& id) const {
    const auto at = std::find_if(store_.rows().begin(), store_.rows().end(),
                                 [&](const runs::RunSummary& run) { return run.id == id; });
    return at == store_.rows().end() ? nullptr : &*at;
}

void RunsPreview::select(const std::vector<std::string>& ids) {
    std::vector<std::string> first(
        ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(std::min(ids.size(), kMostCurves)));
    if (first == selected_) {
        return;
    }
    selected_ = std::move(first);
    ++asked_;
    rest_.start();
}

void RunsPreview::again() {
    shown_.clear();
    rest_.start();
}

void RunsPreview::follow() {
    if (selected_.size() < 2) {
        return;
    }
    tellLosses();  // names may have changed
    const bool running = std::any_of(selected_.begin(), selected_.end(), [&](const std::string& id) {
        const auto* run = row(id);
        return run && run->status == wire::RunStatus::Running;
    });
    if (running && !rest_.isActive()) {
        rest_.start();
    }
}

void RunsPreview::read() {
    readRun();
    readLosses();
}

void RunsPreview::readRun() {
    const std::string first = selected_.empty() ? std::string() : selected_.front();
    if (first == shown_ || first.empty()) {
        shown_ = first;
        return;
    }
    shown_ = first;
    store_.load({first}, [this, asked = asked_](base::Result<std::vector<runs::RunRecord>> records) {
        if (asked == asked_ && records && !records->empty()) {
            emit shown(records->front());
        }
    });
}

void RunsPreview::readLosses() {
    if (selected_.size() < 2) {
        emit losses({});
        return;
    }
    std::vector<std::string> wanted;
    for (const std::string& id : selected_) {
        const auto* run = row(id);
        if (run && (run->status == wire::RunStatus::Running || !known_[id])) {
            wanted.push_back(id);
        }
    }
    if (wanted.empty()) {
        tellLosses();
        return;
    }
    store_.losses(wanted, [this, wanted](std::vector<runs::Losses> read) {
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            known_[wanted[i]] = std::move(read[i]);
        }
        tellLosses();
    });
}

void RunsPreview::tellLosses() {
    std::vector<widgets::LossCurve> curves;
    if (selected_.size() >= 2) {
        for (const std::string& id : selected_) {
            const auto* run = row(id);
            const auto& known = known_[id];
            if (run && known) {
                curves.push_back({QString("#%1 %2").arg(run->number).arg(widgets::fromUtf8(run->name)),
                                  known->values, known->warmup, static_cast<int>(curves.size()),
                                  widgets::fromUtf8(id)});
            }
        }
    }
    emit losses(curves);
}

}  // namespace highwater::desktop

#include "moc_runs_preview.cpp"
