#!/usr/bin/env bash
# The commands of the pipelines, which only define when they run. So all pipelines, and your own machine, run the same
# commands.
#
#   ./pipeline.sh preview   what would change
#   ./pipeline.sh up        updates the stack
#   ./pipeline.sh drift     fails if the service differs from the program
#
# All of them read the service first (--refresh), so that previews show what somebody has changed there, and up reverts it.
#
# PULUMI_STACK names the stack (default: production). The service and how to log in come from the environment:
# SECRETS_ADDR, SECRETS_LOGIN and TRIVIUM_DIALECT. So does the backend, unless `pulumi login` was run before.
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

# Reports a service that cannot be reached, or a refused login, before anything starts.
npx --no-install pulumi-trivium doctor secrets
"${step[@]}"
