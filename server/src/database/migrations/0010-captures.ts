import { alterTables, createTables, type Migration, type Statements } from './statements.ts'

/** Adds captured SIP. A parent call may have no record of its own, so it is found by the Call-ID of the parent. */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_sip_messages (
      sip_callid TEXT NOT NULL,
      captured_at INTEGER NOT NULL,
      message_key TEXT NOT NULL,
      received_at INTEGER NOT NULL,
      method TEXT NOT NULL,
      transport INTEGER NOT NULL,
      source TEXT NOT NULL,
      source_port INTEGER NOT NULL,
      destination TEXT NOT NULL,
      destination_port INTEGER NOT NULL,
      content BLOB NOT NULL
    )`,
    'CREATE UNIQUE INDEX IF NOT EXISTS patchbay_sip_messages_idx_1 ON patchbay_sip_messages (sip_callid, captured_at, message_key)',
    'CREATE INDEX IF NOT EXISTS patchbay_sip_messages_idx_2 ON patchbay_sip_messages (received_at)',
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_sip_messages (
      sip_callid VARCHAR(255) COLLATE utf8mb4_bin NOT NULL,
      captured_at BIGINT NOT NULL,
      message_key VARCHAR(64) COLLATE utf8mb4_bin NOT NULL,
      received_at BIGINT NOT NULL,
      method VARCHAR(32) COLLATE utf8mb4_bin NOT NULL,
      transport INTEGER NOT NULL,
      source VARCHAR(45) COLLATE utf8mb4_bin NOT NULL,
      source_port INTEGER NOT NULL,
      destination VARCHAR(45) COLLATE utf8mb4_bin NOT NULL,
      destination_port INTEGER NOT NULL,
      content MEDIUMBLOB NOT NULL,
      UNIQUE INDEX patchbay_sip_messages_idx_1 (sip_callid, captured_at, message_key),
      INDEX patchbay_sip_messages_idx_2 (received_at)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

const changes: Statements = {
  sqlite: ['CREATE INDEX IF NOT EXISTS patchbay_calls_parent ON patchbay_calls (sip_parent_callid)'],
  mysql: ['CREATE INDEX patchbay_calls_parent ON patchbay_calls (sip_parent_callid)'],
}

export const up: Migration = async (context) => {
  await createTables(context, tables)
  await alterTables(context, changes)
}
