#include "core/study/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/id.h"
#include "core/stack/shapes.h"
#include "core/study/claim_rules.h"
#include "core/study/judge.h"

namespace highwater::study {

namespace {

using base::Error;
using Compare = Condition::Compare;

const Error kCancelled{"cancelled"};
/// If the intervals do not decide a condition: so many more repeats, at most so many times.
constexpr int kMoreRepeats = 4, kMoreRounds = 3;

/// The experiments that conditions and sentences name: only those are run.
std::set<std::string> askedOf(const Claim& claim) {
    std::set<std::string> names;
    const auto take = [&names](const std::vector<Condition>& conditions) {
        for (const Condition& c : conditions) {
            if (c.compare != Compare::Refused) {
                names.insert({c.left, c.right});
            }
        }
    };
    take(claim.conditions);
    for (const auto* sentences : {&claim.holdsBecause, &claim.failsBecause, &claim.dependsBecause}) {
        for (const Sentence& sentence : *sentences) {
            take(sentence.given);
            for (std::size_t i = sentence.text.find('{'); i != std::string::npos;
                 i = sentence.text.find('{', i + 1)) {
                const std::size_t end = sentence.text.find('}', i);
                if (const auto place = parsePlace(sentence.text.substr(i + 1, end - i - 1))) {
                    names.insert({place->left, place->right});
                }
            }
        }
    }
    return names;
}

std::vector<Subject> onlyAsked(const std::vector<Subject>& subjects, const std::set<std::string>& names) {
    std::vector<Subject> asked;
    std::copy_if(subjects.begin(), subjects.end(), std::back_inserter(asked),
                 [&](const Subject& subject) { return names.contains(subject.name); });
    return asked;
}

base::Status checkSubjects(const Claim& claim, const std::vector<Subject>& subjects, bool cuda) {
    for (const Subject& subject : subjects) {
        const auto info = stack::inferShapes(subject.experiment);
        const auto status =
            info ? stack::checkSupported(subject.experiment, *info, cuda) : base::Status(info.error());
        if (!status) {
            return Error{fmt::format("{}: \"{}\": {}", claim.id, subject.name, status.error().message)};
        }
    }
    return {};
}

class Examination {
public:
    Examination(const Claim& claim, const Runner& runner, bool cuda, const std::atomic<bool>& cancel,
                const std::function<void(const Progress&)>& progress)
        : claim_(claim),
          runner_(runner),
          cuda_(cuda),
          cancel_(cancel),
          progress_(progress),
          asked_(askedOf(claim)) {}

    base::Result<Finding> run() {
        HIGHWATER_TRY(prepare());
        std::vector<Evidences> all;
        for (std::size_t i = 0; i < rounds_.size(); ++i) {
            auto evidences = HIGHWATER_TRY(measureRound(i));
            all.push_back(std::move(evidences));
        }
        auto finding = judge(claim_, all);
        if (finding) {
            describe(*finding, all);
        }
        return finding;
    }

private:
    /// Checks everything before the first run, so that a claim that cannot be finished does not begin.
    base::Status prepare() {
        if (claim_.along) {
            for (const auto& variant : claim_.along->variants) {
                rounds_.push_back(onlyAsked(variant, asked_));
            }
        } else {
            rounds_.push_back(onlyAsked(claim_.experiments, asked_));
        }
        for (const auto& round : rounds_) {
            HIGHWATER_TRY(checkSubjects(claim_, round, cuda_));
        }
        for (const Claim::Fit& fit : claim_.fits) {
            HIGHWATER_TRY(checkSubjects(claim_, fit.subjects, cuda_));
            HIGHWATER_TRY(choose(fit));
        }
        return {};
    }

    /// Runs a fit's subjects in order until one is out of memory.
    base::Status choose(const Claim::Fit& fit) {
        std::optional<std::size_t> best;
        std::size_t i = 0;
        for (; i < fit.subjects.size(); ++i) {
            if (cancel_) {
                return kCancelled;
            }
            say({static_cast<int>(i), static_cast<int>(fit.subjects.size()),
                 fmt::format("{}, {} {:g}", fit.experiment, fit.words, fit.values[i])});
            const auto outcome = HIGHWATER_TRY(runner_(fit.subjects[i], 0));
            runIds_.push_back(outcome.result.runId);
            ++done_;
            if (outcome.result.status == wire::RunStatus::OutOfMemory) {
                break;
            }
            if (outcome.result.status == wire::RunStatus::Cancelled) {
                return kCancelled;
            }
            if (outcome.result.status != wire::RunStatus::Done) {
                return Error{fmt::format("{}: \"{}\" at {} {:g} failed: {}", claim_.id, fit.experiment,
                                         fit.words, fit.values[i],
                                         outcome.result.failure ? outcome.result.failure->why : "no reason")};
            }
            best = i;
        }
        if (!best) {
            return Error{fmt::format("{}: \"{}\" does not fit even at {} {:g}", claim_.id, fit.experiment,
                                     fit.words, fit.values.front())};
        }
        chosen_[fit.experiment] = {fit.values[*best], i == fit.subjects.size()};
        for (Subject& subject : rounds_.front()) {
            if (subject.name == fit.experiment) {
                subject = fit.subjects[*best];
            }
        }
        return {};
    }

    base::Result<Evidences> measureRound(std::size_t round) {
        Evidences evidences{claim_.along ? claim_.along->labels[round] : "", {}};
        std::vector<Subject> toRun;
        for (const Subject& subject : rounds_[round]) {
            if (const Evidence* known = measuredBefore(subject)) {
                evidences.of.push_back(*known);
            } else {
                toRun.push_back(subject);
            }
        }
        if (toRun.empty()) {
            return evidences;
        }
        HIGHWATER_TRY(measureInto(evidences, toRun, claim_.trial));
        for (int more = 0; more < kMoreRounds && undecided(evidences); ++more) {
            TrialOptions few = claim_.trial;
            few.repeatsLeast = few.repeatsMost = kMoreRepeats;
            HIGHWATER_TRY(measureInto(evidences, toRun, few));
        }
        for (const Subject& subject : toRun) {
            known_.emplace_back(subject, *evidences.find(subject.name));
        }
        return evidences;
    }

    /// True if more repeats may decide a condition.
    bool undecided(const Evidences& evidences) const {
        return claim_.trial.repeatsMost > 1 &&
               std::any_of(claim_.conditions.begin(), claim_.conditions.end(), [&](const Condition& c) {
                   return test(c, claim_, evidences).outcome == Outcome::Noise;
               });
    }

    /// Runs a trial and adds its repeats to the evidence.
    base::Status measureInto(Evidences& evidences, const std::vector<Subject>& toRun,
                             const TrialOptions& options) {
        std::map<std::string, std::vector<wire::RunResult>> results;
        const Runner recording = [&](const Subject& subject, int repeat) {
            auto outcome = runner_(subject, repeat);
            if (outcome && outcome->result.status == wire::RunStatus::Done) {
                results[subject.name].push_back(outcome->result);
            }
            return outcome;
        };
        const int before = done_;
        auto measured = measure(toRun, recording, options, cancel_, [&](const Progress& now) {
            done_ = before + now.done;
            say({now.done, now.atMost, now.what + (evidences.at.empty() ? "" : " at " + evidences.at)});
        });
        if (!measured) {
            return Error{fmt::format("{}: {}", claim_.id, measured.error().message)};
        }
        if (cancel_) {
            return kCancelled;
        }
        for (std::size_t i = 0; i < toRun.size(); ++i) {
            add(evidences, toRun[i], std::move((*measured)[i]), std::move(results[toRun[i].name]));
        }
        return {};
    }

    void add(Evidences& evidences, const Subject& subject, Measured measured,
             std::vector<wire::RunResult> results) {
        runIds_.insert(runIds_.end(), measured.runIds.begin(), measured.runIds.end());
        auto known = std::find_if(evidences.of.begin(), evidences.of.end(),
                                  [&](const Evidence& evidence) { return evidence.name == subject.name; });
        if (known == evidences.of.end()) {
            Evidence made{
                subject.name, std::move(measured), std::move(results), subject.experiment.step.batchSize, {},
                false};
            if (const auto found = chosen_.find(made.name); found != chosen_.end()) {
                std::tie(made.chosen, made.chosenIsLast) = found->second;
            }
            evidences.of.push_back(std::move(made));
            return;
        }
        std::vector<Millis> times = known->measured.repeatMs;
        times.insert(times.end(), measured.repeatMs.begin(), measured.repeatMs.end());
        known->measured = std::move(measured);
        known->measured.repeatMs = std::move(times);
        known->measured.stepMs = base::medianWithInterval(known->measured.repeatMs);
        known->results.insert(known->results.end(), std::make_move_iterator(results.begin()),
                              std::make_move_iterator(results.end()));
    }

    /// The evidence of an experiment that does not vary along the axis: it is reused if only one repeat is
    /// made.
    const Evidence* measuredBefore(const Subject& subject) const {
        if (claim_.trial.repeatsMost > 1) {
            return nullptr;
        }
        const auto found = std::find_if(known_.begin(), known_.end(),
                                        [&](const auto& known) { return known.first == subject; });
        return found == known_.end() ? nullptr : &found->second;
    }

    void say(const Progress& progress) const {
        if (progress_) {
            progress_(progress);
        }
    }

    void describe(Finding& finding, const std::vector<Evidences>& all) const {
        finding.runIds = runIds_;
        finding.created = base::isoNow();
        finding.device = cuda_ ? "cuda" : "cpu";
        for (const Evidences& evidences : all) {
            for (const Evidence& evidence : evidences.of) {
                const wire::Environment& e = evidence.measured.result.environment;
                if (e.device.empty()) {
                    continue;
                }
                finding.device = e.device;
                finding.deviceName = e.deviceName;
                finding.libtorch = e.versions.contains("libtorch") ? e.versions.at("libtorch") : "";
                finding.isa = e.isa;
                finding.threads = e.threads;
                return;
            }
        }
    }

    const Claim& claim_;
    const Runner& runner_;
    bool cuda_;
    const std::atomic<bool>& cancel_;
    const std::function<void(const Progress&)>& progress_;
    std::set<std::string> asked_;
    std::vector<std::vector<Subject>> rounds_;
    std::map<std::string, std::pair<double, bool>> chosen_;
    std::vector<std::pair<Subject, Evidence>> known_;
    std::vector<std::string> runIds_;
    int done_ = 0;
};

Finding notTestable(const Claim& claim, bool cuda) {
    Finding finding;
    finding.id = claim.id;
    finding.verdict = Verdict::NotTestable;
    finding.why = cuda ? "It is about the CPU, but the device is a GPU."
                       : "It needs an NVIDIA GPU, and the device is the CPU.";
    if (!claim.needsBecause.empty()) {
        finding.why += " " + claim.needsBecause;
    }
    finding.device = cuda ? "cuda" : "cpu";
    finding.created = base::isoNow();
    return finding;
}

}  // namespace

base::Result<Finding> examine(const Claim& claim, const Runner& runner, bool cuda,
                              const std::atomic<bool>& cancel,
                              const std::function<void(const Progress&)>& progress) {
    if (cancel) {
        return kCancelled;
    }
    if ((claim.needsCuda && !cuda) || (claim.needsCpu && cuda)) {
        return notTestable(claim, cuda);
    }
    return Examination(claim, runner, cuda, cancel, progress).run();
}

}  // namespace highwater::study
