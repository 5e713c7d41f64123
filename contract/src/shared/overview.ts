import { isAtLeast, type Scope } from '../access.ts'

/** Rules of the overview that server and console share. */

/** The kinds of problems that the overview lists, most urgent first. */
export const attentionKinds = [
  'carrier_unregistered',
  'carrier_failing',
  'registration_unreported',
  'speech_test_failed',
  'speech_missing',
  'limit_near',
  'number_without_application',
  'api_key_expiring',
  'certificate_expiring',
  'backup_failing',
  'alerts',
] as const
export type AttentionKind = (typeof attentionKinds)[number]

/** A TLS certificate needs attention this many days before its end. Automatic renewals happen earlier. */
export const certificateNoticeDays = 14

/** Counts of problems stop here, so that counting stays fast. */
export const maxAttentionCount = 1000

/** Maximum number of records that are named for a problem. */
export const maxAttentionRecords = 5

/** The steps to a first call, in order. */
export const setupSteps = ['sip_addresses', 'carrier', 'speech', 'application', 'number', 'first_call'] as const
export type SetupStep = (typeof setupSteps)[number]

/**
 * `untested`: the record exists, but nothing shows that it works. `failing`: it exists, but what it depends on fails or is missing.
 * `unknown`: the call data are unavailable.
 */
export const stepStates = ['open', 'untested', 'failing', 'done', 'unknown'] as const
export type StepState = (typeof stepStates)[number]

/** Why a step whose record exists is not done. */
export const stepProblems = [
  'registration_failing',
  'registration_unreported',
  'pings_failing',
  'speech_untested',
  'speech_failed',
  'speech_missing',
  'webhook_failed',
  'call_failed',
  'application_failing',
  'carrier_inactive',
  'carrier_failing',
  'no_inbound_gateway',
  'not_answered',
] as const
export type StepProblem = (typeof stepProblems)[number]

/**
 * Returns the least scope that can complete a step.
 * @param reservesCarriers whether the installation reserves carriers for service providers
 */
const requiredScope = (step: SetupStep, reservesCarriers: boolean): Scope => {
  if (step === 'sip_addresses') return 'admin'
  return step === 'carrier' && reservesCarriers ? 'service_provider' : 'account'
}

/** Returns who has to complete a step, or undefined if users of this scope can. */
export const stepOwner = (step: SetupStep, scope: Scope, reservesCarriers: boolean): Scope | undefined => {
  const required = requiredScope(step, reservesCarriers)
  return isAtLeast(scope, required) ? undefined : required
}

/** Returns whether users can make calls: all steps are done, or calls have been answered lately. */
export const isReadyForCalls = (steps: readonly { state: StepState }[], hasAnsweredCalls: boolean): boolean =>
  hasAnsweredCalls || steps.every(({ state }) => state === 'done')
