#pragma once

#include <QImage>
#include <QObject>
#include <QString>
#include <atomic>
#include <memory>
#include <set>
#include <vector>

#include "core/stack/experiment.h"
#include "core/volume/volume.h"
#include "widgets/jobs/background.h"

namespace highwater::desktop {

/// Reads headers and middle slices in the background, one file after the other. The latest request is served
/// first. Each file is read once.
class PictureLoader : public QObject {
    Q_OBJECT
public:
    explicit PictureLoader(QObject* parent = nullptr);
    ~PictureLoader() override;

    struct Item {
        QString id;
        stack::ScanSource source;
        bool picture = true;  ///< false: only the header is read
    };
    /// Sets what to read next, in this order. It replaces earlier requests that have not started.
    void want(std::vector<Item> items);
    bool busy() const { return working_; }

signals:
    void header(const QString& id, const highwater::volume::Header& header);
    void picture(const QString& id, const QImage& picture);
    void failed(const QString& id, const QString& message);

private:
    struct Answer;
    void next();
    std::vector<Item> wanted_;
    std::set<std::pair<QString, bool>> done_;
    std::shared_ptr<std::atomic<bool>> cancel_;
    bool working_ = false;
    widgets::Background worker_;  ///< declared last: it ends before the members that its work uses
};

}  // namespace highwater::desktop
