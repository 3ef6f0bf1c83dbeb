#include "core/report/paginate.h"

namespace highwater::report {
namespace {

constexpr double kRounding = 1e-6;

class Paginator {
public:
    Paginator(std::span<const Strip> strips, double pageHeight) : strips_(strips), most_(pageHeight) {}

    std::vector<Placed> run() {
        for (std::size_t i = 0; i < strips_.size();) {
            std::size_t end = i + 1;
            while (end < strips_.size() && strips_[end - 1].keep && !strips_[end].newPage) {
                ++end;
            }
            placeTogether(i, end);
            i = end;
        }
        return std::move(placed_);
    }

private:
    void placeTogether(std::size_t begin, std::size_t end) {
        if (y_ > 0 && (strips_[begin].newPage || !fits(begin, end))) {
            turn();
        }
        const bool whole = fits(begin, end);
        for (std::size_t i = begin; i < end; ++i) {
            if (!whole && y_ > 0 && !fits(i, i + 1)) {
                turn();
            }
            place(i);
        }
    }

    /// Whether these, with the header that a page's first strip needs, fit on the rest of the page.
    bool fits(std::size_t begin, std::size_t end) const {
        double y = y_ > 0 ? y_ + strips_[begin].before : headerHeight(begin);
        for (std::size_t i = begin; i < end; ++i) {
            y += strips_[i].height + (i > begin ? strips_[i].before : 0);
        }
        return y <= most_ + kRounding;
    }

    /// A header that leaves no room for what stands under it is not repeated.
    double headerHeight(std::size_t strip) const {
        const int header = strips_[strip].header;
        if (header < 0) {
            return 0;
        }
        const double height = strips_[static_cast<std::size_t>(header)].height;
        return height + strips_[strip].height <= most_ + kRounding ? height : 0;
    }

    void place(std::size_t strip) {
        if (y_ > 0) {
            y_ += strips_[strip].before;
        } else if (const double height = headerHeight(strip); height > 0) {
            placed_.push_back({static_cast<std::size_t>(strips_[strip].header), page_, 0, true});
            y_ = height;
        }
        placed_.push_back({strip, page_, y_});
        y_ += strips_[strip].height;
    }

    void turn() {
        ++page_;
        y_ = 0;
    }

    std::span<const Strip> strips_;
    double most_;
    std::vector<Placed> placed_;
    int page_ = 0;
    double y_ = 0;
};

}  // namespace

std::vector<Placed> paginate(std::span<const Strip> strips, double pageHeight) {
    return Paginator(strips, pageHeight).run();
}

}  // namespace highwater::report
