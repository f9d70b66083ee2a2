import { notificationConfiguration } from "../cases/provisioning/notification-configuration";
import { describeLifecycles } from "./support/lifecycle";

describeLifecycles([notificationConfiguration]);
