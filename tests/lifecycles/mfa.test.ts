import { describeLifecycles } from "./lifecycle";

describeLifecycles("secrets/mfa");
