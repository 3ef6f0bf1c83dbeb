#include "app/desktop/run/runs_model.h"

#include <QColor>
#include <algorithm>
#include <utility>

#include "widgets/theme/theme.h"

namespace highwater::desktop {

/// The root, a study, or a run.
struct RunsModel::Node {
    Node* parent = nullptr;
    int place = 0;  ///< index within the parent
    RunRow row;     ///< for a run
    QString studyId;
    StudyTexts texts = {};  ///< for a study
    Nodes children = {};
    bool isStudy() const { return parent && !studyId.isEmpty(); }
};

RunsModel::RunsModel(QObject* parent) : QAbstractItemModel(parent), root_(std::make_unique<Node>()) {}

RunsModel::~RunsModel() = default;

RunsModel::Node* RunsModel::node(const QModelIndex& index) const {
    return index.isValid() ? static_cast<Node*>(index.internalPointer()) : root_.get();
}

QModelIndex RunsModel::indexOf(const Node& node, int column) const {
    return node.parent ? createIndex(node.place, column, &node) : QModelIndex();
}

void RunsModel::dropFrom(Node& parent, const std::function<bool(const Node&)>& goes) {
    for (int last = static_cast<int>(parent.children.size()) - 1; last >= 0; --last) {
        if (!goes(*parent.children[static_cast<std::size_t>(last)])) {
            continue;
        }
        int first = last;
        while (first > 0 && goes(*parent.children[static_cast<std::size_t>(first - 1)])) {
            --first;
        }
        beginRemoveRows(indexOf(parent), first, last);
        for (int i = first; i <= last; ++i) {
            const Node& gone = *parent.children[static_cast<std::size_t>(i)];
            gone.isStudy() ? studies_.remove(gone.studyId) : runs_.remove(gone.row.id);
        }
        parent.children.erase(parent.children.begin() + first, parent.children.begin() + last + 1);
        for (std::size_t i = static_cast<std::size_t>(first); i < parent.children.size(); ++i) {
            parent.children[i]->place = static_cast<int>(i);
        }
        endRemoveRows();
        last = first;
    }
}

/// `studyOf`: the study of each run that is kept; a run that moved to another study is recreated. Returns the
/// studies that lost a run.
QSet<QString> RunsModel::dropAllBut(const QHash<QString, QString>& studyOf) {
    const auto goes = [&](const Node& node) {
        const auto at = studyOf.constFind(node.row.id);
        return at == studyOf.constEnd() || *at != node.parent->studyId;
    };
    QSet<QString> touched;
    for (Node* study : std::as_const(studies_)) {
        const std::size_t before = study->children.size();
        dropFrom(*study, goes);
        if (study->children.size() != before) {
            touched.insert(study->studyId);
        }
    }
    dropFrom(*root_, [&](const Node& node) { return node.isStudy() ? node.children.empty() : goes(node); });
    return touched;
}

void RunsModel::insert(Node& parent, Nodes nodes) {
    if (nodes.empty()) {
        return;
    }
    const int first = static_cast<int>(parent.children.size());
    beginInsertRows(indexOf(parent), first, first + static_cast<int>(nodes.size()) - 1);
    for (std::unique_ptr<Node>& node : nodes) {
        node->parent = &parent;
        node->place = static_cast<int>(parent.children.size());
        if (node->studyId.isEmpty()) {
            runs_.insert(node->row.id, node.get());
        }
        parent.children.push_back(std::move(node));
    }
    endInsertRows();
}

void RunsModel::change(Node& node, RunRow row) {
    node.row = std::move(row);
    emit dataChanged(indexOf(node), indexOf(node, kRunColumns - 1));
}

/// Updates the study's texts from its runs.
void RunsModel::settle(Node& study) {
    std::vector<const RunRow*> rows;
    for (const std::unique_ptr<Node>& run : study.children) {
        rows.push_back(&run->row);
    }
    study.texts = studyTexts(rows);
    emit dataChanged(indexOf(study), indexOf(study, kRunColumns - 1));
}

void RunsModel::setRows(std::vector<RunRow> rows) {
    QHash<QString, QString> studyOf;
    for (const RunRow& row : rows) {
        studyOf.insert(row.id, row.studyId);
    }
    QSet<QString> touched = dropAllBut(studyOf);
    std::vector<RunRow> fresh;
    for (RunRow& row : rows) {
        Node* known = runs_.value(row.id);
        if (!known) {
            touched.insert(row.studyId);
            fresh.push_back(std::move(row));
        } else if (!(known->row == row)) {
            touched.insert(row.studyId);
            change(*known, std::move(row));
        }
    }
    add(std::move(fresh));
    for (const QString& study : std::as_const(touched)) {
        if (Node* node = studies_.value(study)) {
            settle(*node);
        }
    }
}

/// Adds new runs, those of a study below its row.
void RunsModel::add(std::vector<RunRow> rows) {
    Nodes top;
    QHash<QString, int> places;  // of the studies in `parts`
    std::vector<std::pair<QString, Nodes>> parts;
    for (RunRow& row : rows) {
        auto node = std::make_unique<Node>();
        const QString study = row.studyId;
        node->row = std::move(row);
        if (study.isEmpty()) {
            top.push_back(std::move(node));
            continue;
        }
        if (!studies_.contains(study)) {
            auto parent = std::make_unique<Node>();
            parent->studyId = study;
            studies_.insert(study, parent.get());
            top.push_back(std::move(parent));
        }
        if (!places.contains(study)) {
            places.insert(study, static_cast<int>(parts.size()));
            parts.emplace_back(study, Nodes());
        }
        parts[static_cast<std::size_t>(places.value(study))].second.push_back(std::move(node));
    }
    insert(*root_, std::move(top));
    for (auto& [study, nodes] : parts) {
        insert(*studies_.value(study), std::move(nodes));
    }
}

void RunsModel::setRow(const RunRow& row) {
    std::vector<RunRow> rows;
    rows.reserve(static_cast<std::size_t>(runs_.size()) + 1);
    bool known = false;
    const std::function<void(const Node&)> collect = [&](const Node& parent) {
        for (const std::unique_ptr<Node>& child : parent.children) {
            if (child->isStudy()) {
                collect(*child);
                continue;
            }
            rows.push_back(child->row.id == row.id ? row : child->row);
            known = known || child->row.id == row.id;
        }
    };
    collect(*root_);
    if (!known) {
        rows.push_back(row);
    }
    setRows(std::move(rows));
}

bool RunsModel::anyText(RunColumn column) const {
    return std::ranges::any_of(runs_, [&](const Node* run) { return hasText(run->row, column); });
}

QString RunsModel::longest(RunColumn column) const {
    QString longest;
    const auto take = [&](const QString& text) {
        if (text.size() > longest.size()) {
            longest = text;
        }
    };
    for (const Node* run : runs_) {
        take(runText(run->row, column));
    }
    for (const Node* study : studies_) {
        take(study->texts.text[static_cast<std::size_t>(column)]);
    }
    return longest;
}

bool RunsModel::anyProgress() const {
    return std::ranges::any_of(runs_, [](const Node* run) { return !run->row.progress.isEmpty(); });
}

void RunsModel::setProgress(const QString& id, const QString& progress) {
    if (Node* known = runs_.value(id); known && known->row.progress != progress) {
        RunRow row = known->row;
        row.progress = progress;
        change(*known, std::move(row));
    }
}

void RunsModel::setShown(const QString& id) {
    for (const QString& changed : QStringList{std::exchange(shown_, id), id}) {
        if (const Node* run = runs_.value(changed)) {
            emit dataChanged(indexOf(*run), indexOf(*run));
        }
    }
}

void RunsModel::setAgainst(const QString& title, std::function<QString(const QString& id)> text) {
    againstTitle_ = title;
    against_ = std::move(text);
    const int column = static_cast<int>(RunColumn::Against);
    emit headerDataChanged(Qt::Horizontal, column, column);
    const std::function<void(const Node&)> tell = [&](const Node& parent) {
        if (!parent.children.empty()) {
            emit dataChanged(indexOf(*parent.children.front(), column),
                             indexOf(*parent.children.back(), column), {Qt::DisplayRole});
        }
    };
    tell(*root_);
    for (const Node* study : std::as_const(studies_)) {
        tell(*study);
    }
}

void RunsModel::setColors(const QHash<QString, QColor>& byId) {
    const QHash<QString, QColor> before = std::exchange(colors_, byId);
    const int column = static_cast<int>(RunColumn::Name);
    for (const QHash<QString, QColor>& some : {before, byId}) {
        for (auto at = some.cbegin(); at != some.cend(); ++at) {
            if (const Node* run = runs_.value(at.key())) {
                emit dataChanged(indexOf(*run, column), indexOf(*run, column), {Qt::DecorationRole});
            }
        }
    }
}

const RunRow* RunsModel::run(const QModelIndex& index) const {
    const Node* at = node(index);
    return at->parent && !at->isStudy() ? &at->row : nullptr;
}

QString RunsModel::studyId(const QModelIndex& index) const {
    return node(index)->isStudy() ? node(index)->studyId : QString();
}

QModelIndex RunsModel::indexOf(const QString& id) const {
    const Node* at = runs_.value(id);
    return at ? indexOf(*at) : QModelIndex();
}

QStringList RunsModel::allTags() const {
    QSet<QString> tags;
    for (const Node* run : runs_) {
        tags.unite(QSet<QString>(run->row.tags.begin(), run->row.tags.end()));
    }
    QStringList sorted(tags.begin(), tags.end());
    sorted.sort(Qt::CaseInsensitive);
    return sorted;
}

QModelIndex RunsModel::index(int row, int column, const QModelIndex& parent) const {
    const Node* at = node(parent);
    return row >= 0 && row < static_cast<int>(at->children.size()) && column >= 0 && column < kRunColumns
               ? createIndex(row, column, at->children[static_cast<std::size_t>(row)].get())
               : QModelIndex();
}

QModelIndex RunsModel::parent(const QModelIndex& child) const {
    const Node* at = node(child);
    return at->parent ? indexOf(*at->parent) : QModelIndex();
}

int RunsModel::rowCount(const QModelIndex& parent) const {
    return parent.column() > 0 ? 0 : static_cast<int>(node(parent)->children.size());
}

int RunsModel::columnCount(const QModelIndex&) const {
    return kRunColumns;
}

QVariant RunsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= kRunColumns) {
        return {};
    }
    const RunColumn column = static_cast<RunColumn>(section);
    if (role == Qt::DisplayRole && column == RunColumn::Against && !againstTitle_.isEmpty()) {
        return againstTitle_;
    }
    return widgets::headingData({lookOf(column).heading}, 0, orientation, role);
}

QString RunsModel::againstText(const RunRow& row) const {
    if (!row.message.isEmpty()) {
        return row.message;
    }
    const QString text = against_ ? against_(row.id) : QString();
    return text.isEmpty() ? QStringLiteral("—") : text;
}

QVariant RunsModel::runData(const RunRow& row, RunColumn column, int role) const {
    const bool shown = column == RunColumn::Number && row.id == shown_;
    switch (role) {
        case Qt::DisplayRole:
            return column == RunColumn::Against ? againstText(row) : runText(row, column);
        case Qt::EditRole:
            return editable(column) ? runText(row, column) : QVariant();
        case kSortRole:
            return column == RunColumn::Against ? QVariant(againstText(row).toLower())
                                                : runOrder(row, column);
        case kTagsRole:
            return column == RunColumn::Tags ? row.tags : QVariant();
        case Qt::ForegroundRole:
            return column == RunColumn::Status ? QVariant(stateColor(row.state))
                   : shown                     ? QVariant(widgets::theme().accent)
                                               : QVariant();
        case Qt::DecorationRole:
            return column == RunColumn::Name && colors_.contains(row.id) ? QVariant(colors_.value(row.id))
                                                                         : QVariant();
        case Qt::ToolTipRole:
            if (shown) {
                return QObject::tr("The run shown in gauge and plots");
            }
            if (column == RunColumn::Status || column == RunColumn::Against) {
                return row.message.isEmpty() ? runData(row, column, Qt::DisplayRole) : row.message;
            }
            return editable(column) ? runText(row, column) : QVariant();
        default:
            return {};
    }
}

QVariant RunsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) {
        return {};
    }
    const Node& at = *node(index);
    const RunColumn column = static_cast<RunColumn>(index.column());
    if (role == Qt::TextAlignmentRole) {
        return lookOf(column).heading.alignment();
    }
    if (!at.isStudy()) {
        return runData(at.row, column, role);
    }
    const auto place = static_cast<std::size_t>(index.column());
    switch (role) {
        case Qt::DisplayRole:
        case Qt::ToolTipRole:
            return at.texts.text[place];
        case kSortRole:
            return at.texts.order[place];
        case Qt::ForegroundRole:
            return column == RunColumn::Status ? stateColor(at.texts.state) : QVariant();
        default:
            return {};
    }
}

Qt::ItemFlags RunsModel::flags(const QModelIndex& index) const {
    if (!index.isValid()) {
        return Qt::NoItemFlags;
    }
    const bool may = !node(index)->isStudy() && editable(static_cast<RunColumn>(index.column()));
    return Qt::ItemIsEnabled | Qt::ItemIsSelectable | (may ? Qt::ItemIsEditable : Qt::NoItemFlags);
}

bool RunsModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    const RunRow* row = run(index);
    if (role == Qt::EditRole && row &&
        value.toString() != runText(*row, static_cast<RunColumn>(index.column()))) {
        emit edited(row->id, static_cast<RunColumn>(index.column()), value.toString());
    }
    return false;
}

}  // namespace highwater::desktop

#include "moc_runs_model.cpp"
