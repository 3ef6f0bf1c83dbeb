#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>
#include <functional>
#include <memory>
#include <optional>

#include "app/desktop/experiment/bar/target_field.h"
#include "core/predict/predict.h"
#include "core/stack/experiment.h"
#include "core/stack/shapes.h"
#include "core/wire/events.h"
#include "widgets/jobs/background.h"

namespace highwater::desktop {

struct PredictionRequest {
    std::int64_t revision = 0;
    stack::Experiment experiment;
    stack::StackInfo info;  ///< result of inferShapes for the experiment
    TargetChoice target;
};

struct PredictionAnswer {
    std::int64_t revision = 0;  ///< revision of the request
    TargetChoice target;
    stack::StackInfo info;
    /// Null if there is none; `trouble` then says why.
    std::shared_ptr<const predict::Prediction> prediction;
    QString trouble;
    /// What cuDNN would be asked about: the target's device and version; its description is empty for the
    /// CPU.
    predict::AskedKey asked = {};
    stack::Experiment experiment = {};  ///< of the request
};

/// The target that corresponds to the device of a run. Its id is empty if there is no profile of that GPU.
TargetChoice targetOfRun(const wire::Environment& environment);
/// Returns why nothing can be predicted for that experiment and target, or an empty string.
QString whyNoPrediction(const TargetChoice& choice, const stack::Experiment& experiment);
/// Answers a request synchronously, on this thread.
PredictionAnswer predictNow(const PredictionRequest& request);
/// Converts a choice and an experiment to the predictor's target.
base::Result<predict::Target> targetOf(const TargetChoice& choice, const stack::Experiment& experiment);

/// Predicts on a worker thread. Of the requests made with ask(), only the latest is answered, and a new one
/// starts at most once per frame. Every function returns at once.
class Predictor : public QObject {
    Q_OBJECT
public:
    using Work = std::function<PredictionAnswer(const PredictionRequest&)>;
    explicit Predictor(Work work, QObject* parent = nullptr);

    /// Requests a prediction. answered() follows, unless another request replaces this one. Returns the
    /// revision of the request.
    std::int64_t ask(stack::Experiment experiment, stack::StackInfo info, TargetChoice target);
    /// Drops the pending request. The work in progress will not be answered.
    void drop();
    /// The revision of the latest request.
    std::int64_t revision() const { return revision_; }
    /// True if a request is pending or being processed.
    bool busy() const { return pending_.has_value() || working_; }

    /// Makes a request outside the sequence of the others. It is always processed, and `then` gets the answer
    /// if `context` still exists.
    void once(PredictionRequest request, QObject* context, std::function<void(PredictionAnswer)> then);

signals:
    void answered(const highwater::desktop::PredictionAnswer& answer);

private:
    void begin();
    Work work_;
    std::int64_t revision_ = 0;
    std::int64_t least_ = 0;  ///< revisions below it are no longer answered
    std::optional<PredictionRequest> pending_;
    bool working_ = false;
    QElapsedTimer sinceBegin_;
    QTimer frame_;
    widgets::Background worker_;  ///< declared last: it ends before the members that its work uses
};

}  // namespace highwater::desktop
