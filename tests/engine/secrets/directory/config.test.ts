import { config } from "../../../cases/secrets/directory/config";
import { describeLifecycle } from "../../support/lifecycle";

describeLifecycle(config);
