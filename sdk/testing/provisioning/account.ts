import { gets, pathPrefix, type ProvisioningEndpoint, type ProvisioningRequest } from "./endpoint";

/** What a product returns about itself and about who calls. The documented service has no such endpoints. */
export const accountEndpoints: readonly ProvisioningEndpoint[] = [
  { method: "GET", path: "/ping", open: true, handle: () => undefined },
  gets("/account/details", (request) => ({ data: accountOf(request) })),
];

/** The user who calls; behind the token of an organization or a team there is one that nobody is. */
function accountOf({ caller, permissions }: ProvisioningRequest): unknown {
  const { siteAdministrator, serviceAccount } = permissions;
  return {
    id: caller.userId,
    type: "users",
    attributes: {
      username: caller.name,
      email: serviceAccount ? null : `${caller.name}@example.com`,
      "unconfirmed-email": null,
      "avatar-url": null,
      "is-service-account": serviceAccount,
      "is-site-admin": siteAdministrator,
      "is-admin": siteAdministrator,
      "is-sso-login": false,
      "two-factor": { enabled: false, verified: false },
      permissions: { "can-create-organizations": siteAdministrator, "can-change-email": !serviceAccount },
    },
    links: { self: `${pathPrefix}/users/${caller.userId}` },
  };
}
