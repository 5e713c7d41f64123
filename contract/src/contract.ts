import { accountEndpoints } from './accounts.ts'
import { accountTestEndpoints } from './account-test.ts'
import { alertDestinationEndpoints } from './alert-destinations.ts'
import { alertGroupEndpoints } from './alert-groups.ts'
import { alertHookEndpoints } from './alert-hooks.ts'
import { alertEndpoints } from './alerts.ts'
import { apiKeyEndpoints } from './api-keys.ts'
import { appEnvEndpoints } from './app-env.ts'
import { applicationEndpoints } from './applications.ts'
import { auditTrailEndpoints } from './audit-trail.ts'
import { billingEndpoints } from './billing.ts'
import { callCaptureEndpoints } from './call-captures.ts'
import { callLogEndpoints } from './call-logs.ts'
import { callQualityEndpoints } from './call-quality.ts'
import { callRecordingEndpoints } from './call-recordings.ts'
import { callShareEndpoints } from './call-shares.ts'
import { callTraceEndpoints } from './call-traces.ts'
import { carrierConnectionCheckEndpoints } from './carrier-connection-check.ts'
import { carrierHealthEndpoints } from './carrier-health.ts'
import { clientEndpoints } from './clients.ts'
import { conversationEventEndpoints } from './conversation-events.ts'
import { conversationLimitEndpoints } from './conversation-limits.ts'
import { conversationListEndpoints } from './conversation-list.ts'
import { conversationQualityEndpoints } from './conversation-quality.ts'
import { conversationSearchEndpoints } from './conversation-search.ts'
import { conversationEndpoints } from './conversations.ts'
import { dataDeletionEndpoints } from './data-deletions.ts'
import { googleCustomVoiceEndpoints } from './google-custom-voices.ts'
import { inboundRoutingEndpoints } from './inbound-routing.ts'
import { lcrCarrierSetEntryEndpoints } from './lcr-carrier-set-entries.ts'
import { lcrRouteEndpoints } from './lcr-routes.ts'
import { lcrEndpoints } from './lcrs.ts'
import { limitEndpoints } from './limits.ts'
import { liveCallEndpoints } from './live-calls.ts'
import { manyPhoneNumberEndpoints } from './bulk-phone-numbers.ts'
import { maskingRuleEndpoints } from './masking-rules.ts'
import { messagingEndpoints } from './messaging.ts'
import { msTeamsTenantEndpoints } from './ms-teams-tenants.ts'
import { overviewEndpoints } from './overview.ts'
import { reviewModelEndpoints } from './review-model.ts'
import { reviewSettingEndpoints } from './review-settings.ts'
import { reviewEndpoints } from './reviews.ts'
import { savedViewEndpoints } from './saved-views.ts'
import { passwordResetEndpoints } from './password-reset.ts'
import { passwordSettingsEndpoints } from './password-settings.ts'
import { phoneNumberEndpoints } from './phone-numbers.ts'
import { recentCallEndpoints } from './recent-calls.ts'
import { registrationEndpoints } from './registration.ts'
import { registeredSipUserEndpoints } from './registered-sip-users.ts'
import { serviceProviderEndpoints } from './service-providers.ts'
import { sessionEndpoints } from './sessions.ts'
import { speechCredentialEndpoints } from './speech-credentials.ts'
import { speechSynthesisEndpoints } from './speech-synthesis.ts'
import { systemInformationEndpoints } from './system-information.ts'
import { systemStatusEndpoints } from './system-status.ts'
import { ttsCacheEndpoints } from './tts-cache.ts'
import { platformAddressEndpoints } from './platform-addresses.ts'
import { predefinedCarrierEndpoints } from './predefined-carriers.ts'
import { sipRealmEndpoints } from './sip-realms.ts'
import { sipGatewayEndpoints } from './sip-gateways.ts'
import { smppGatewayEndpoints } from './smpp-gateways.ts'
import { userEndpoints } from './users.ts'
import { voipCarrierEndpoints } from './voip-carriers.ts'
import { webhookRecordEndpoints } from './webhook-records.ts'
import { webhookWorkbenchEndpoints } from './webhook-test.ts'
import { wholeCarrierEndpoints } from './carriers-with-gateways.ts'
import type { RecordKind } from './shared/record-kinds.ts'

/** All endpoints by resource, independent of their paths, in the order of the console's menu. */
export const resources = {
  Sessions: sessionEndpoints,
  Registration: registrationEndpoints,
  'Password reset': passwordResetEndpoints,
  Users: userEndpoints,
  'API keys': apiKeyEndpoints,
  'System information': systemInformationEndpoints,
  'System status': systemStatusEndpoints,
  'Password policy': passwordSettingsEndpoints,
  'Service providers': serviceProviderEndpoints,
  'Masking rules': maskingRuleEndpoints,
  Limits: limitEndpoints,
  'Platform addresses': platformAddressEndpoints,
  'TTS cache': ttsCacheEndpoints,
  Accounts: accountEndpoints,
  'Data deletions': dataDeletionEndpoints,
  'SIP realms': sipRealmEndpoints,
  Billing: billingEndpoints,
  'SIP clients': clientEndpoints,
  'Registered SIP users': registeredSipUserEndpoints,
  Applications: applicationEndpoints,
  'Environment variables': appEnvEndpoints,
  'Test applications': accountTestEndpoints,
  Webhooks: webhookRecordEndpoints,
  'Webhook tests': webhookWorkbenchEndpoints,
  Overview: overviewEndpoints,
  'Live calls': liveCallEndpoints,
  'Text messages': messagingEndpoints,
  'Recent calls': recentCallEndpoints,
  'Saved views': savedViewEndpoints,
  'Call traces': callTraceEndpoints,
  Conversations: conversationEndpoints,
  'Shared calls': callShareEndpoints,
  'Conversation limits': conversationLimitEndpoints,
  'Conversation quality': { ...conversationQualityEndpoints, ...conversationListEndpoints },
  'Conversation search': conversationSearchEndpoints,
  'Conversation events': conversationEventEndpoints,
  Reviews: { ...reviewEndpoints, ...reviewSettingEndpoints, ...reviewModelEndpoints },
  'Captured SIP': callCaptureEndpoints,
  'Call logs': callLogEndpoints,
  'Call recordings': callRecordingEndpoints,
  'Call quality': callQualityEndpoints,
  Alerts: alertEndpoints,
  'Alert groups': alertGroupEndpoints,
  'Alert destinations': alertDestinationEndpoints,
  'Alert hooks': alertHookEndpoints,
  'Audit trail': auditTrailEndpoints,
  Carriers: voipCarrierEndpoints,
  'Carriers with their gateways': wholeCarrierEndpoints,
  'Carrier health': carrierHealthEndpoints,
  'Carrier connection check': carrierConnectionCheckEndpoints,
  'SIP gateways': sipGatewayEndpoints,
  'SMPP gateways': smppGatewayEndpoints,
  'Predefined carriers': predefinedCarrierEndpoints,
  'Speech credentials': speechCredentialEndpoints,
  'Google custom voices': googleCustomVoiceEndpoints,
  'Speech synthesis': speechSynthesisEndpoints,
  'Phone numbers': phoneNumberEndpoints,
  'Phone numbers in bulk': manyPhoneNumberEndpoints,
  'Inbound routing': inboundRoutingEndpoints,
  'MS Teams tenants': msTeamsTenantEndpoints,
  'Outbound routing': lcrEndpoints,
  'Outbound routes': lcrRouteEndpoints,
  'Carriers of outbound routes': lcrCarrierSetEntryEndpoints,
}

type All<Each> = (Each extends unknown ? (each: Each) => void : never) extends (all: infer Both) => void ? Both : never

/**
 * All endpoints. The server's routes, the API client, the OpenAPI document, and the access matrix are derived from it.
 */
export type Contract = All<(typeof resources)[keyof typeof resources]>
export const contract: Contract = Object.assign({}, ...Object.values(resources))

/** Kinds of records whose owner is looked up before a handler runs. */
export type OwnedKind = Extract<Contract[keyof Contract]['access']['owner'], { of: RecordKind }>['of']
