#include "core/report/pdf.h"

#include <cairo-pdf.h>
#include <cairo.h>
#include <fmt/format.h>

#include <array>

#include "core/report/escape.h"
#include "core/report/flow.h"

namespace highwater::report {
namespace {

cairo_status_t appendPdf(void* to, const unsigned char* data, unsigned length) {
    static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), length);
    return CAIRO_STATUS_SUCCESS;
}

class PdfPages {
public:
    PdfPages(cairo_surface_t* surface, const Document& document, const Stop& stop)
        : surface_(surface), cairo_(cairo_create(surface)), title_(wellFormed(document.title)) {
        const auto say = [surface](cairo_pdf_metadata_t what, const std::string& text) {
            cairo_pdf_surface_set_metadata(surface, what, text.c_str());
        };
        say(CAIRO_PDF_METADATA_TITLE, title_);
        say(CAIRO_PDF_METADATA_CREATOR, "Highwater " HIGHWATER_VERSION);
        say(CAIRO_PDF_METADATA_CREATE_DATE,
            "");  // Cairo's own is the clock's, and no two files would be the same
        pieces_ = flow(document, cairo_, stop);
    }
    PdfPages(const PdfPages&) = delete;
    PdfPages& operator=(const PdfPages&) = delete;
    ~PdfPages() { cairo_destroy(cairo_); }

    void draw(const Stop& stop) {
        std::vector<Strip> strips;
        for (const Piece& piece : pieces_) {
            strips.push_back(piece.strip);
        }
        const std::vector<Placed> placed = paginate(strips, kFlowHeight);
        const int pages = placed.empty() ? 1 : placed.back().page + 1;
        int page = 0;
        cairo_tag_begin(cairo_, "Document", nullptr);
        for (const Placed& place : placed) {
            while (page < place.page) {
                end(page++, pages);
            }
            if (stop && stop()) {
                break;
            }
            drawPiece(pieces_[place.strip], place);
        }
        end(page, pages);
        cairo_tag_end(cairo_, "Document");
    }

private:
    void drawPiece(const Piece& piece, const Placed& place) {
        constexpr std::array<const char*, 4> kTags = {"P", "H1", "H2", "H3"};
        const char* tag = kTags[static_cast<std::size_t>(piece.level)];
        const double y = kMargin + place.y;
        if (!place.repeated && !piece.anchor.empty()) {
            const std::string where = fmt::format("name='{}' x={} y={:.3f}", piece.anchor, kMargin, y);
            cairo_tag_begin(cairo_, CAIRO_TAG_DEST, where.c_str());
            cairo_tag_end(cairo_, CAIRO_TAG_DEST);
        }
        if (!place.repeated && !piece.outline.empty()) {
            addOutline(piece, place.page, y);
        }
        cairo_tag_begin(cairo_, tag, nullptr);
        piece.draw(y);
        cairo_tag_end(cairo_, tag);
    }

    /// The report's title is no line of the outline.
    void addOutline(const Piece& piece, int page, double y) {
        if (piece.level < 2) {
            return;
        }
        const bool top = piece.level == 2 || parent_ == 0;
        const int id = cairo_pdf_surface_add_outline(
            surface_, top ? CAIRO_PDF_OUTLINE_ROOT : parent_, wellFormed(piece.outline).c_str(),
            fmt::format("page={} pos=[0 {:.3f}]", page + 1, y).c_str(), CAIRO_PDF_OUTLINE_FLAG_OPEN);
        if (piece.level == 2) {
            parent_ = id;
        }
    }

    /// The page's number and the report's name, and the page's end.
    void end(int page, int pages) {
        const Typesetter type(cairo_);
        const TextLook look{8, kLight.muted};
        const double baseline = kPageHeight - kMargin;
        const Line number = type.oneLine(fmt::format("Page {} of {}", page + 1, pages), look, kFlowWidth);
        type.oneLine(title_, look, kFlowWidth - number.width - 20).draw(kMargin, baseline);
        number.draw(kPageWidth - kMargin - number.width, baseline);
        cairo_show_page(cairo_);
    }

    cairo_surface_t* surface_;
    cairo_t* cairo_;
    std::string title_;
    std::vector<Piece> pieces_;
    int parent_ = 0;
};

}  // namespace

std::string pdf(const Document& document, const Stop& stop) {
    std::string out;
    cairo_surface_t* surface = cairo_pdf_surface_create_for_stream(appendPdf, &out, kPageWidth, kPageHeight);
    PdfPages pages(surface, document, stop);
    pages.draw(stop);
    cairo_surface_finish(surface);
    cairo_surface_destroy(surface);
    return stop && stop() ? std::string() : out;
}

}  // namespace highwater::report
