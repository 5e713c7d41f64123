import type { Attention, AttentionRecord } from '@patchbay/contract/overview'
import { type AttentionKind, maxAttentionCount, maxAttentionRecords } from '@patchbay/contract/shared/attention-kinds'
import { minimumAttempts } from '@patchbay/rules/calls/minimum-attempts'
import type { BackupStatus } from '../../backup/scheduled/backup-list.ts'
import { isDelivered } from '../../call-data/calls/aggregate-quality.ts'
import type { OutcomeCount } from '../../call-data/calls/call-activity.ts'
import { noDetails } from '../shared/attention-records.ts'
import { type CheckedCertificate, isNearEnd } from '../shared/certificates.ts'
import { isBackupOverdue } from '../shared/overdue-backups.ts'

/** Problems that are not in the tables of records, and the entries of the overview. */

/** Returns whether no list can be filtered by a kind, so that only the overview shows its records. */
const hasNoList = (kind: AttentionKind): boolean => kind === 'limit_near' || kind === 'carrier_failing'

/** Returns the entry of a kind of problem, or an empty list if there are no records. */
export const toAttention = (kind: AttentionKind, records: readonly AttentionRecord[]): Attention[] =>
  records.length === 0
    ? []
    : [
        {
          kind,
          count: Math.min(records.length, maxAttentionCount),
          records: records
            .toSorted((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
            .slice(0, hasNoList(kind) ? maxAttentionCount : maxAttentionRecords),
        },
      ]

const minimumDelivered = 0.5

/** Carriers over which fewer than half of the calls were delivered. Returns delivered calls and attempts. */
export const findFailingCarriers = (outcomes: readonly OutcomeCount[]): AttentionRecord[] => {
  const carriers = new Map<string, { used: number; quantity: number }>()
  for (const { trunk, answered, sip_status, calls } of outcomes) {
    if (trunk === '') continue
    const { used, quantity } = carriers.get(trunk) ?? { used: 0, quantity: 0 }
    carriers.set(trunk, { used: used + (isDelivered(answered, sip_status) ? calls : 0), quantity: quantity + calls })
  }
  return [...carriers]
    .filter(([, { used, quantity }]) => quantity >= minimumAttempts && used / quantity < minimumDelivered)
    .map(([name, counts]) => ({ ...noDetails, sid: null, name, ...counts }))
}

/** TLS certificates of the installation that have expired or will soon. */
export const findExpiringCertificates = (certificates: readonly CheckedCertificate[], now: number): AttentionRecord[] =>
  certificates.flatMap(({ name, certificate }) =>
    certificate !== undefined && isNearEnd(certificate, now)
      ? { ...noDetails, sid: null, name, expires_at: new Date(certificate.validUntil).toISOString() }
      : [],
  )

/** The scheduled backups of the installation, if they fail or are overdue. The detail is the reason of the last failure. */
export const findFailingBackups = (status: BackupStatus, now: number): AttentionRecord[] =>
  status.failures > 0 || isBackupOverdue(status, now)
    ? [{ ...noDetails, sid: null, name: 'Backups of this installation', detail: status.failureReason }]
    : []
