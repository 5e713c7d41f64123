import type { AttentionRecord } from '@patchbay/contract/overview'
import { type AttentionKind, certificateNoticeDays, maxAttentionCount } from '@patchbay/contract/shared/attention-kinds'
import { vendorName } from '@patchbay/rules/speech/names'
import { formatCount } from '../../ui/format/text.ts'

/** Texts of the problems. */

const titles: Readonly<Record<AttentionKind, readonly [one: string, many: string]>> = {
  carrier_unregistered: ['carrier is not registered', 'carriers are not registered'],
  carrier_failing: [
    'carrier delivered fewer than half of its calls since yesterday (UTC)',
    'carriers delivered fewer than half of their calls since yesterday (UTC)',
  ],
  registration_unreported: [
    'carrier has reported no registration, so it may not be registered',
    'carriers have reported no registration, so they may not be registered',
  ],
  speech_test_failed: ['speech service failed its last test', 'speech services failed their last test'],
  speech_missing: [
    'application uses a speech service that is not configured',
    'applications use a speech service that is not configured',
  ],
  limit_near: ['limit is used up, or almost', 'limits are used up, or almost'],
  number_without_application: ['phone number has no application', 'phone numbers have no application'],
  api_key_expiring: ['API key expires within 30 days', 'API keys expire within 30 days'],
  certificate_expiring: [
    `TLS certificate has expired or expires within ${certificateNoticeDays} days`,
    `TLS certificates have expired or expire within ${certificateNoticeDays} days`,
  ],
  backup_failing: ['scheduled backup has failed or is overdue', 'scheduled backups have failed or are overdue'],
  alerts: ['new alert', 'new alerts'],
}

/** Returns the title of a problem with the number of its records. The server stops counting at 1,000. */
export const attentionTitle = (kind: AttentionKind, count: number): string => {
  const [one, many] = titles[kind]
  if (count === 1) return `1 ${one}`
  return `${count < maxAttentionCount ? formatCount(count) : `${formatCount(maxAttentionCount - 1)}+`} ${many}`
}

const formatVendors = (vendors: string): string => vendors.split(', ').map(vendorName).join(', ')

/** Returns what is known about a record besides its name. */
export const detailText = (kind: AttentionKind, { detail, used, quantity }: AttentionRecord): string => {
  if (used !== null && quantity !== null) {
    const share = `${formatCount(used)} of ${formatCount(quantity)}`
    if (kind === 'carrier_failing') return `${share} calls delivered`
    if (detail === 'recordings') return `${share} bytes of recordings stored`
    return detail === null ? `${share} simultaneous calls` : `${share} ${detail} stored today (UTC)`
  }
  if (detail === null) return ''
  return kind === 'speech_test_failed' || kind === 'speech_missing' ? formatVendors(detail) : detail
}

/** Returns the verb before the time at which a key or certificate expires. */
export const expiryVerb = (expires_at: string): string => (Date.parse(expires_at) < Date.now() ? 'expired' : 'expires')
