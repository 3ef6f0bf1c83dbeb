#include "app/desktop/experiment/stack/document.h"

#include <QUndoCommand>
#include <algorithm>
#include <utility>
#include <vector>

namespace highwater::desktop {

/// An experiment in the undo history. It shares unchanged layers and blocks with the adjacent step, so that a
/// long history of a large network stays small.
class KeptExperiment {
public:
    KeptExperiment(stack::Experiment experiment, const KeptExperiment* beside) {
        auto& layers = experiment.stack;
        layers_.resize(layers.size());
        std::size_t from = 0, to = layers.size();
        if (beside) {
            const auto& others = beside->layers_;
            std::size_t end = others.size();
            for (; from < std::min(to, end) && layers[from] == *others[from]; ++from) {
                layers_[from] = others[from];
            }
            for (; from < std::min(to, end) && layers[to - 1] == *others[end - 1]; --to, --end) {
                layers_[to - 1] = others[end - 1];
            }
        }
        for (; from < to; ++from) {
            layers_[from] = std::make_shared<const stack::Layer>(std::move(layers[from]));
        }
        layers = {};
        rest_ = std::move(experiment);
    }
    stack::Experiment experiment() const {
        stack::Experiment whole = rest_;
        whole.stack.reserve(layers_.size());
        for (const auto& layer : layers_) {
            whole.stack.push_back(*layer);
        }
        return whole;
    }

private:
    stack::Experiment rest_;  ///< without layers
    std::vector<std::shared_ptr<const stack::Layer>> layers_;
};

/// One undo step: the whole value before and after, which is simpler and safer than inverse operations.
class ExperimentCommand : public QUndoCommand {
public:
    using Value = std::shared_ptr<const KeptExperiment>;
    ExperimentCommand(ExperimentDocument& document, const QString& what, Value before, Value after,
                      QString mergeKey, std::unique_ptr<QUndoCommand> place = {})
        : QUndoCommand(what),
          place_(std::move(place)),
          document_(document),
          before_(std::move(before)),
          after_(std::move(after)),
          mergeKey_(std::move(mergeKey)) {}

    int id() const override { return mergeKey_.isEmpty() ? -1 : 1; }

    bool mergeWith(const QUndoCommand* next) override {
        const auto& other = static_cast<const ExperimentCommand&>(*next);
        if (other.mergeKey_ != mergeKey_) {
            return false;
        }
        after_ = other.after_;
        setObsolete(after_->experiment() == before_->experiment());
        return true;
    }

    void undo() override {
        if (place_) {
            place_->undo();
        }
        document_.assign(before_);
    }
    void redo() override {
        if (place_) {
            place_->redo();
        }
        document_.assign(after_);
    }

private:
    std::unique_ptr<QUndoCommand> place_;
    ExperimentDocument& document_;
    Value before_, after_;
    QString mergeKey_;
};

ExperimentDocument::ExperimentDocument(QObject* parent)
    : QObject(parent),
      kept_(std::make_shared<const KeptExperiment>(experiment_, nullptr)),
      info_(stack::inferShapes(experiment_)) {
    undo_.setUndoLimit(kUndoSteps);
}

ExperimentDocument::~ExperimentDocument() = default;

void ExperimentDocument::reset(stack::Experiment experiment) {
    undo_.clear();
    assign(std::make_shared<const KeptExperiment>(std::move(experiment), nullptr));
}

void ExperimentDocument::replace(const QString& what, stack::Experiment experiment,
                                 std::unique_ptr<QUndoCommand> place) {
    push(what, std::move(experiment), {}, std::move(place));
}

void ExperimentDocument::edit(const QString& what, const std::function<void(stack::Experiment&)>& change,
                              const QString& mergeKey) {
    stack::Experiment after = experiment_;
    change(after);
    if (after != experiment_) {
        push(what, std::move(after), mergeKey, {});
    }
}

void ExperimentDocument::push(const QString& what, stack::Experiment experiment, const QString& mergeKey,
                              std::unique_ptr<QUndoCommand> place) {
    undo_.push(new ExperimentCommand(
        *this, what, kept_, std::make_shared<const KeptExperiment>(std::move(experiment), kept_.get()),
        mergeKey, std::move(place)));
}

void ExperimentDocument::assign(std::shared_ptr<const KeptExperiment> kept) {
    kept_ = std::move(kept);
    experiment_ = kept_->experiment();
    info_ = stack::inferShapes(experiment_);
    ++revision_;
    emit changed();
}

}  // namespace highwater::desktop

#include "moc_document.cpp"
