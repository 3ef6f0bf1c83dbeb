#include "widgets/controls/path_list.h"

#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/controls/path_field.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/tab_order.h"

namespace highwater::widgets {

PathList::PathList(QWidget* parent) : QWidget(parent), layout_(new QVBoxLayout(this)) {
    layout_->setContentsMargins(0, 0, 0, 0);
    layout_->setSpacing(2);
    add_ = linkButton(tr("+ add channel"),
                      tr("Another scan of the same size as one more channel of the input"), this);
    add_->setObjectName("Add channel");
    add_->setFocusPolicy(Qt::StrongFocus);
    layout_->addWidget(add_, 0, Qt::AlignLeft);
    connect(add_, &QToolButton::clicked, this, [this] {
        rebuild(paths_.size() + 1);
        if (auto* fresh = findChildren<PathField*>().value(static_cast<int>(paths_.size()))) {
            fresh->setFocus();
        }
    });
    rebuild(1);
}

void PathList::showPaths(const std::vector<std::string>& paths) {
    const bool same = paths == paths_;
    paths_ = paths;
    if (!same || rows_ < paths.size()) {
        rebuild(std::max<std::size_t>(1, paths.size()));
    }
}

void PathList::rebuild(std::size_t rows) {
    if (body_) {
        body_->setParent(nullptr);
        body_->deleteLater();  // the sender of the current signal may be one of its buttons
    }
    rows_ = rows;
    body_ = new QWidget(this);
    auto* column = makeLayout<QVBoxLayout>(body_, 4);
    for (std::size_t i = 0; i < rows; ++i) {
        column->addWidget(makeRow(i));
    }
    layout_->insertWidget(0, body_);
    tabBefore(add_, *body_);
}

QWidget* PathList::makeRow(std::size_t index) {
    auto* row = new QWidget(body_);
    auto* layout = makeLayout<QHBoxLayout>(row, 2);
    auto* field = new PathField(
        tr("Choose a scan"),
        tr("Scans (*.nii *.nii.gz *.hdr *.img *.nrrd *.nhdr *.mha *.mhd *.mgh *.mgz *.dcm);;All files (*)"),
        row);
    field->setObjectName(QString("Channel %1").arg(index + 1));
    field->showPath(index < paths_.size() ? QString::fromStdString(paths_[index]) : QString());
    layout->addWidget(field, 1);
    connect(field, &PathField::chosen, this, [this, index](const QString& path) {
        auto paths = paths_;
        paths.resize(std::max(paths.size(), index + 1));
        paths[index] = path.toStdString();
        emit edited(paths);
    });
    if (rows_ > 1) {
        auto* remove = new QToolButton(row);
        remove->setText(QStringLiteral("✕"));
        remove->setToolTip(tr("Remove this channel"));
        remove->setFocusPolicy(Qt::TabFocus);
        layout->addWidget(remove);
        connect(remove, &QToolButton::clicked, this, [this, index] {
            auto paths = paths_;
            if (index >= paths.size()) {
                return rebuild(std::max<std::size_t>(1, paths.size()));
            }
            paths.erase(paths.begin() + static_cast<std::ptrdiff_t>(index));
            emit edited(paths);
        });
    }
    return row;
}

}  // namespace highwater::widgets

#include "moc_path_list.cpp"
