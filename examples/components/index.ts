/**
 * What the platform team gives to the other teams, as components: each of them is a few resources that belong
 * together, with the rules of the house already in.
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
