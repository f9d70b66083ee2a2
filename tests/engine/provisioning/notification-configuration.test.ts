import { notificationConfiguration } from "../../cases/provisioning/notification-configuration";
import { describeLifecycle } from "../support/lifecycle";

describeLifecycle(notificationConfiguration);
