export type * from "./push-method";
export {
  getPushMethod,
  getPushMethodOutput,
  listPushMethods,
  listPushMethodsOutput,
  PushMethod,
} from "./push-method";
export type * from "./totp-method";
export {
  getTotpMethod,
  getTotpMethodOutput,
  listTotpMethods,
  listTotpMethodsOutput,
  TotpAlgorithm,
  TotpMethod,
} from "./totp-method";
export type * from "./totp-secret";
export {
  adminDestroyTotpSecret,
  adminGenerateTotpSecret,
  generateTotpSecret,
  TotpSecret,
} from "./totp-secret";
