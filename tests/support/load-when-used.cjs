/**
 * Preloaded by processes that tests start. The SDK loads what serializes functions, such as the compiler, and what drives
 * the CLI: most of a process's start, for what resources whose code is a constant text never need. It loads when it is
 * first used instead.
 */
const Module = require("node:module");

const postponed = new Set([
  "typescript",
  "@npmcli/arborist",
  "normalize-package-data",
  "semver",
  "./automation",
]);
const load = Module._load;

Module._load = function (request, parent, isMain) {
  if (!postponed.has(request)) {
    return load.call(this, request, parent, isMain);
  }
  let loaded;
  const real = () => (loaded ??= load.call(this, request, parent, isMain));
  return new Proxy(() => undefined, {
    apply: (_target, _this, args) => real()(...args),
    // As a module of this kind it is taken as it is; the members of another one would be copied, and it loaded.
    get: (_target, name) => (name === "__esModule" ? true : real()[name]),
    has: (_target, name) => name in real(),
    ownKeys: () => Reflect.ownKeys(real()),
  });
};
