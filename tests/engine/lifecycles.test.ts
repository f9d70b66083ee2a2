import { resourceCases } from "../cases";
import { describeLifecycles } from "./support/lifecycle";

describeLifecycles([...resourceCases.values()]);
