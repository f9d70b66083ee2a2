export {
  getPushMethod,
  type GetPushMethodArgs,
  getPushMethodOutput,
  type GetPushMethodOutputArgs,
  type GetPushMethodResult,
  PushMethod,
  type PushMethodArgs,
} from "./push-method";
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
export {
  adminDestroyTotpSecret,
  adminGenerateTotpSecret,
  type AdminTotpSecretArgs,
  generateTotpSecret,
  type GenerateTotpSecretArgs,
  TotpSecret,
  type TotpSecretArgs,
  type TotpSecretResult,
} from "./totp-secret";
