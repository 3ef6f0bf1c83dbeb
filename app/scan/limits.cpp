#include "app/scan/commands.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#include <csignal>

namespace highwater::scan {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

}  // namespace

void limitProcess(base::Bytes addressSpace) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    if (addressSpace > 0 && !kSanitized) {
        const auto bytes = static_cast<rlim_t>(addressSpace);
        const rlimit limit{bytes, bytes};
        setrlimit(RLIMIT_AS, &limit);
    }
}

}  // namespace highwater::scan
