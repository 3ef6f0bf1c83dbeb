#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>
#include <functional>
#include <memory>
#include <optional>

#include "app/desktop/window/background.h"
#include "core/predict/predict.h"
#include "core/stack/experiment.h"
#include "core/stack/shapes.h"
#include "core/wire/events.h"
#include "widgets/controls/target_field.h"

namespace highwater::desktop {

struct PredictionRequest {
    std::int64_t revision = 0;
    stack::Experiment experiment;
    stack::StackInfo info;  ///< inferShapes of it
    widgets::TargetChoice target;
};

struct PredictionAnswer {
    std::int64_t revision = 0;  ///< the request's
    widgets::TargetChoice target;
    stack::StackInfo info;
    std::shared_ptr<const predict::Prediction> prediction;  ///< null: `trouble` says why
    QString trouble;
};

/// What predicts the device that a run was made with: an empty id where no profile is of that GPU.
widgets::TargetChoice targetOfRun(const wire::Environment& environment);
/// Why nothing can be predicted of that experiment there; empty: it can.
QString whyNoPrediction(const widgets::TargetChoice& choice, const stack::Experiment& experiment);
/// What the predictor says to a request, now and on this thread.
PredictionAnswer predictNow(const PredictionRequest& request);
/// The target of a choice, for that experiment.
base::Result<predict::Target> targetOf(const widgets::TargetChoice& choice,
                                       const stack::Experiment& experiment);

/// Predicts on a worker thread. Of the requests made with ask() only the latest counts, and a new one begins
/// at most once a frame; every call returns at once.
class Predictor : public QObject {
    Q_OBJECT
public:
    using Work = std::function<PredictionAnswer(const PredictionRequest&)>;
    explicit Predictor(Work work, QObject* parent = nullptr);

    /// answered() follows, unless another request comes first. Returns the request's revision.
    std::int64_t ask(stack::Experiment experiment, stack::StackInfo info, widgets::TargetChoice target);
    /// Drops what was asked for and not begun; what is under way is answered no more.
    void drop();
    /// The revision of the latest request.
    std::int64_t revision() const { return revision_; }
    /// Asked for, begun or to be begun.
    bool busy() const { return pending_.has_value() || working_; }

    /// A request beside the others: always done, and answered to `then` while `context` lives.
    void once(PredictionRequest request, QObject* context, std::function<void(PredictionAnswer)> then);

signals:
    void answered(const highwater::desktop::PredictionAnswer& answer);

private:
    void begin();
    Work work_;
    std::int64_t revision_ = 0;
    std::int64_t least_ = 0;  ///< revisions below it are answered no more
    std::optional<PredictionRequest> pending_;
    bool working_ = false;
    QElapsedTimer sinceBegin_;
    QTimer frame_;
    Background worker_;  ///< last: it ends before what its work uses
};

}  // namespace highwater::desktop
