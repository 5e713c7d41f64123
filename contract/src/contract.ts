import { accountTestDescriptions, accountTestEndpoints } from './account-test.ts'
import { accountDescriptions, accountEndpoints } from './accounts.ts'
import { alertDestinationDescriptions, alertDestinationEndpoints } from './alert-destinations.ts'
import { alertGroupDescriptions, alertGroupEndpoints } from './alert-groups.ts'
import { alertHookDescriptions, alertHookEndpoints } from './alert-hooks.ts'
import { alertDescriptions, alertEndpoints } from './alerts.ts'
import type { Descriptions, Endpoints } from './api/endpoint.ts'
import { apiKeyEndpoints } from './api-keys.ts'
import { appEnvDescriptions, appEnvEndpoints } from './app-env.ts'
import { applicationDescriptions, applicationEndpoints } from './applications.ts'
import { auditTrailDescriptions, auditTrailEndpoints } from './audit-trail.ts'
import { billingDescriptions, billingEndpoints } from './billing.ts'
import { bulkChangeDescriptions, bulkChangeEndpoints } from './bulk-changes.ts'
import { manyPhoneNumberDescriptions, manyPhoneNumberEndpoints } from './bulk-phone-numbers.ts'
import { callCaptureDescriptions, callCaptureEndpoints } from './call-captures.ts'
import { callLogDescriptions, callLogEndpoints } from './call-logs.ts'
import { callQualityDescriptions, callQualityEndpoints } from './call-quality.ts'
import { callRecordingDescriptions, callRecordingEndpoints } from './call-recordings.ts'
import { callReportDescriptions, callReportEndpoints } from './call-reports.ts'
import { callShareDescriptions, callShareEndpoints } from './call-shares.ts'
import { callTraceDescriptions, callTraceEndpoints } from './call-traces.ts'
import { carrierConnectionCheckDescriptions, carrierConnectionCheckEndpoints } from './carrier-connection-check.ts'
import { carrierHealthDescriptions, carrierHealthEndpoints } from './carrier-health.ts'
import { wholeCarrierDescriptions, wholeCarrierEndpoints } from './carriers-with-gateways.ts'
import { clientDescriptions, clientEndpoints } from './clients.ts'
import { conversationEventDescriptions, conversationEventEndpoints } from './conversation-events.ts'
import { conversationLimitDescriptions, conversationLimitEndpoints } from './conversation-limits.ts'
import { conversationListDescriptions, conversationListEndpoints } from './conversation-list.ts'
import { conversationQualityDescriptions, conversationQualityEndpoints } from './conversation-quality.ts'
import { conversationSearchDescriptions, conversationSearchEndpoints } from './conversation-search.ts'
import { conversationDescriptions, conversationEndpoints } from './conversations.ts'
import { dataDeletionDescriptions, dataDeletionEndpoints } from './data-deletions.ts'
import { googleCustomVoiceDescriptions, googleCustomVoiceEndpoints } from './google-custom-voices.ts'
import { inboundRoutingDescriptions, inboundRoutingEndpoints } from './inbound-routing.ts'
import { lcrCarrierSetEntryDescriptions, lcrCarrierSetEntryEndpoints } from './lcr-carrier-set-entries.ts'
import { lcrRouteDescriptions, lcrRouteEndpoints } from './lcr-routes.ts'
import { lcrDescriptions, lcrEndpoints } from './lcrs.ts'
import { limitDescriptions, limitEndpoints } from './limits.ts'
import { liveCallDescriptions, liveCallEndpoints } from './live-calls.ts'
import { maskingRuleDescriptions, maskingRuleEndpoints } from './masking-rules.ts'
import { messagingDescriptions, messagingEndpoints } from './messaging.ts'
import { msTeamsTenantDescriptions, msTeamsTenantEndpoints } from './ms-teams-tenants.ts'
import { newAlertDescriptions, newAlertEndpoints } from './new-alerts.ts'
import { overviewDescriptions, overviewEndpoints } from './overview.ts'
import { passwordResetEndpoints } from './password-reset.ts'
import { passwordSettingsDescriptions, passwordSettingsEndpoints } from './password-settings.ts'
import { phoneNumberDescriptions, phoneNumberEndpoints } from './phone-numbers.ts'
import { phoneSessionDescriptions, phoneSessionEndpoints } from './phone-sessions.ts'
import { platformAddressDescriptions, platformAddressEndpoints } from './platform-addresses.ts'
import { predefinedCarrierDescriptions, predefinedCarrierEndpoints } from './predefined-carriers.ts'
import { recentCallDescriptions, recentCallEndpoints } from './recent-calls.ts'
import { registeredSipUserDescriptions, registeredSipUserEndpoints } from './registered-sip-users.ts'
import { registrationDescriptions, registrationEndpoints } from './registration.ts'
import { reviewModelDescriptions, reviewModelEndpoints } from './review-model.ts'
import { reviewSettingDescriptions, reviewSettingEndpoints } from './review-settings.ts'
import { reviewDescriptions, reviewEndpoints } from './reviews.ts'
import { savedViewDescriptions, savedViewEndpoints } from './saved-views.ts'
import { serviceProviderDescriptions, serviceProviderEndpoints } from './service-providers.ts'
import { sessionDescriptions, sessionEndpoints } from './sessions.ts'
import type { RecordKind } from './shared/record-kinds.ts'
import { sipGatewayDescriptions, sipGatewayEndpoints } from './sip-gateways.ts'
import { sipRealmDescriptions, sipRealmEndpoints } from './sip-realms.ts'
import { smppGatewayEndpoints } from './smpp-gateways.ts'
import { speechCredentialDescriptions, speechCredentialEndpoints } from './speech-credentials.ts'
import { speechSynthesisDescriptions, speechSynthesisEndpoints } from './speech-synthesis.ts'
import { systemInformationDescriptions, systemInformationEndpoints } from './system-information.ts'
import { systemStatusDescriptions, systemStatusEndpoints } from './system-status.ts'
import { ttsCacheDescriptions, ttsCacheEndpoints } from './tts-cache.ts'
import { userDescriptions, userEndpoints } from './users.ts'
import { voipCarrierDescriptions, voipCarrierEndpoints } from './voip-carriers.ts'
import { webhookRecordEndpoints } from './webhook-records.ts'
import { webhookWorkbenchDescriptions, webhookWorkbenchEndpoints } from './webhook-test.ts'

export interface Resource {
  endpoints: Endpoints
  descriptions: Descriptions
}

/**
 * All resources, independent of their paths, in the order of the console's menu. The descriptions of a resource include
 * those of the resources whose records its responses contain; its own take precedence.
 */
export const resources = {
  Sessions: { endpoints: sessionEndpoints, descriptions: sessionDescriptions },
  Registration: {
    endpoints: registrationEndpoints,
    descriptions: { ...userDescriptions, ...registrationDescriptions },
  },
  'Password reset': { endpoints: passwordResetEndpoints, descriptions: userDescriptions },
  Users: {
    endpoints: userEndpoints,
    descriptions: {
      ...serviceProviderDescriptions,
      ...accountDescriptions,
      ...billingDescriptions,
      ...userDescriptions,
    },
  },
  'API keys': { endpoints: apiKeyEndpoints, descriptions: {} },
  'System information': { endpoints: systemInformationEndpoints, descriptions: systemInformationDescriptions },
  'System status': { endpoints: systemStatusEndpoints, descriptions: systemStatusDescriptions },
  'Password policy': { endpoints: passwordSettingsEndpoints, descriptions: passwordSettingsDescriptions },
  'Service providers': { endpoints: serviceProviderEndpoints, descriptions: serviceProviderDescriptions },
  'Masking rules': { endpoints: maskingRuleEndpoints, descriptions: maskingRuleDescriptions },
  Limits: { endpoints: limitEndpoints, descriptions: limitDescriptions },
  'Platform addresses': { endpoints: platformAddressEndpoints, descriptions: platformAddressDescriptions },
  'TTS cache': { endpoints: ttsCacheEndpoints, descriptions: ttsCacheDescriptions },
  Accounts: { endpoints: accountEndpoints, descriptions: { ...serviceProviderDescriptions, ...accountDescriptions } },
  'Data deletions': { endpoints: dataDeletionEndpoints, descriptions: dataDeletionDescriptions },
  'SIP realms': { endpoints: sipRealmEndpoints, descriptions: sipRealmDescriptions },
  Billing: { endpoints: billingEndpoints, descriptions: billingDescriptions },
  'SIP clients': { endpoints: clientEndpoints, descriptions: clientDescriptions },
  'Registered SIP users': {
    endpoints: registeredSipUserEndpoints,
    descriptions: { ...clientDescriptions, ...registeredSipUserDescriptions },
  },
  Applications: { endpoints: applicationEndpoints, descriptions: applicationDescriptions },
  'Environment variables': { endpoints: appEnvEndpoints, descriptions: appEnvDescriptions },
  'Test applications': {
    endpoints: accountTestEndpoints,
    descriptions: { ...applicationDescriptions, ...accountTestDescriptions },
  },
  Webhooks: { endpoints: webhookRecordEndpoints, descriptions: {} },
  'Phone sessions': { endpoints: phoneSessionEndpoints, descriptions: phoneSessionDescriptions },
  'Webhook tests': { endpoints: webhookWorkbenchEndpoints, descriptions: webhookWorkbenchDescriptions },
  Overview: { endpoints: overviewEndpoints, descriptions: overviewDescriptions },
  'Live calls': {
    endpoints: liveCallEndpoints,
    descriptions: { ...recentCallDescriptions, ...applicationDescriptions, ...liveCallDescriptions },
  },
  'Text messages': { endpoints: messagingEndpoints, descriptions: messagingDescriptions },
  'Recent calls': { endpoints: recentCallEndpoints, descriptions: recentCallDescriptions },
  'Saved views': { endpoints: savedViewEndpoints, descriptions: savedViewDescriptions },
  'Call traces': { endpoints: callTraceEndpoints, descriptions: callTraceDescriptions },
  Conversations: { endpoints: conversationEndpoints, descriptions: conversationDescriptions },
  'Shared calls': {
    endpoints: callShareEndpoints,
    descriptions: {
      ...recentCallDescriptions,
      ...conversationDescriptions,
      ...callReportDescriptions,
      ...callShareDescriptions,
    },
  },
  'Call reports': {
    endpoints: callReportEndpoints,
    descriptions: { ...callCaptureDescriptions, ...recentCallDescriptions, ...callReportDescriptions },
  },
  'Conversation limits': { endpoints: conversationLimitEndpoints, descriptions: conversationLimitDescriptions },
  'Conversation quality': {
    endpoints: { ...conversationQualityEndpoints, ...conversationListEndpoints },
    descriptions: { ...conversationListDescriptions, ...conversationQualityDescriptions },
  },
  'Conversation search': {
    endpoints: conversationSearchEndpoints,
    descriptions: { ...recentCallDescriptions, ...conversationDescriptions, ...conversationSearchDescriptions },
  },
  'Conversation events': { endpoints: conversationEventEndpoints, descriptions: conversationEventDescriptions },
  Reviews: {
    endpoints: { ...reviewEndpoints, ...reviewSettingEndpoints, ...reviewModelEndpoints },
    descriptions: { ...reviewModelDescriptions, ...reviewSettingDescriptions, ...reviewDescriptions },
  },
  'Captured SIP': { endpoints: callCaptureEndpoints, descriptions: callCaptureDescriptions },
  'Call logs': { endpoints: callLogEndpoints, descriptions: callLogDescriptions },
  'Call recordings': { endpoints: callRecordingEndpoints, descriptions: callRecordingDescriptions },
  'Call quality': { endpoints: callQualityEndpoints, descriptions: callQualityDescriptions },
  Alerts: { endpoints: alertEndpoints, descriptions: alertDescriptions },
  'New alerts': { endpoints: newAlertEndpoints, descriptions: { ...alertDescriptions, ...newAlertDescriptions } },
  'Alert groups': { endpoints: alertGroupEndpoints, descriptions: { ...alertDescriptions, ...alertGroupDescriptions } },
  'Alert destinations': {
    endpoints: alertDestinationEndpoints,
    descriptions: { ...alertDescriptions, ...alertDestinationDescriptions },
  },
  'Alert hooks': { endpoints: alertHookEndpoints, descriptions: alertHookDescriptions },
  'Audit trail': { endpoints: auditTrailEndpoints, descriptions: auditTrailDescriptions },
  Carriers: { endpoints: voipCarrierEndpoints, descriptions: voipCarrierDescriptions },
  'Carriers with their gateways': {
    endpoints: wholeCarrierEndpoints,
    descriptions: { ...voipCarrierDescriptions, ...sipGatewayDescriptions, ...wholeCarrierDescriptions },
  },
  'Carrier health': { endpoints: carrierHealthEndpoints, descriptions: carrierHealthDescriptions },
  'Carrier connection check': {
    endpoints: carrierConnectionCheckEndpoints,
    descriptions: { ...carrierHealthDescriptions, ...carrierConnectionCheckDescriptions },
  },
  'SIP gateways': { endpoints: sipGatewayEndpoints, descriptions: sipGatewayDescriptions },
  'SMPP gateways': { endpoints: smppGatewayEndpoints, descriptions: sipGatewayDescriptions },
  'Predefined carriers': {
    endpoints: predefinedCarrierEndpoints,
    descriptions: { ...voipCarrierDescriptions, ...predefinedCarrierDescriptions },
  },
  'Speech credentials': { endpoints: speechCredentialEndpoints, descriptions: speechCredentialDescriptions },
  'Google custom voices': { endpoints: googleCustomVoiceEndpoints, descriptions: googleCustomVoiceDescriptions },
  'Speech synthesis': { endpoints: speechSynthesisEndpoints, descriptions: speechSynthesisDescriptions },
  'Phone numbers': { endpoints: phoneNumberEndpoints, descriptions: phoneNumberDescriptions },
  'Phone numbers in bulk': {
    endpoints: manyPhoneNumberEndpoints,
    descriptions: { ...inboundRoutingDescriptions, ...phoneNumberDescriptions, ...manyPhoneNumberDescriptions },
  },
  'Bulk changes': { endpoints: bulkChangeEndpoints, descriptions: bulkChangeDescriptions },
  'Inbound routing': { endpoints: inboundRoutingEndpoints, descriptions: inboundRoutingDescriptions },
  'MS Teams tenants': { endpoints: msTeamsTenantEndpoints, descriptions: msTeamsTenantDescriptions },
  'Outbound routing': {
    endpoints: lcrEndpoints,
    descriptions: { ...lcrCarrierSetEntryDescriptions, ...lcrRouteDescriptions, ...lcrDescriptions },
  },
  'Outbound routes': {
    endpoints: lcrRouteEndpoints,
    descriptions: { ...lcrCarrierSetEntryDescriptions, ...lcrRouteDescriptions },
  },
  'Carriers of outbound routes': {
    endpoints: lcrCarrierSetEntryEndpoints,
    descriptions: lcrCarrierSetEntryDescriptions,
  },
} satisfies Readonly<Record<string, Resource>>

type All<Each> = (Each extends unknown ? (each: Each) => void : never) extends (all: infer Both) => void ? Both : never

/**
 * All endpoints. The server's routes, the API client, the OpenAPI document, and the access matrix are derived from it.
 */
export type Contract = All<(typeof resources)[keyof typeof resources]['endpoints']>
export const contract: Contract = Object.assign({}, ...Object.values(resources).map(({ endpoints }) => endpoints))

/** Kinds of records whose owner is looked up before a handler runs. */
export type OwnedKind = Extract<Contract[keyof Contract]['access']['owner'], { of: RecordKind }>['of']
