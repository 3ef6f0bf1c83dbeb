#include "core/base/heap.h"

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace highwater::base {

void boundHeap() {
#ifdef __GLIBC__
    if (std::getenv("GLIBC_TUNABLES") == nullptr) {
        mallopt(M_MMAP_THRESHOLD, 4 << 20);
        mallopt(M_TRIM_THRESHOLD, 8 << 20);
        mallopt(M_ARENA_MAX, 4);
    }
#endif
}

}  // namespace highwater::base
