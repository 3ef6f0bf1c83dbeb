#include "app/desktop/experiment/target/predictor.h"

namespace highwater::desktop {

namespace {

/// A version selected in our own list; std::nullopt for the default.
template <class Version>
std::optional<Version> chosen(const QString& text, base::Result<Version> (*parse)(std::string_view)) {
    if (text.isEmpty()) {
        return {};
    }
    auto version = parse(text.toStdString());
    return version ? std::optional(*version) : std::nullopt;
}

}  // namespace

base::Result<predict::Target> targetOf(const TargetChoice& choice, const stack::Experiment& experiment) {
    if (choice.id == "cpu") {
        return predict::cpuTarget(experiment);
    }
    auto target = predict::gpuTarget(choice.id.toStdString(), experiment,
                                     chosen(choice.libtorch, &predict::parseTorchVersion),
                                     chosen(choice.cudnn, &predict::parseCudnnVersion));
    if (target) {
        target->others = choice.others;
    }
    return target;
}

TargetChoice targetOfRun(const wire::Environment& environment) {
    if (environment.device.empty() || environment.device == "cpu") {
        return {};
    }
    const auto profiles = predict::loadProfiles();
    const auto* profile =
        profiles ? predict::profileOf(*profiles, environment.deviceName, environment.memoryBytes) : nullptr;
    const auto version = [&](const char* of) {
        const auto at = environment.versions.find(of);
        return at == environment.versions.end() ? QString() : QString::fromStdString(at->second);
    };
    return {profile ? QString::fromStdString(profile->id) : QString(), version("libtorch"), version("cudnn")};
}

QString whyNoPrediction(const TargetChoice& choice, const stack::Experiment& experiment) {
    if (choice.id == "cpu" && experiment.step.precision != stack::Precision::Fp32) {
        return QObject::tr("choose a GPU to predict for, or fp32: the CPU supports no other precision");
    }
    return choice.id.isEmpty() ? QObject::tr("there is no profile of this GPU to predict with") : QString();
}

PredictionAnswer predictNow(const PredictionRequest& request) {
    PredictionAnswer answer{request.revision, request.target, request.info, nullptr, {}};
    answer.experiment = request.experiment;
    answer.trouble = whyNoPrediction(request.target, request.experiment);
    if (!answer.trouble.isEmpty()) {
        return answer;
    }
    const auto target = targetOf(request.target, request.experiment);
    if (!target) {
        answer.trouble = QString::fromStdString(target.error().message);
        return answer;
    }
    if (target->asked) {
        answer.asked = target->asked->key();
    }
    auto prediction = predict::predict(request.experiment, request.info, *target);
    if (prediction) {
        answer.prediction = std::make_shared<const predict::Prediction>(std::move(*prediction));
    } else {
        answer.trouble = QString::fromStdString(prediction.error().message);
    }
    return answer;
}

}  // namespace highwater::desktop
