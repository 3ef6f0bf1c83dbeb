class Random:
    """std::mt19937_64: the Mersenne Twister's 64-bit numbers, many at a time."""

    def __init__(self, seed):
        state = [seed]
        for i in range(1, 312):
            state.append((6364136223846793005 * (state[-1] ^ (state[-1] >> 62)) + i) % 2**64)
        self.state = np.array(state, dtype=np.uint64)
        self.ready = np.empty(0, dtype=np.uint64)

    def twist(self):
        def mixed(high, low):
            y = (high & np.uint64(0xFFFFFFFF80000000)) | (low & np.uint64(0x7FFFFFFF))
            return (y >> np.uint64(1)) ^ ((y & np.uint64(1)) * np.uint64(0xB5026F5AA96619E9))

        s = self.state
        s[:156] = s[156:] ^ mixed(s[:156], s[1:157])
        s[156:311] = s[:155] ^ mixed(s[156:311], s[157:])
        s[311:] = s[155:156] ^ mixed(s[311:], s[:1])
        y = s ^ ((s >> np.uint64(29)) & np.uint64(0x5555555555555555))
        y ^= (y << np.uint64(17)) & np.uint64(0x71D67FFFEDA60000)
        y ^= (y << np.uint64(37)) & np.uint64(0xFFF7EEE000000000)
        return y ^ (y >> np.uint64(43))

    def numbers(self, count):
        if self.ready.size < count:
            more = [self.twist() for _ in range(-(-(count - self.ready.size) // 312))]
            self.ready = np.concatenate([self.ready, *more])
        numbers, self.ready = self.ready[:count], self.ready[count:]
        return numbers

    def below(self, limit, count):
        """From 0 to below the limit, evenly distributed: the high bits of number * limit."""
        numbers, limit = self.numbers(count), np.uint64(limit)
        low, high = numbers & np.uint64(0xFFFFFFFF), numbers >> np.uint64(32)
        carried = high * limit + ((low * limit) >> np.uint64(32))
        return (carried >> np.uint64(32)).astype(np.int64)
