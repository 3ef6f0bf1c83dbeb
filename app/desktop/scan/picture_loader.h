#pragma once

#include <QImage>
#include <QObject>
#include <QString>
#include <atomic>
#include <memory>
#include <set>
#include <vector>

#include "app/desktop/window/background.h"
#include "core/stack/experiment.h"
#include "core/volume/volume.h"

namespace highwater::desktop {

/// Reads headers and middle slices in the background, one file after the other: what is wanted last comes
/// first. Each is read once.
class PictureLoader : public QObject {
    Q_OBJECT
public:
    explicit PictureLoader(QObject* parent = nullptr);
    ~PictureLoader() override;

    struct Item {
        QString id;
        stack::ScanSource source;
        bool picture = true;  ///< false: the header alone
    };
    /// What is to be read next, in this order, in the place of what was asked for before and not begun.
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
    Background worker_;  ///< last: it ends before what its work uses
};

}  // namespace highwater::desktop
