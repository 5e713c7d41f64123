import { createTables, type Migration, type Statements } from './statements.ts'

/** Adds blocked calls and claimed identities. */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_sip_marks (
      sip_callid TEXT NOT NULL,
      kind TEXT NOT NULL,
      captured_at INTEGER NOT NULL,
      received_at INTEGER NOT NULL,
      attestation TEXT NOT NULL,
      verification TEXT NOT NULL,
      searches INTEGER NOT NULL,
      due_at INTEGER
    )`,
    'CREATE UNIQUE INDEX IF NOT EXISTS patchbay_sip_marks_idx_1 ON patchbay_sip_marks (sip_callid, kind)',
    'CREATE INDEX IF NOT EXISTS patchbay_sip_marks_idx_2 ON patchbay_sip_marks (due_at)',
    'CREATE INDEX IF NOT EXISTS patchbay_sip_marks_idx_3 ON patchbay_sip_marks (received_at)',
    `CREATE TABLE IF NOT EXISTS patchbay_blocked_calls (
      account_sid TEXT NOT NULL,
      attempted_at INTEGER NOT NULL,
      call_key TEXT NOT NULL,
      service_provider_sid TEXT,
      trunk TEXT NOT NULL,
      direction TEXT NOT NULL,
      number TEXT,
      kind TEXT NOT NULL,
      alerted_at INTEGER
    )`,
    'CREATE UNIQUE INDEX IF NOT EXISTS patchbay_blocked_calls_idx_1 ON patchbay_blocked_calls (account_sid, attempted_at, call_key)',
    'CREATE INDEX IF NOT EXISTS patchbay_blocked_calls_idx_2 ON patchbay_blocked_calls (service_provider_sid, attempted_at)',
    'CREATE INDEX IF NOT EXISTS patchbay_blocked_calls_idx_3 ON patchbay_blocked_calls (attempted_at)',
    `CREATE TABLE IF NOT EXISTS patchbay_identity_days (
      account_sid TEXT NOT NULL,
      service_provider_sid TEXT NOT NULL,
      day INTEGER NOT NULL,
      trunk TEXT NOT NULL,
      direction TEXT NOT NULL,
      attestation TEXT NOT NULL,
      verification TEXT NOT NULL,
      calls INTEGER NOT NULL
    )`,
    'CREATE UNIQUE INDEX IF NOT EXISTS patchbay_identity_days_idx_1 ON patchbay_identity_days (account_sid, day, service_provider_sid, trunk, direction, attestation, verification)',
    'CREATE INDEX IF NOT EXISTS patchbay_identity_days_idx_2 ON patchbay_identity_days (service_provider_sid, day)',
    'CREATE INDEX IF NOT EXISTS patchbay_identity_days_idx_3 ON patchbay_identity_days (day)',
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_sip_marks (
      sip_callid VARCHAR(255) COLLATE utf8mb4_bin NOT NULL,
      kind VARCHAR(8) COLLATE utf8mb4_bin NOT NULL,
      captured_at BIGINT NOT NULL,
      received_at BIGINT NOT NULL,
      attestation VARCHAR(8) COLLATE utf8mb4_bin NOT NULL,
      verification VARCHAR(8) COLLATE utf8mb4_bin NOT NULL,
      searches INTEGER NOT NULL,
      due_at BIGINT,
      UNIQUE INDEX patchbay_sip_marks_idx_1 (sip_callid, kind),
      INDEX patchbay_sip_marks_idx_2 (due_at),
      INDEX patchbay_sip_marks_idx_3 (received_at)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
    `CREATE TABLE IF NOT EXISTS patchbay_blocked_calls (
      account_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      attempted_at BIGINT NOT NULL,
      call_key VARCHAR(255) COLLATE utf8mb4_bin NOT NULL,
      service_provider_sid VARCHAR(36) COLLATE utf8mb4_bin,
      trunk VARCHAR(255) COLLATE utf8mb4_bin NOT NULL,
      direction VARCHAR(16) COLLATE utf8mb4_bin NOT NULL,
      number VARCHAR(32) COLLATE utf8mb4_bin,
      kind VARCHAR(16) COLLATE utf8mb4_bin NOT NULL,
      alerted_at BIGINT,
      UNIQUE INDEX patchbay_blocked_calls_idx_1 (account_sid, attempted_at, call_key),
      INDEX patchbay_blocked_calls_idx_2 (service_provider_sid, attempted_at),
      INDEX patchbay_blocked_calls_idx_3 (attempted_at)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
    `CREATE TABLE IF NOT EXISTS patchbay_identity_days (
      account_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      service_provider_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      day INTEGER NOT NULL,
      trunk VARCHAR(255) COLLATE utf8mb4_bin NOT NULL,
      direction VARCHAR(16) COLLATE utf8mb4_bin NOT NULL,
      attestation VARCHAR(8) COLLATE utf8mb4_bin NOT NULL,
      verification VARCHAR(8) COLLATE utf8mb4_bin NOT NULL,
      calls INTEGER NOT NULL,
      UNIQUE INDEX patchbay_identity_days_idx_1 (account_sid, day, service_provider_sid, trunk, direction, attestation, verification),
      INDEX patchbay_identity_days_idx_2 (service_provider_sid, day),
      INDEX patchbay_identity_days_idx_3 (day)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

export const up: Migration = async (context) => {
  await createTables(context, tables)
}
