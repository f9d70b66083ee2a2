import type { Dialect } from "../base/settings";

export const provisioningDialects = {
  documented: {
    longestProjectName: 36,
    /** Whether a project's name may start or end with a space. */
    trimsProjectNames: false,
    /** Whether requests have a list of related objects in `data`. */
    wrapsRelationships: false,
    /** Whether an update of an organization takes null. */
    takesNull: false,
  },
  hashicorp: {
    longestProjectName: 40,
    trimsProjectNames: true,
    wrapsRelationships: true,
    takesNull: true,
  },
} as const satisfies Readonly<Record<Dialect, object>>;
