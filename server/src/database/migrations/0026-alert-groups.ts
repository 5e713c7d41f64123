import { type Kysely, sql } from 'kysely'
import { createHash } from 'node:crypto'
import { alterTables, createTables, type Migration, type Statements } from './statements.ts'

/** Adds the groups of alerts, and their acknowledgments. The new indexes replace two that are their prefixes. */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_alert_acknowledgments (
      alert_acknowledgment_sid TEXT NOT NULL PRIMARY KEY,
      group_key TEXT NOT NULL,
      account_sid TEXT,
      service_provider_sid TEXT,
      until_at INTEGER NOT NULL,
      single_ns INTEGER NOT NULL,
      acknowledged_at INTEGER NOT NULL,
      acknowledged_by TEXT COLLATE NOCASE
    )`,
    'CREATE UNIQUE INDEX IF NOT EXISTS patchbay_alert_acknowledgments_idx_1 ON patchbay_alert_acknowledgments (group_key, single_ns, until_at)',
    'CREATE INDEX IF NOT EXISTS patchbay_alert_acknowledgments_idx_2 ON patchbay_alert_acknowledgments (account_sid, until_at)',
    'CREATE INDEX IF NOT EXISTS patchbay_alert_acknowledgments_idx_3 ON patchbay_alert_acknowledgments (service_provider_sid, until_at)',
    'CREATE INDEX IF NOT EXISTS patchbay_alert_acknowledgments_idx_4 ON patchbay_alert_acknowledgments (acknowledged_at)',
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_alert_acknowledgments (
      alert_acknowledgment_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
      group_key VARCHAR(32) COLLATE utf8mb4_bin NOT NULL,
      account_sid VARCHAR(36) COLLATE utf8mb4_bin,
      service_provider_sid VARCHAR(36) COLLATE utf8mb4_bin,
      until_at BIGINT NOT NULL,
      single_ns INTEGER NOT NULL,
      acknowledged_at BIGINT NOT NULL,
      acknowledged_by VARCHAR(255),
      UNIQUE INDEX patchbay_alert_acknowledgments_idx_1 (group_key, single_ns, until_at),
      INDEX patchbay_alert_acknowledgments_idx_2 (account_sid, until_at),
      INDEX patchbay_alert_acknowledgments_idx_3 (service_provider_sid, until_at),
      INDEX patchbay_alert_acknowledgments_idx_4 (acknowledged_at)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

const changes: Statements = {
  sqlite: [
    'ALTER TABLE patchbay_alerts ADD COLUMN group_key TEXT',
    'CREATE INDEX IF NOT EXISTS patchbay_alerts_group ON patchbay_alerts (group_key, raised_at, raised_ns, account_sid, service_provider_sid, alert_type)',
    'CREATE INDEX IF NOT EXISTS patchbay_alerts_account ON patchbay_alerts (account_sid, raised_at, raised_ns, fingerprint, alert_type, group_key)',
    'DROP INDEX IF EXISTS patchbay_alerts_account_sid',
    'CREATE INDEX IF NOT EXISTS patchbay_alerts_provider ON patchbay_alerts (service_provider_sid, raised_at, raised_ns, fingerprint, alert_type, group_key)',
    'DROP INDEX IF EXISTS patchbay_alerts_service_provider_sid',
  ],
  mysql: [
    'ALTER TABLE patchbay_alerts ADD COLUMN group_key VARCHAR(32) COLLATE utf8mb4_bin',
    'CREATE INDEX patchbay_alerts_group ON patchbay_alerts (group_key, raised_at, raised_ns, account_sid, service_provider_sid, alert_type)',
    'CREATE INDEX patchbay_alerts_account ON patchbay_alerts (account_sid, raised_at, raised_ns, fingerprint, alert_type, group_key)',
    'DROP INDEX patchbay_alerts_account_sid ON patchbay_alerts',
    'CREATE INDEX patchbay_alerts_provider ON patchbay_alerts (service_provider_sid, raised_at, raised_ns, fingerprint, alert_type, group_key)',
    'DROP INDEX patchbay_alerts_service_provider_sid ON patchbay_alerts',
  ],
}

interface StoredAlert {
  raised_at: number
  raised_ns: number
  fingerprint: string
  account_sid: string | null
  service_provider_sid: string | null
  alert_type: string
  message: string
  vendor: string | null
}

/** Returns the first URL of a text without credentials, query, and fragment. */
const findUrl = (text: string): string | undefined => {
  const [url] = /(?:https?|wss?):\/\/[^\s"'<>?#]+/i.exec(text) ?? []
  return url?.replace(/\/\/[^/@]*@/, '//').replace(/[.,:;]$/, '')
}

const isAboutUrl = (type: string): boolean =>
  type.startsWith('webhook-') || type === 'invalid-app-payload' || type === 'play-url-notfound'

/** Returns what an alert is about: the vendor, a URL, or the owner. */
const toObject = ({ account_sid, alert_type, message, vendor }: StoredAlert): readonly [string, string | null] => {
  if (vendor !== null) return ['vendor', vendor.slice(0, 255)]
  const url = isAboutUrl(alert_type) ? findUrl(message) : undefined
  if (url !== undefined) return ['url', url.slice(0, 255)]
  return [account_sid === null || alert_type.startsWith('service-provider-') ? 'service_provider' : 'account', null]
}

const toGroupKey = (alert: StoredAlert): string => {
  const members = [alert.account_sid ?? alert.service_provider_sid, alert.alert_type, ...toObject(alert)]
  return createHash('sha256').update(JSON.stringify(members)).digest('hex').slice(0, 32)
}

const batchSize = 500

/** Adds the keys to stored alerts, in batches that an index finds. An interrupted run is continued. */
const groupAlerts = async (db: Kysely<unknown>): Promise<void> => {
  for (;;) {
    const { rows } = await sql<StoredAlert>`
      SELECT raised_at, raised_ns, fingerprint, account_sid, service_provider_sid, alert_type, message, vendor
      FROM patchbay_alerts WHERE group_key IS NULL LIMIT ${sql.lit(batchSize)}`.execute(db)
    for (const alert of rows)
      await sql`UPDATE patchbay_alerts SET group_key = ${toGroupKey(alert)} WHERE raised_at = ${alert.raised_at}
        AND raised_ns = ${alert.raised_ns} AND fingerprint = ${alert.fingerprint}`.execute(db)
    if (rows.length < batchSize) return
  }
}

export const up: Migration = async (context) => {
  await createTables(context, tables)
  await alterTables(context, changes)
  await groupAlerts(context.db)
}
