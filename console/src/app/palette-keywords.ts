/**
 * Other words for screens and actions, so that the command palette finds them by the name that another product or the
 * standards use. By the path of the screen, or the id of the action.
 */
const keywords: Readonly<Record<string, string>> = {
  '/internal/accounts': 'tenants customers subaccounts api keys tokens webhook secret recording storage limits',
  '/internal/accounts/$account_sid/edit': 'tenant api keys tokens webhook secret recording storage limits',
  '/internal/alert-destinations': 'notifications slack pagerduty webhook email',
  '/internal/alert-destinations/add': 'notification slack pagerduty',
  '/internal/alerts': 'errors failures warnings notifications slack pagerduty',
  '/internal/api-keys': 'tokens secrets credentials bearer access programs',
  '/internal/applications': 'webhooks hooks verbs call flow bots agents environment variables',
  '/internal/applications/add': 'webhook bot agent',
  '/internal/audit-trail': 'history changes activity log security',
  '/internal/call-quality': 'statistics analytics answer rate asr pdd metrics reports',
  '/internal/carriers': 'trunks sip trunks gateways providers registration smpp peers',
  '/internal/carriers/add': 'new trunk gateway peer',
  '/internal/carriers/add/guided': 'new trunk wizard setup step by step',
  '/internal/clients': 'devices phones softphones extensions endpoints registrations subscribers webrtc',
  '/internal/clients/add': 'new device phone extension',
  '/internal/conversation-quality': 'voice ai agents bots latency response time interruptions barge-in analytics',
  '/internal/conversation-search': 'transcripts full text words phrases said keyword find',
  '/internal/least-cost-routing': 'lcr least cost routes dial plan',
  '/internal/least-cost-routing/own': 'lcr least cost routes dial plan',
  '/internal/live-calls': 'active calls in progress ongoing hang up transfer',
  '/internal/ms-teams-tenants': 'microsoft direct routing',
  '/internal/overview': 'dashboard home start status health setup checklist problems',
  '/internal/phone-numbers': 'dids ddis inbound e164',
  '/internal/phone-numbers/add': 'new did',
  '/internal/phone-numbers/import': 'csv upload bulk',
  '/internal/phone-numbers/inbound': 'test explain inbound routing did',
  '/internal/recent-calls': 'cdrs history traces logs recordings pcap sip ladder',
  '/internal/reviews': 'qa quality assurance scorecard rating annotate labels evaluation sample calls',
  '/internal/reviews/settings': 'qa scorecard criteria labels llm judge openai evaluation',
  '/internal/settings':
    'api keys tokens password policy sbc addresses domain names system information limits tts cache',
  '/internal/settings/masking':
    'pci dss credit card numbers redaction redact privacy gdpr patterns regular expressions',
  '/internal/speech-services': 'tts stt asr voices synthesis recognition transcription vendors credentials',
  '/internal/speech-services/add': 'tts stt credential vendor key',
  '/internal/system': 'health outage monitoring redis feature servers',
  '/internal/users': 'people members roles permissions team invite',
  '/internal/users/add': 'invite member person',
  keys: 'hotkeys help',
  refresh: 'reload update',
  'sign-out': 'log out logout exit leave',
  'theme-dark': 'night mode appearance colors',
  'theme-light': 'day mode appearance colors',
  'theme-system': 'automatic mode appearance colors',
}

/** Returns other words for a screen or an action, or an empty text. */
export const getKeywords = (id: string): string => keywords[id] ?? ''
