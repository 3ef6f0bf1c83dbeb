#include "app/desktop/prediction/asker.h"

#include <algorithm>
#include <utility>

#include "core/ask/find_cudnn.h"

namespace highwater::desktop {

namespace {

struct Asked {
    base::Result<ask::Answers> answers{base::Error{}};
    std::set<std::string> tried;
};

}  // namespace

base::Result<ask::Answers> Asker::askUsersCudnn(const predict::AskedKey& key,
                                                const predict::Prediction& prediction,
                                                const ask::Asking& asking) {
    const auto library = ask::findCudnn();
    if (!library) {
        return base::Error{""};
    }
    ask::Asking here = asking;
    here.library = *library;
    return ask::askWhatIsOpen(key, prediction, here);
}

Asker::Asker(Work work, QObject* parent) : QObject(parent), work_(std::move(work)) {}

Asker::~Asker() {
    *cancel_ = true;
}

bool Asker::leavesOpen(const Question& question) const {
    const auto tried = tried_.find(predict::askedFileName(question.key));
    if (tried != tried_.end() && tried->second.nobody) {
        return false;
    }
    return std::ranges::any_of(ask::openQuestions(*question.prediction), [&](const std::string& open) {
        return tried == tried_.end() || !tried->second.questions.contains(open);
    });
}

void Asker::look(const PredictionAnswer& answer) {
    if (!answer.prediction || answer.asked.described.empty()) {
        return;
    }
    Question question{answer.asked, answer.prediction};
    if (leavesOpen(question)) {
        next_ = std::move(question);
        begin();
    }
}

void Asker::begin() {
    if (asking_ || !next_ || !leavesOpen(*next_)) {
        return;
    }
    asking_ = *std::exchange(next_, {});
    const Tried& before = tried_[predict::askedFileName(asking_->key)];
    worker_.run(
        [work = work_, question = *asking_, tried = before.questions, cancel = cancel_] {
            Asked asked;
            asked.tried = tried;
            ask::Asking asking;
            asking.tried = &asked.tried;
            asking.cancel = cancel.get();
            asked.answers = work(question.key, *question.prediction, asking);
            return asked;
        },
        this,
        [this](Asked asked) {
            Tried& tried = tried_[predict::askedFileName(asking_->key)];
            tried.questions = std::move(asked.tried);
            tried.nobody = !asked.answers;
            tried.why = asked.answers ? asked.answers->open : asked.answers.error().message;
            const bool better = asked.answers && asked.answers->table.size() > 0;
            asking_.reset();
            emit saidChanged();
            if (better) {
                emit learned();
            }
            begin();
        });
    emit saidChanged();
}

QString Asker::said(const PredictionAnswer& answer) const {
    if (!answer.prediction || answer.prediction->withoutRow == 0 || answer.asked.described.empty()) {
        return {};
    }
    if (asking_ && asking_->key == answer.asked) {
        return tr("cuDNN is being asked about them");
    }
    const auto tried = tried_.find(predict::askedFileName(answer.asked));
    return tried == tried_.end() ? QString() : QString::fromStdString(tried->second.why);
}

}  // namespace highwater::desktop

#include "moc_asker.cpp"
