import { sql } from 'kysely'
import { createTables, type Migration, type Statements } from './statements.ts'

/**
 * Confirms the addresses that have received alerts by mail, so that they still receive them. Each mail contains a link to
 * unsubscribe. Other addresses must be confirmed by their owner first.
 */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_alert_addresses (
      alert_destination_sid TEXT NOT NULL PRIMARY KEY,
      target TEXT NOT NULL,
      link_hash TEXT,
      link_until INTEGER NOT NULL,
      sent_at INTEGER,
      confirmed_at INTEGER
    )`,
    'CREATE UNIQUE INDEX IF NOT EXISTS patchbay_alert_addresses_idx_1 ON patchbay_alert_addresses (link_hash)',
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_alert_addresses (
      alert_destination_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
      target VARCHAR(1024) COLLATE utf8mb4_bin NOT NULL,
      link_hash VARCHAR(64) COLLATE utf8mb4_bin,
      link_until BIGINT NOT NULL,
      sent_at BIGINT,
      confirmed_at BIGINT,
      UNIQUE INDEX patchbay_alert_addresses_idx_1 (link_hash)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

export const up: Migration = async (context) => {
  await createTables(context, tables)
  await sql`
    INSERT INTO patchbay_alert_addresses (alert_destination_sid, target, link_until, confirmed_at)
    SELECT destination.alert_destination_sid, destination.target, 0, destination.last_delivered_at
    FROM patchbay_alert_destinations AS destination
    LEFT JOIN patchbay_alert_addresses AS present
      ON present.alert_destination_sid = destination.alert_destination_sid
    WHERE destination.kind = 'email' AND destination.last_delivered_at IS NOT NULL
      AND present.alert_destination_sid IS NULL
  `.execute(context.db)
}
