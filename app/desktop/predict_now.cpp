#include "app/desktop/predictor.h"

namespace highwater::desktop {

namespace {

/// A version chosen from our own list; nothing for the default.
template <class Version>
std::optional<Version> chosen(const QString& text, base::Result<Version> (*parse)(std::string_view)) {
    if (text.isEmpty())
        return {};
    auto version = parse(text.toStdString());
    return version ? std::optional(*version) : std::nullopt;
}

}  // namespace

base::Result<predict::Target> targetOf(const widgets::TargetChoice& choice,
                                       const stack::Experiment& experiment) {
    if (choice.id == "cpu")
        return predict::cpuTarget(experiment);
    return predict::gpuTarget(choice.id.toStdString(), experiment,
                              chosen(choice.libtorch, &predict::parseTorchVersion),
                              chosen(choice.cudnn, &predict::parseCudnnVersion));
}

PredictionAnswer predictNow(const PredictionRequest& request) {
    PredictionAnswer answer{request.revision, request.target, request.info, nullptr, {}};
    if (request.target.id == "cpu" && request.experiment.step.precision != stack::Precision::Fp32) {
        answer.trouble =
            QStringLiteral("choose a GPU to predict for, or fp32: the CPU computes in nothing else");
        return answer;
    }
    const auto target = targetOf(request.target, request.experiment);
    if (!target) {
        answer.trouble = QString::fromStdString(target.error().message);
        return answer;
    }
    auto prediction = predict::predict(request.experiment, request.info, *target);
    if (prediction)
        answer.prediction = std::make_shared<const predict::Prediction>(std::move(*prediction));
    else
        answer.trouble = QString::fromStdString(prediction.error().message);
    return answer;
}

}  // namespace highwater::desktop
