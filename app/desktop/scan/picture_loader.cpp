#include "app/desktop/scan/picture_loader.h"

#include <optional>

#include "app/desktop/scan/cases/cohort_values.h"
#include "core/scan/scan_client.h"

namespace highwater::desktop {

namespace {
constexpr int kSide = 138;  // sharp on a screen with a device pixel ratio of 3
}

struct PictureLoader::Answer {
    std::optional<volume::Header> header;
    QImage picture;
    std::string problem;
};

PictureLoader::PictureLoader(QObject* parent)
    : QObject(parent), cancel_(std::make_shared<std::atomic<bool>>(false)) {}

PictureLoader::~PictureLoader() {
    *cancel_ = true;
}

void PictureLoader::want(std::vector<Item> items) {
    wanted_ = std::move(items);
    next();
}

void PictureLoader::next() {
    while (!wanted_.empty() && done_.contains({wanted_.front().id, wanted_.front().picture})) {
        wanted_.erase(wanted_.begin());
    }
    if (working_ || wanted_.empty()) {
        return;
    }
    working_ = true;
    const Item item = wanted_.front();
    wanted_.erase(wanted_.begin());
    done_.insert({item.id, item.picture});
    const auto work = [item, cancel = cancel_]() -> Answer {
        Answer answer;
        scan::ReadOptions how;
        how.series = item.source.series;
        how.volume = item.source.volume;
        how.cancel = cancel.get();
        if (!item.picture) {
            auto header = scan::readScanHeader(item.source.path, how);
            if (header) {
                answer.header = std::move(*header);
            } else {
                answer.problem = header.error().message;
            }
            return answer;
        }
        const auto volume = scan::readScan(item.source.path, how);
        if (!volume) {
            answer.problem = volume.error().message;
            return answer;
        }
        answer.header = volume->header();
        answer.picture = middleSlice(*volume, kSide);
        return answer;
    };
    worker_.run(work, this, [this, id = item.id](const Answer& answer) {
        working_ = false;
        if (answer.header) {
            emit header(id, *answer.header);
        }
        if (!answer.picture.isNull()) {
            emit picture(id, answer.picture);
        }
        if (!answer.problem.empty()) {
            emit failed(id, QString::fromStdString(answer.problem));
        }
        next();
    });
}

}  // namespace highwater::desktop

#include "moc_picture_loader.cpp"
