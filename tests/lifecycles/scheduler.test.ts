import { describeLifecycles } from "./lifecycle";

describeLifecycles("scheduler");
