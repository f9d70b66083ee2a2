export {
  Config,
  type ConfigArgs,
  type DirectorySchema,
  getConfig,
  type GetConfigArgs,
  getConfigOutput,
  type GetConfigOutputArgs,
  type GetConfigResult,
} from "./config";
export {
  DynamicCredential,
  type DynamicCredentialArgs,
  getDynamicCredentials,
  type GetDynamicCredentialsArgs,
  type GetDynamicCredentialsResult,
} from "./dynamic-credential";
export {
  DynamicRole,
  type DynamicRoleArgs,
  getDynamicRole,
  type GetDynamicRoleArgs,
  getDynamicRoleOutput,
  type GetDynamicRoleOutputArgs,
  type GetDynamicRoleResult,
} from "./dynamic-role";
export {
  checkIn,
  type CheckInArgs,
  type CheckInResult,
  checkOut,
  type CheckOutArgs,
  type CheckOutResult,
  forceCheckIn,
  LibraryCheckout,
  type LibraryCheckoutArgs,
} from "./library-checkout";
export {
  getLibrarySet,
  type GetLibrarySetArgs,
  getLibrarySetOutput,
  type GetLibrarySetOutputArgs,
  type GetLibrarySetResult,
  getLibraryStatus,
  type GetLibraryStatusArgs,
  getLibraryStatusOutput,
  type GetLibraryStatusOutputArgs,
  type GetLibraryStatusResult,
  type LibraryAccount,
  type LibraryAccounts,
  LibrarySet,
  type LibrarySetArgs,
  listLibrarySets,
  type ListLibrarySetsArgs,
  listLibrarySetsOutput,
  type ListLibrarySetsOutputArgs,
  type ListLibrarySetsResult,
} from "./library-set";
export { lintTemplate, type TemplateFinding, type TemplateKind } from "./lint-template";
export { RootRotation, type RootRotationArgs, rotateRoot, type RotateRootArgs } from "./root-rotation";
export {
  getStaticCredentials,
  type GetStaticCredentialsArgs,
  getStaticCredentialsOutput,
  type GetStaticCredentialsOutputArgs,
  type GetStaticCredentialsResult,
  getStaticRole,
  type GetStaticRoleArgs,
  getStaticRoleOutput,
  type GetStaticRoleOutputArgs,
  type GetStaticRoleResult,
  listStaticRoles,
  type ListStaticRolesArgs,
  listStaticRolesOutput,
  type ListStaticRolesOutputArgs,
  type ListStaticRolesResult,
  StaticRole,
  type StaticRoleArgs,
} from "./static-role";
export {
  rotateStaticRole,
  type RotateStaticRoleArgs,
  StaticRoleRotation,
  type StaticRoleRotationArgs,
} from "./static-role-rotation";
export type { Triggers } from "../../base/json";
