export { PushMethod, type PushMethodArgs } from "./push-method";
export {
  getPushMethod,
  type GetPushMethodArgs,
  getPushMethodOutput,
  type GetPushMethodOutputArgs,
  type GetPushMethodResult,
} from "./push-method-functions";
export {
  getTotpMethod,
  type GetTotpMethodArgs,
  getTotpMethodOutput,
  type GetTotpMethodOutputArgs,
  type GetTotpMethodResult,
  listTotpMethods,
  type ListTotpMethodsArgs,
  listTotpMethodsOutput,
  type ListTotpMethodsOutputArgs,
  type ListTotpMethodsResult,
  type TotpAlgorithm,
  TotpMethod,
  type TotpMethodArgs,
} from "./totp-method";
export { TotpSecret, type TotpSecretArgs } from "./totp-secret";
export {
  adminDestroyTotpSecret,
  adminGenerateTotpSecret,
  type AdminTotpSecretArgs,
  generateTotpSecret,
  type GenerateTotpSecretArgs,
} from "./totp-secret-functions";
export type { TotpSecretResult } from "./totp-secret-wire";
