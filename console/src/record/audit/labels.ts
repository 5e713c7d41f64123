import type { AuditAction } from '@patchbay/contract/shared/audit'
import type { StateTone } from '../../ui/badge.tsx'

/** Labels of the audit trail. */

export const recordKindLabels = {
  account: 'Account',
  account_limit: 'Account limit',
  alert_destination: 'Alert destination',
  api_key: 'API key',
  application: 'Application',
  client: 'SIP client',
  confirmation_link: 'Confirmation link',
  google_custom_voice: 'Custom voice',
  lcr: 'Outbound routing',
  lcr_carrier_set_entry: 'Carrier of a route',
  lcr_route: 'Outbound route',
  live_call: 'Live call',
  ms_teams_tenant: 'MS Teams tenant',
  password_settings: 'Password policy',
  phone_number: 'Phone number',
  plan: 'Plan',
  provider_limit: 'Provider limit',
  recording: 'Recording',
  request: 'Request',
  sbc_address: 'SBC address',
  speech_credential: 'Speech service',
  sip_gateway: 'SIP gateway',
  smpp_address: 'SMPP address',
  smpp_gateway: 'SMPP gateway',
  reset_link: 'Reset link',
  sign_in_link: 'Sign-in link',
  service_provider: 'Service provider',
  session: 'Session',
  system_information: 'System information',
  text_message: 'Text message',
  tts_cache: 'TTS cache',
  user: 'User',
  voip_carrier: 'Carrier',
  webhook: 'Webhook',
} as const

export type AuditKind = keyof typeof recordKindLabels

export const isAuditKind = (kind: string): kind is AuditKind => Object.hasOwn(recordKindLabels, kind)

/** A server may know kinds that this console does not. */
export const kindText = (kind: string): string => (isAuditKind(kind) ? recordKindLabels[kind] : fieldText(kind))

export const actionLabels: Readonly<Record<AuditAction, string>> = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  try: 'tried',
  sign_in: 'signed in',
  sign_out: 'signed out',
  refused: 'refused',
}

export const actionTones: Readonly<Record<AuditAction, StateTone>> = {
  create: 'good',
  update: 'neutral',
  delete: 'bad',
  try: 'neutral',
  sign_in: 'neutral',
  sign_out: 'neutral',
  refused: 'warn',
}

/** `require_digit`: "Require digit". */
export const fieldText = (field: string): string => {
  const label = field.replaceAll('_', ' ').replace(/\bsid\b/g, 'SID')
  return label.charAt(0).toUpperCase() + label.slice(1)
}

/** Formats a stored value. Returns undefined for an empty one. */
export const valueText = (value: unknown): string | undefined => {
  if (value === null || value === undefined || value === '') return undefined
  return typeof value === 'string' ? value : JSON.stringify(value)
}
