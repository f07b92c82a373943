function merge(target: any, source: any) {
  for (const key in source) {
    if (typeof source[key] === 'object') { target[key] ??= {}; merge(target[key], source[key]); } else target[key] = source[key];
  }
  return target;
}
merge({}, JSON.parse('{"__proto__":{"isAdmin":true}}'));
