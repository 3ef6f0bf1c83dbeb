#include "widgets/stack/document.h"

#include <QUndoCommand>
#include <utility>

namespace highwater::widgets {

/// One undo step: the whole value before and after, which it shares with the steps beside it. Experiments are
/// small (some 20 kB in memory; 100 kB with 230 layers), so that whole values are simpler and safer than
/// inverse operations.
class ExperimentCommand : public QUndoCommand {
public:
    using Value = std::shared_ptr<const stack::Experiment>;
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
        setObsolete(*after_ == *before_);
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
      experiment_(std::make_shared<const stack::Experiment>()),
      info_(stack::inferShapes(*experiment_)) {
    undo_.setUndoLimit(kUndoSteps);
}

void ExperimentDocument::reset(stack::Experiment experiment) {
    undo_.clear();
    assign(std::make_shared<const stack::Experiment>(std::move(experiment)));
}

void ExperimentDocument::replace(const QString& what, stack::Experiment experiment,
                                 std::unique_ptr<QUndoCommand> place) {
    undo_.push(new ExperimentCommand(*this, what, experiment_,
                                     std::make_shared<const stack::Experiment>(std::move(experiment)), {},
                                     std::move(place)));
}

void ExperimentDocument::edit(const QString& what, const std::function<void(stack::Experiment&)>& change,
                              const QString& mergeKey) {
    auto after = std::make_shared<stack::Experiment>(*experiment_);
    change(*after);
    if (*after == *experiment_) {
        return;
    }
    undo_.push(new ExperimentCommand(*this, what, experiment_, std::move(after), mergeKey));
}

void ExperimentDocument::assign(std::shared_ptr<const stack::Experiment> experiment) {
    experiment_ = std::move(experiment);
    info_ = stack::inferShapes(*experiment_);
    ++revision_;
    emit changed();
}

}  // namespace highwater::widgets

#include "moc_document.cpp"
