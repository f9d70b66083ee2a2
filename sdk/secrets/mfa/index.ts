export { PushMethod, type PushMethodArgs } from "./push-method";
export {
  getPushMethod,
  type GetPushMethodArgs,
  getPushMethodOutput,
  type GetPushMethodOutputArgs,
  type GetPushMethodResult,
} from "./push-method-functions";
export { TotpMethod, type TotpMethodArgs } from "./totp-method";
export {
  getTotpMethod,
  type GetTotpMethodArgs,
  getTotpMethodOutput,
  type GetTotpMethodOutputArgs,
  listTotpMethods,
  type ListTotpMethodsArgs,
  listTotpMethodsOutput,
  type ListTotpMethodsOutputArgs,
  type ListTotpMethodsResult,
  type GetTotpMethodResult,
} from "./totp-method-functions";
export type { TotpAlgorithm } from "./totp-method-wire";
export { TotpSecret, type TotpSecretArgs } from "./totp-secret";
export {
  adminDestroyTotpSecret,
  adminGenerateTotpSecret,
  type AdminTotpSecretArgs,
  generateTotpSecret,
  type GenerateTotpSecretArgs,
} from "./totp-secret-functions";
export type { TotpSecretResult } from "./totp-secret-wire";
