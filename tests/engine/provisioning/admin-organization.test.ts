import { adminOrganization } from "../../cases/provisioning/admin-organization";
import { describeLifecycle } from "../support/lifecycle";

describeLifecycle(adminOrganization);
