import type { Owner } from '@patchbay/contract/api/access'
import { type AlertObject, toAlertObject } from '@patchbay/rules/alerts/alert-objects'
import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { sha256 } from '../../lib/sha256.ts'

/** Keys of the groups of alerts, which consist of the alerts of an owner with the same type and object. */

/** 128 bits, so that two groups do not share a key, and the indexes that contain it stay small. */
const keyLength = 32

/** The members that identify a group. */
export interface GroupIdentity extends Owner, AlertObject {
  alert_type: string
}

/**
 * Returns the key of a group. It contains the account, or else the provider, so that a key belongs to one tenant. The
 * provider of an account is left out, because some writers do not send it.
 */
export const createGroupKey = (group: GroupIdentity): string => {
  const { account_sid, service_provider_sid, alert_type, object_kind, object_id } = group
  const owner = account_sid ?? service_provider_sid
  return sha256(JSON.stringify([owner, alert_type, object_kind, object_id])).slice(0, keyLength)
}

/** Returns the key of the group that an alert belongs to. */
export const getAlertGroupKey = (alert: Owner & Parameters<typeof toAlertObject>[0]): string => {
  const { account_sid, service_provider_sid, alert_type } = alert
  return createGroupKey({ account_sid, service_provider_sid, alert_type, ...toAlertObject(alert) })
}

const batchSize = 500

/**
 * Adds the keys to alerts that versions without them have stored, in batches that an index finds. Can be repeated after
 * an interruption.
 */
export const groupStoredAlerts = async (db: Kysely<Tables>): Promise<void> => {
  for (;;) {
    const rows = await db
      .selectFrom('patchbay_alerts')
      .select(['raised_at', 'raised_ns', 'fingerprint', 'account_sid', 'service_provider_sid', 'alert_type'])
      .select(['message', 'vendor'])
      .where('group_key', 'is', null)
      .limit(batchSize)
      .execute()
    for (const { raised_at, raised_ns, fingerprint, ...alert } of rows)
      await db
        .updateTable('patchbay_alerts')
        .set({ group_key: getAlertGroupKey(alert) })
        .where('raised_at', '=', raised_at)
        .where('raised_ns', '=', raised_ns)
        .where('fingerprint', '=', fingerprint)
        .execute()
    if (rows.length < batchSize) return
  }
}
