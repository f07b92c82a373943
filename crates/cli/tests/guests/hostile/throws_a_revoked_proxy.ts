// expect: error program.threw: the program threw: an empty error
const { proxy, revoke } = Proxy.revocable({}, {});
revoke();
throw proxy;
