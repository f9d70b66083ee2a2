import { totpMethod } from "../../../cases/secrets/mfa/totp-method";
import { describeLifecycle } from "../../support/lifecycle";

describeLifecycle(totpMethod);
