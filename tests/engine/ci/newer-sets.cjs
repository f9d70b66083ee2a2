// Preloaded into gitlab-ci-local, which is built for Node.js 22: the one thing in it that Node.js 20 lacks.
"use strict";

Set.prototype.union ??= function union(other) {
  return new Set([...this, ...other.keys()]);
};
