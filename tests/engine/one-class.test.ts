import { resourceCases } from "../cases";
import { describeLifecycles } from "./support/lifecycle";

const project = resourceCases.get("provisioning:Project");
describeLifecycles(project === undefined ? [] : [[project, "hashicorp"]]);
