import { dynamicCredential } from "../../../cases/secrets/directory/dynamic-credential";
import { describeLifecycle } from "../../support/lifecycle";

describeLifecycle(dynamicCredential);
