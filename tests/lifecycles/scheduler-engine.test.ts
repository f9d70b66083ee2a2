import { describeLifecycles } from "./lifecycle";

describeLifecycles("secrets/scheduler");
