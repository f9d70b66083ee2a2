import { project } from "../cases/provisioning/project";
import { describeLifecycles } from "./support/lifecycle";

describeLifecycles([project]);
