import { existsSync } from "node:fs";
import { join } from "node:path";
import { placedCases } from "../cases";
import { describeLifecycle } from "./support/lifecycle";

// A class with a test of its own in the place of its case runs there.
for (const { place, resourceCase } of placedCases) {
  if (!existsSync(join(__dirname, `${place}.test.ts`))) {
    describeLifecycle(resourceCase);
  }
}
