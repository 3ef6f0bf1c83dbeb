#include "tests/gpu/emulated/emulation.h"

#include <setjmp.h>
#include <ucontext.h>

#include <memory>
#include <stdexcept>
#include <vector>

namespace highwater::engine::kernels {

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace emulation {

namespace {

constexpr std::size_t kStack = 64 * 1024, kLanes = 32;

/// Starts on its own stack through a context; afterwards it is left and entered with jumps, which need no
/// system call.
struct Fiber {
    ucontext_t context{};
    jmp_buf place;
    bool begun = false;
    std::vector<char> stack;
    uint3 index{};
    bool done = false;
};

/// Threads that wait for each other.
struct Meeting {
    unsigned alive = 0, waiting = 0, turn = 0;

    void pass() {
        if (waiting == alive && waiting > 0) {
            waiting = 0;
            ++turn;
        }
    }
};

struct Block {
    std::vector<Fiber>& fibers;
    std::vector<Meeting> warps = {};
    Meeting all = {};
    std::vector<float> lanes = {};
    jmp_buf scheduler = {};
    std::size_t now = 0;
    const std::function<void()>* body = nullptr;
    std::uint64_t progress = 0;  ///< barriers passed and fibers ended
};
Block* gBlock = nullptr;

void yield() {
    Fiber& self = gBlock->fibers[gBlock->now];
    if (_setjmp(self.place) == 0) {
        _longjmp(gBlock->scheduler, 1);
    }
}

/// Returns when the current fiber yields.
void enter() {
    Fiber& fiber = gBlock->fibers[gBlock->now];
    if (_setjmp(gBlock->scheduler) != 0) {
        return;
    }
    if (fiber.begun) {
        _longjmp(fiber.place, 1);
    }
    fiber.begun = true;
    setcontext(&fiber.context);
}

void meet(Meeting& meeting) {
    const unsigned turn = meeting.turn;
    ++meeting.waiting;
    meeting.pass();
    while (meeting.turn == turn) {
        yield();
    }
    ++gBlock->progress;
}

/// Runs one thread of every block in turns.
void runFiber() {
    while (true) {
        Block& block = *gBlock;
        (*block.body)();
        block.fibers[block.now].done = true;
        ++block.progress;
        for (Meeting* const each : {&block.all, &block.warps[block.now / kLanes]}) {
            --each->alive;
            each->pass();
        }
        yield();
    }
}

void start(Block& block) {
    for (Fiber& fiber : block.fibers) {
        fiber.done = false;
    }
    block.all = {static_cast<unsigned>(block.fibers.size())};
    for (std::size_t warp = 0; warp < block.warps.size(); ++warp) {
        block.warps[warp] = {static_cast<unsigned>(std::min(kLanes, block.fibers.size() - warp * kLanes))};
    }
}

void prepare(Fiber& fiber) {
    fiber.stack.resize(kStack);
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.data();
    fiber.context.uc_stack.ss_size = fiber.stack.size();
    fiber.context.uc_link = nullptr;
    makecontext(&fiber.context, &runFiber, 0);
}

void runBlock(Block& block) {
    start(block);
    for (bool left = true; left;) {
        left = false;
        const std::uint64_t before = block.progress;
        for (block.now = 0; block.now < block.fibers.size(); ++block.now) {
            Fiber& fiber = block.fibers[block.now];
            if (fiber.done) {
                continue;
            }
            threadIdx = fiber.index;
            enter();
            left = left || !fiber.done;
        }
        if (left && block.progress == before) {
            throw std::logic_error("threads wait for threads that do not come");
        }
    }
}

}  // namespace

void run(dim3 grid, dim3 block, const std::function<void()>& body) {
    static std::vector<Fiber> fibers;  // kept, because creating their stacks is most of the work
    const std::size_t threads = std::size_t{block.x} * block.y * block.z;
    if (fibers.size() != threads) {
        fibers = std::vector<Fiber>(threads);
        for (Fiber& fiber : fibers) {
            prepare(fiber);
        }
    }
    Block made{fibers};
    made.body = &body;
    made.warps.resize((made.fibers.size() + kLanes - 1) / kLanes);
    made.lanes.resize(made.fibers.size());
    for (std::size_t i = 0; i < made.fibers.size(); ++i) {
        const auto thread = static_cast<unsigned>(i);
        made.fibers[i].index = {thread % block.x, thread / block.x % block.y, thread / block.x / block.y};
    }
    blockDim = block;
    gridDim = grid;
    gBlock = &made;
    for (blockIdx.z = 0; blockIdx.z < grid.z; ++blockIdx.z) {
        for (blockIdx.y = 0; blockIdx.y < grid.y; ++blockIdx.y) {
            for (blockIdx.x = 0; blockIdx.x < grid.x; ++blockIdx.x) {
                runBlock(made);
            }
        }
    }
    gBlock = nullptr;
}

void waitForBlock() {
    meet(gBlock->all);
    threadIdx = gBlock->fibers[gBlock->now].index;
}

float fromLane(float value, int further) {
    Block& block = *gBlock;
    const std::size_t thread = block.now, lane = thread % kLanes;
    block.lanes[thread] = value;
    meet(block.warps[thread / kLanes]);
    const std::size_t other = thread + static_cast<std::size_t>(further);
    const float given =
        lane + static_cast<std::size_t>(further) < kLanes ? block.lanes[other] : block.lanes[thread];
    meet(block.warps[thread / kLanes]);
    threadIdx = block.fibers[block.now].index;
    return given;
}

}  // namespace emulation

}  // namespace highwater::engine::kernels
