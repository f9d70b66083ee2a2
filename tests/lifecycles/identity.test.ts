import { describeLifecycles } from "./lifecycle";

describeLifecycles("secrets/identity");
