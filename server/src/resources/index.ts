import { accountRoutes } from './accounts/routes.ts'
import { alertHookRoutes } from './alert-destinations/hook-routes.ts'
import { alertDestinationRoutes } from './alert-destinations/routes.ts'
import { alertGroupRoutes } from './alerts/group-routes.ts'
import { newAlertRoutes } from './alerts/new-alert-routes.ts'
import { alertRoutes } from './alerts/routes.ts'
import { apiKeyRoutes } from './api-keys/routes.ts'
import { accountTestRoutes } from './applications/account-test-routes.ts'
import { appEnvRoutes } from './applications/app-env-routes.ts'
import { applicationRoutes } from './applications/routes.ts'
import { webhookTestRoutes } from './applications/webhook-test-routes.ts'
import { auditTrailRoutes } from './audit-trail/routes.ts'
import { billingRoutes } from './billing/routes.ts'
import { bulkChangeRoutes } from './bulk-changes/routes.ts'
import { callCaptureRoutes } from './call-captures/routes.ts'
import { callLogRoutes } from './call-logs/routes.ts'
import { callQualityRoutes } from './call-quality/routes.ts'
import { callRecordingRoutes } from './call-recordings/routes.ts'
import { callReportRoutes } from './call-reports/routes.ts'
import { callShareRoutes } from './call-shares/routes.ts'
import { sharedCallRoutes } from './call-shares/shared-call-routes.ts'
import { sharedReportRoutes } from './call-shares/shared-report-routes.ts'
import { callTraceRoutes } from './call-traces/routes.ts'
import { phoneSessionRoutes } from './clients/phone-session-routes.ts'
import { clientRoutes } from './clients/routes.ts'
import { conversationLimitRoutes } from './conversation-quality/limit-routes.ts'
import { conversationListRoutes } from './conversation-quality/list-routes.ts'
import { conversationQualityRoutes } from './conversation-quality/routes.ts'
import { conversationEventRoutes } from './conversations/event-routes.ts'
import { conversationRoutes } from './conversations/routes.ts'
import { conversationSearchRoutes } from './conversations/search-routes.ts'
import { dataDeletionRoutes } from './data-deletions/routes.ts'
import { googleCustomVoiceRoutes } from './google-custom-voices/routes.ts'
import { inboundRoutingRoutes } from './inbound-routing/routes.ts'
import { carrierSetEntryRoutes } from './lcrs/carrier-set-entries/routes.ts'
import { lcrRouteRoutes } from './lcrs/routes/routes.ts'
import { lcrRoutes } from './lcrs/routes.ts'
import { limitRoutes } from './limits/routes.ts'
import { liveCallRoutes } from './live-calls/routes.ts'
import { maskingRuleRoutes } from './masking-rules/routes.ts'
import { messagingRoutes } from './messaging/routes.ts'
import { msTeamsTenantRoutes } from './ms-teams-tenants/routes.ts'
import { overviewRoutes } from './overview/routes.ts'
import { passwordResetRoutes } from './password-reset/routes.ts'
import { passwordSettingsRoutes } from './password-settings/routes.ts'
import { manyPhoneNumberRoutes } from './phone-numbers/bulk-routes.ts'
import { phoneNumberRoutes } from './phone-numbers/routes.ts'
import { platformAddressRoutes } from './platform-addresses/routes.ts'
import { recentCallRoutes } from './recent-calls/routes.ts'
import { registeredSipUserRoutes } from './registered-sip-users/routes.ts'
import { registrationRoutes } from './registration/routes.ts'
import { reviewModelRoutes } from './reviews/model-routes.ts'
import { reviewRoutes } from './reviews/routes.ts'
import { savedViewRoutes } from './saved-views/routes.ts'
import { serviceProviderRoutes } from './service-providers/routes.ts'
import type { Services } from './services.ts'
import { sessionRoutes } from './sessions/routes.ts'
import { sipRealmRoutes } from './sip-realms/routes.ts'
import { speechCredentialRoutes } from './speech-credentials/routes.ts'
import { speechSynthesisRoutes } from './speech-credentials/synthesis-routes.ts'
import { systemInformationRoutes } from './system-information/routes.ts'
import { systemStatusRoutes } from './system-status/routes.ts'
import { ttsCacheRoutes } from './tts-cache/routes.ts'
import { userRoutes } from './users/routes.ts'
import { carrierHealthRoutes } from './voip-carriers/carrier-health-routes.ts'
import { wholeCarrierRoutes } from './voip-carriers/carriers-with-gateways-routes.ts'
import { connectionCheckRoutes } from './voip-carriers/connection-check-routes.ts'
import { predefinedCarrierRoutes } from './voip-carriers/predefined-carriers-routes.ts'
import { voipCarrierRoutes } from './voip-carriers/routes.ts'
import { sipGatewayRoutes } from './voip-carriers/sip-gateways-routes.ts'
import { smppGatewayRoutes } from './voip-carriers/smpp-gateways-routes.ts'
import { webhookRecordRoutes } from './webhooks/routes.ts'

/** Creates the handlers of the endpoints that each change or return records of their resource. */
const createResourceHandlers = (services: Services) => ({
  ...sessionRoutes(services),
  ...registrationRoutes(services),
  ...userRoutes(services),
  ...webhookRecordRoutes(services),
  ...passwordResetRoutes(services),
  ...passwordSettingsRoutes(services),
  ...systemInformationRoutes(services),
  ...systemStatusRoutes(services),
  ...serviceProviderRoutes(services),
  ...accountRoutes(services),
  ...dataDeletionRoutes(services),
  ...sipRealmRoutes(services),
  ...applicationRoutes(services),
  ...accountTestRoutes(services),
  ...appEnvRoutes(services),
  ...webhookTestRoutes(services),
  ...speechCredentialRoutes(services),
  ...googleCustomVoiceRoutes(services),
  ...speechSynthesisRoutes(services),
  ...phoneNumberRoutes(services),
  ...manyPhoneNumberRoutes(services),
  ...messagingRoutes(services),
  ...msTeamsTenantRoutes(services),
  ...apiKeyRoutes(services),
  ...limitRoutes(services),
  ...maskingRuleRoutes(services),
  ...overviewRoutes(services),
  ...liveCallRoutes(services),
  ...recentCallRoutes(services),
  ...savedViewRoutes(services),
  ...callTraceRoutes(services),
  ...conversationRoutes(services),
  ...callShareRoutes(services),
  ...sharedCallRoutes(services),
  ...callReportRoutes(services),
  ...sharedReportRoutes(services),
  ...conversationQualityRoutes(services),
  ...conversationListRoutes(services),
  ...conversationLimitRoutes(services),
  ...conversationSearchRoutes(services),
  ...conversationEventRoutes(services),
  ...reviewRoutes(services),
  ...reviewModelRoutes(services),
  ...callLogRoutes(services),
  ...alertRoutes(services),
  ...alertGroupRoutes(services),
  ...newAlertRoutes(services),
  ...alertDestinationRoutes(services),
  ...alertHookRoutes(services),
  ...callCaptureRoutes(services),
  ...callQualityRoutes(services),
  ...callRecordingRoutes(services),
  ...clientRoutes(services),
  ...phoneSessionRoutes(services),
  ...registeredSipUserRoutes(services),
  ...auditTrailRoutes(services),
  ...ttsCacheRoutes(services),
  ...voipCarrierRoutes(services),
  ...sipGatewayRoutes(services),
  ...smppGatewayRoutes(services),
  ...wholeCarrierRoutes(services),
  ...carrierHealthRoutes(services),
  ...connectionCheckRoutes(services),
  ...predefinedCarrierRoutes(services),
  ...platformAddressRoutes(services),
  ...inboundRoutingRoutes(services),
  ...lcrRoutes(services),
  ...lcrRouteRoutes(services),
  ...carrierSetEntryRoutes(services),
  ...billingRoutes(services),
})

/** Creates the handlers of all endpoints: the routes of each resource, and the bulk changes that use them. */
export const createHandlers = (services: Services) => {
  const handlers = createResourceHandlers(services)
  return { ...handlers, ...bulkChangeRoutes(services, handlers) }
}
