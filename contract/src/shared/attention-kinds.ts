/** Problems and setup steps of the overview. */

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
