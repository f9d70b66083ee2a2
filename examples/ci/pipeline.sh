#!/usr/bin/env bash
# What pipelines do with the stack. When each of it happens is their business alone, so that all of them, and you at
# your desk, run the same.
#
#   ./pipeline.sh preview   what would change
#   ./pipeline.sh up        changes it
#   ./pipeline.sh drift     fails when anything would change, though nobody has changed the program
#
# All of them look at the service first (--refresh), so that what somebody has changed there is seen, and undone by up.
#
# PULUMI_STACK names the stack (default: production). Services and tokens come from the environment: PROVISIONING_ADDR,
# PROVISIONING_TOKEN and so on; where state is kept, from PULUMI_BACKEND_URL and PULUMI_CONFIG_PASSPHRASE, or
# PULUMI_ACCESS_TOKEN.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

readonly stack="${PULUMI_STACK:-production}"

run_pulumi() {
  pulumi "$@" --stack "$stack" --non-interactive --color never --diff
}

case "${1:-}" in
  preview) step=(run_pulumi preview --refresh) ;;
  up) step=(run_pulumi up --yes --refresh) ;;
  drift) step=(run_pulumi preview --refresh --expect-no-changes) ;;
  *)
    echo "usage: $0 preview|up|drift" >&2
    exit 2
    ;;
esac

# Of a service that cannot be reached, or a token that has ended, one wants to hear before anything begins.
npx --no-install pulumi-trivium doctor provisioning
"${step[@]}"
