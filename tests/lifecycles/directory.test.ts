import { describeLifecycles } from "./lifecycle";

describeLifecycles("secrets/directory");
