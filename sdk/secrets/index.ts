export * as directory from "./directory";
export * as identity from "./identity";
export * as mfa from "./mfa";
export * as scheduler from "./scheduler";
