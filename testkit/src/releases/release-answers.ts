import { maskPassword } from '@patchbay/rules/masking/masking'
import type { ApiAnswers } from '../api-answers.ts'

/** Compares what a release and this version respond to the same requests on the same data. */

/** Members of carriers, of which releases up to 0.2.0 showed the first six characters. */
const carrierPasswords = ['register_password', 'smpp_password', 'smpp_inbound_password']

/** Returns a response of a release with the passwords of carriers as they are shown now. */
const hidePasswords = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(hidePasswords)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const isMask = carrierPasswords.includes(name) && typeof member === 'string' && /.X+$/.test(member)
      return [name, isMask ? maskPassword(member) : hidePasswords(member)]
    }),
  )
}

/** Describes ports and services of the process, and no data. */
const systemStatus = '/patchbay/system-status'

/** Returns pairs of responses by path. The second one of each may have additional members. */
export const pairAnswers = (before: ApiAnswers, after: ApiAnswers): [released: object, current: object][] =>
  [...before]
    .filter(([path]) => !path.startsWith(systemStatus))
    .map(([path, body]) => [
      { path, body: hidePasswords(body) },
      { path, body: after.get(path) },
    ])

/**
 * Tables whose rows are moved, expire, or belong to a job: audit entries (compared through the API), sessions, counters,
 * links, the state of carriers, and conversations that the server computes when it has time (compared through the API).
 */
export const changingTables = [
  'patchbay_audit_trail',
  'patchbay_audit_latest',
  'patchbay_sessions',
  'patchbay_counters',
  'patchbay_link_tickets',
  'patchbay_registrations',
  'patchbay_reset_links',
  'patchbay_carrier_health_changes',
  'patchbay_carrier_health_watches',
  'patchbay_conversation_queue',
  'patchbay_transcripts',
]
