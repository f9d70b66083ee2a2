export type * from "./config";
export { Config, CredentialType, DirectorySchema, getConfig, getConfigOutput, TlsVersion } from "./config";
export type * from "./dynamic-credential";
export { DynamicCredential, getDynamicCredentials } from "./dynamic-credential";
export type * from "./dynamic-role";
export {
  DynamicRole,
  getDynamicRole,
  getDynamicRoleOutput,
  listDynamicRoles,
  listDynamicRolesOutput,
} from "./dynamic-role";
export type * from "./library-checkout";
export { checkIn, checkOut, forceCheckIn, LibraryCheckout } from "./library-checkout";
export type * from "./library-set";
export {
  getLibrarySet,
  getLibrarySetOutput,
  getLibraryStatus,
  getLibraryStatusOutput,
  LibrarySet,
  listLibrarySets,
  listLibrarySetsOutput,
} from "./library-set";
export { lintTemplate, type TemplateFinding, type TemplateKind } from "./lint-template";
export type * from "./root-rotation";
export { RootRotation, rotateRoot } from "./root-rotation";
export type * from "./static-role";
export {
  getStaticCredentials,
  getStaticCredentialsOutput,
  getStaticRole,
  getStaticRoleOutput,
  listStaticRoles,
  listStaticRolesOutput,
  StaticRole,
} from "./static-role";
export type * from "./static-role-rotation";
export { rotateStaticRole, StaticRoleRotation } from "./static-role-rotation";
export type { Triggers } from "../../base/json";
