// expect: error program.threw: the program threw: RangeError: BigInt is too large
2n ** 1_000_000_000n;
