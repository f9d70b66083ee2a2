/**
 * The platform team's components for other teams. Each groups a few resources and applies the organization's rules.
 *
 * @module
 */
export {
  DirectoryEngine,
  type DirectoryEngineArgs,
  type LibraryArgs,
  type RotatedAccountArgs,
  type TemporaryAccountArgs,
} from "./directory-engine";
export { LandingZone, type LandingZoneArgs, type LandingZoneNotifications } from "./landing-zone";
export { SchedulerEngine, type SchedulerEngineArgs, type SchedulerRoleArgs } from "./scheduler-engine";
