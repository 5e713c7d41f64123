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

/** The kinds by which the lists of carriers, applications, speech services, phone numbers, and API keys can be filtered. */
export const carrierAttention = ['carrier_unregistered', 'registration_unreported'] as const
export const applicationAttention = ['speech_missing'] as const
export const speechAttention = ['speech_test_failed'] as const
export const numberAttention = ['number_without_application'] as const
export const keyAttention = ['api_key_expiring'] as const

/** The kinds whose lists ask for the SIDs of the records. The others have a condition of their own. */
export type SelectedAttention =
  | (typeof carrierAttention)[number]
  | (typeof applicationAttention)[number]
  | (typeof speechAttention)[number]

/** All kinds by which a list can be filtered. */
export type ListedAttention = SelectedAttention | (typeof numberAttention)[number] | (typeof keyAttention)[number]

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
