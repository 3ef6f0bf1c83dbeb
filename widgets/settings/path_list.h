#pragma once

#include <QWidget>
#include <string>
#include <vector>

class QToolButton;
class QVBoxLayout;

namespace highwater::widgets {

/// Paths, one a channel: each can be changed, looked for and removed, and another be added.
class PathList : public QWidget {
    Q_OBJECT
public:
    explicit PathList(QWidget* parent = nullptr);
    void showPaths(const std::vector<std::string>& paths);

signals:
    void edited(const std::vector<std::string>& paths);

private:
    void rebuild(std::size_t rows);
    QWidget* makeRow(std::size_t index);
    std::vector<std::string> paths_;
    std::size_t rows_ = 0;  ///< one more than paths where another is being added
    QWidget* body_ = nullptr;
    QToolButton* add_;
    QVBoxLayout* layout_;
};

}  // namespace highwater::widgets
