#pragma once

#include <QWidget>
#include <string>
#include <vector>

class QToolButton;
class QVBoxLayout;

namespace highwater::widgets {

/// A list of paths, one for each channel. Each can be changed, chosen in a dialog or removed, and another can
/// be added.
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
    std::size_t rows_ = 0;  ///< number of rows: one more than paths while the user is adding one
    QWidget* body_ = nullptr;
    QToolButton* add_;
    QVBoxLayout* layout_;
};

}  // namespace highwater::widgets
