// Loaded before the fuzz programs by `instrumented`: appends a line for each of UBSan's reports to the file $UBSAN_LOG. Beside
// AddressSanitizer GCC's UBSan writes to no file by itself, and the reader's decoder has no terminal.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void __ubsan_get_current_report_data(const char** kind, const char** message, const char** file, unsigned* line,
                                     unsigned* column, char** address);

void __ubsan_on_report(void) {
    const char *kind = "", *message = "", *file = "";
    unsigned line = 0, column = 0;
    char* address = NULL;
    __ubsan_get_current_report_data(&kind, &message, &file, &line, &column, &address);
    const char* const path = getenv("UBSAN_LOG");
    const int out = path != NULL ? open(path, O_WRONLY | O_APPEND | O_CREAT, 0600) : -1;
    if (out >= 0) {
        dprintf(out, "%s:%u: %s: %s\n", file, line, kind, message);
        close(out);
    }
}
