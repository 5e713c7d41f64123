import type { PatchbayKey } from '../api/client.ts'

/** Paths below `/patchbay/` of what jambonz does not have at all. Screens hide these features (`config().extensions`). */
type MissingPath =
  | `${string}/CallShares${string}`
  | `${string}/ConversationSearch`
  | `${string}/DataDeletions`
  | `${string}/MaskingRules${string}`
  | `${string}/ReviewModel`
  | `${string}/ReviewSettings`
  | `${string}/TranscriptSettings`
  | `${string}/alert-destinations`
  | `${string}/alert-groups`
  | `${string}/api-keys`
  | `${string}/call-quality`
  | `${string}/call-report.${string}`
  | `${string}/conversation-limits`
  | `${string}/conversation-quality`
  | `${string}/conversations`
  | `${string}/live-calls`
  | `${string}/open-alerts`
  | `${string}/overview`
  | `${string}/recent-calls.csv`
  | `${string}/reviewers`
  | `${string}/reviews${string}`
  | `Accounts/:account_sid/Calls/:call_sid/Shares`
  | `Accounts/:account_sid/ConversationEvents`
  | `accounts/:account_sid/calls/:call_sid/assignee`
  | `${'accounts/:account_sid' | 'service-providers/:service_provider_sid'}/used-elsewhere`
  | 'service-providers/:service_provider_sid/all-contents'
  | `alert-acknowledgments${string}`
  | `alert-addresses/${string}`
  | `alert-destinations${string}`
  | `api-keys/:api_key_sid`
  | 'audit-trail'
  | `bulk-changes${string}`
  | 'carrier-health'
  | 'carriers/connection-check'
  | `carriers/:voip_carrier_sid/${'connection-check' | 'health' | 'health-changes'}`
  | 'inbound-routing'
  | 'platform-api-keys'
  | 'registered-clients'
  | `saved-views${string}`
  | 'session'
  | `shared-call${string}`
  | `shared-report${string}`
  | 'sign-in-links'
  | 'service-providers/:service_provider_sid/bucket-credential-test'
  | `speech-credentials/${string}`
  | 'system-status'
  | `users/${string}`
  | `applications/:application_sid/${'phone-sessions' | 'webhook-test'}`
  // The dialogs that delete accounts and providers then name the kinds of records without their numbers.
  | `${'accounts/:account_sid' | 'service-providers/:service_provider_sid'}/contents`

/** The endpoints that have no answer without Patchbay's server. */
export type MissingKey = Extract<PatchbayKey, `${string} /patchbay/${MissingPath}`>
