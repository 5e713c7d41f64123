import { createTables, type Migration, type Statements } from './statements.ts'

/** Creates the tables that Patchbay had at first. */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_sessions (
      token_hash TEXT NOT NULL PRIMARY KEY,
      user_sid TEXT NOT NULL,
      expires_at INTEGER NOT NULL
    )`,
    'CREATE INDEX IF NOT EXISTS patchbay_sessions_idx_1 ON patchbay_sessions (user_sid)',
    'CREATE INDEX IF NOT EXISTS patchbay_sessions_idx_2 ON patchbay_sessions (expires_at)',
    `CREATE TABLE IF NOT EXISTS patchbay_counters (
      counter TEXT NOT NULL PRIMARY KEY,
      count INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    )`,
    'CREATE INDEX IF NOT EXISTS patchbay_counters_idx_1 ON patchbay_counters (expires_at)',
    `CREATE TABLE IF NOT EXISTS patchbay_calls (
      account_sid TEXT NOT NULL,
      attempted_at INTEGER NOT NULL,
      attempted_ns INTEGER NOT NULL,
      call_key TEXT NOT NULL,
      service_provider_sid TEXT,
      call_sid TEXT,
      direction TEXT,
      answered INTEGER CHECK ("answered" IN (0, 1)) NOT NULL,
      answered_at INTEGER,
      terminated_at INTEGER,
      duration INTEGER NOT NULL,
      "from" TEXT,
      "to" TEXT,
      host TEXT,
      remote_host TEXT,
      trunk TEXT,
      application_sid TEXT,
      sip_callid TEXT,
      sip_parent_callid TEXT,
      sip_status INTEGER,
      termination_reason TEXT,
      trace_id TEXT,
      recording_url TEXT,
      cost REAL,
      rate REAL,
      billed_seconds INTEGER,
      extra TEXT
    )`,
    'CREATE UNIQUE INDEX IF NOT EXISTS patchbay_calls_idx_1 ON patchbay_calls (account_sid, attempted_at, attempted_ns, call_key)',
    'CREATE INDEX IF NOT EXISTS patchbay_calls_idx_2 ON patchbay_calls (service_provider_sid, attempted_at, attempted_ns)',
    'CREATE INDEX IF NOT EXISTS patchbay_calls_idx_3 ON patchbay_calls (call_sid)',
    `CREATE TABLE IF NOT EXISTS patchbay_alerts (
      raised_at INTEGER NOT NULL,
      raised_ns INTEGER NOT NULL,
      fingerprint TEXT NOT NULL,
      account_sid TEXT,
      service_provider_sid TEXT,
      alert_type TEXT NOT NULL,
      message TEXT NOT NULL,
      detail TEXT,
      target_sid TEXT,
      vendor TEXT,
      extra TEXT
    )`,
    'CREATE UNIQUE INDEX IF NOT EXISTS patchbay_alerts_idx_1 ON patchbay_alerts (raised_at, raised_ns, fingerprint)',
    'CREATE INDEX IF NOT EXISTS patchbay_alerts_idx_2 ON patchbay_alerts (account_sid, raised_at, raised_ns)',
    'CREATE INDEX IF NOT EXISTS patchbay_alerts_idx_3 ON patchbay_alerts (service_provider_sid, raised_at, raised_ns)',
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_sessions (
      token_hash VARCHAR(64) COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
      user_sid CHAR(36) NOT NULL,
      expires_at BIGINT NOT NULL,
      INDEX patchbay_sessions_idx_1 (user_sid),
      INDEX patchbay_sessions_idx_2 (expires_at)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
    `CREATE TABLE IF NOT EXISTS patchbay_counters (
      counter VARCHAR(191) COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
      count INTEGER NOT NULL,
      expires_at BIGINT NOT NULL,
      INDEX patchbay_counters_idx_1 (expires_at)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
    `CREATE TABLE IF NOT EXISTS patchbay_calls (
      account_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      attempted_at BIGINT NOT NULL,
      attempted_ns INTEGER NOT NULL,
      call_key VARCHAR(255) COLLATE utf8mb4_bin NOT NULL,
      service_provider_sid VARCHAR(36) COLLATE utf8mb4_bin,
      call_sid VARCHAR(64) COLLATE utf8mb4_bin,
      direction VARCHAR(16) COLLATE utf8mb4_bin,
      answered BOOLEAN NOT NULL,
      answered_at BIGINT,
      terminated_at BIGINT,
      duration INTEGER NOT NULL,
      \`from\` VARCHAR(255) COLLATE utf8mb4_bin,
      \`to\` VARCHAR(255) COLLATE utf8mb4_bin,
      host VARCHAR(255) COLLATE utf8mb4_bin,
      remote_host VARCHAR(255) COLLATE utf8mb4_bin,
      trunk VARCHAR(255) COLLATE utf8mb4_bin,
      application_sid VARCHAR(64) COLLATE utf8mb4_bin,
      sip_callid VARCHAR(255) COLLATE utf8mb4_bin,
      sip_parent_callid VARCHAR(255) COLLATE utf8mb4_bin,
      sip_status INTEGER,
      termination_reason VARCHAR(255) COLLATE utf8mb4_bin,
      trace_id VARCHAR(64) COLLATE utf8mb4_bin,
      recording_url VARCHAR(1024) COLLATE utf8mb4_bin,
      cost DOUBLE,
      rate DOUBLE,
      billed_seconds INTEGER,
      extra MEDIUMTEXT,
      UNIQUE INDEX patchbay_calls_idx_1 (account_sid, attempted_at, attempted_ns, call_key),
      INDEX patchbay_calls_idx_2 (service_provider_sid, attempted_at, attempted_ns),
      INDEX patchbay_calls_idx_3 (call_sid)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
    `CREATE TABLE IF NOT EXISTS patchbay_alerts (
      raised_at BIGINT NOT NULL,
      raised_ns INTEGER NOT NULL,
      fingerprint VARCHAR(64) COLLATE utf8mb4_bin NOT NULL,
      account_sid VARCHAR(36) COLLATE utf8mb4_bin,
      service_provider_sid VARCHAR(36) COLLATE utf8mb4_bin,
      alert_type VARCHAR(64) COLLATE utf8mb4_bin NOT NULL,
      message MEDIUMTEXT NOT NULL,
      detail MEDIUMTEXT,
      target_sid VARCHAR(64) COLLATE utf8mb4_bin,
      vendor VARCHAR(64) COLLATE utf8mb4_bin,
      extra MEDIUMTEXT,
      UNIQUE INDEX patchbay_alerts_idx_1 (raised_at, raised_ns, fingerprint),
      INDEX patchbay_alerts_idx_2 (account_sid, raised_at, raised_ns),
      INDEX patchbay_alerts_idx_3 (service_provider_sid, raised_at, raised_ns)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

export const up: Migration = async (context) => {
  await createTables(context, tables)
}
