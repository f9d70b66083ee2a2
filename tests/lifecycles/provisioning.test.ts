import { describeLifecycles } from "./lifecycle";

describeLifecycles("provisioning");
