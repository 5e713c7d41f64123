import { createTables, type Migration, type Statements } from './statements.ts'

/** Adds reviews of calls. */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_review_items (
      account_sid TEXT NOT NULL,
      call_sid TEXT NOT NULL,
      service_provider_sid TEXT,
      started_at INTEGER NOT NULL,
      reasons INTEGER NOT NULL,
      state INTEGER NOT NULL,
      lowest_score INTEGER,
      assignee_sid TEXT,
      check_at INTEGER
    )`,
    'CREATE UNIQUE INDEX IF NOT EXISTS patchbay_review_items_idx_1 ON patchbay_review_items (account_sid, call_sid)',
    'CREATE INDEX IF NOT EXISTS patchbay_review_items_idx_2 ON patchbay_review_items (account_sid, state, started_at, call_sid, reasons, lowest_score, assignee_sid, service_provider_sid)',
    'CREATE INDEX IF NOT EXISTS patchbay_review_items_idx_3 ON patchbay_review_items (service_provider_sid, state, started_at, call_sid, account_sid, reasons, lowest_score, assignee_sid)',
    'CREATE INDEX IF NOT EXISTS patchbay_review_items_idx_4 ON patchbay_review_items (assignee_sid, state, started_at)',
    'CREATE INDEX IF NOT EXISTS patchbay_review_items_idx_5 ON patchbay_review_items (started_at)',
    'CREATE INDEX IF NOT EXISTS patchbay_review_items_idx_6 ON patchbay_review_items (check_at)',
    `CREATE TABLE IF NOT EXISTS patchbay_reviews (
      account_sid TEXT NOT NULL,
      call_sid TEXT NOT NULL,
      reviewer_sid TEXT NOT NULL,
      reviewer TEXT COLLATE NOCASE NOT NULL,
      started_at INTEGER NOT NULL,
      score INTEGER NOT NULL,
      content TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    )`,
    'CREATE UNIQUE INDEX IF NOT EXISTS patchbay_reviews_idx_1 ON patchbay_reviews (call_sid, account_sid, reviewer_sid)',
    'CREATE INDEX IF NOT EXISTS patchbay_reviews_idx_2 ON patchbay_reviews (account_sid, started_at)',
    'CREATE INDEX IF NOT EXISTS patchbay_reviews_idx_3 ON patchbay_reviews (started_at)',
    `CREATE TABLE IF NOT EXISTS patchbay_review_settings (
      service_provider_sid TEXT NOT NULL PRIMARY KEY,
      criteria TEXT NOT NULL,
      labels TEXT NOT NULL,
      slow_ms INTEGER,
      interrupted INTEGER CHECK ("interrupted" IN (0, 1)) NOT NULL,
      failed INTEGER CHECK ("failed" IN (0, 1)) NOT NULL,
      random_percent INTEGER NOT NULL
    )`,
    `CREATE TABLE IF NOT EXISTS patchbay_review_models (
      service_provider_sid TEXT NOT NULL PRIMARY KEY,
      is_enabled INTEGER CHECK ("is_enabled" IN (0, 1)) NOT NULL,
      url TEXT COLLATE NOCASE NOT NULL,
      model TEXT COLLATE NOCASE NOT NULL,
      api_key TEXT,
      instructions TEXT NOT NULL,
      is_automatic INTEGER CHECK ("is_automatic" IN (0, 1)) NOT NULL,
      daily_limit INTEGER NOT NULL,
      used_on INTEGER NOT NULL,
      used INTEGER NOT NULL
    )`,
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_review_items (
      account_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      call_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      service_provider_sid VARCHAR(36) COLLATE utf8mb4_bin,
      started_at BIGINT NOT NULL,
      reasons INTEGER NOT NULL,
      state INTEGER NOT NULL,
      lowest_score INTEGER,
      assignee_sid VARCHAR(36) COLLATE utf8mb4_bin,
      check_at BIGINT,
      UNIQUE INDEX patchbay_review_items_idx_1 (account_sid, call_sid),
      INDEX patchbay_review_items_idx_2 (account_sid, state, started_at, call_sid, reasons, lowest_score, assignee_sid, service_provider_sid),
      INDEX patchbay_review_items_idx_3 (service_provider_sid, state, started_at, call_sid, account_sid, reasons, lowest_score, assignee_sid),
      INDEX patchbay_review_items_idx_4 (assignee_sid, state, started_at),
      INDEX patchbay_review_items_idx_5 (started_at),
      INDEX patchbay_review_items_idx_6 (check_at)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
    `CREATE TABLE IF NOT EXISTS patchbay_reviews (
      account_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      call_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      reviewer_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      reviewer VARCHAR(255) NOT NULL,
      started_at BIGINT NOT NULL,
      score INTEGER NOT NULL,
      content MEDIUMTEXT NOT NULL,
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL,
      UNIQUE INDEX patchbay_reviews_idx_1 (call_sid, account_sid, reviewer_sid),
      INDEX patchbay_reviews_idx_2 (account_sid, started_at),
      INDEX patchbay_reviews_idx_3 (started_at)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
    `CREATE TABLE IF NOT EXISTS patchbay_review_settings (
      service_provider_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
      criteria MEDIUMTEXT NOT NULL,
      labels MEDIUMTEXT NOT NULL,
      slow_ms INTEGER,
      interrupted BOOLEAN NOT NULL,
      failed BOOLEAN NOT NULL,
      random_percent INTEGER NOT NULL
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
    `CREATE TABLE IF NOT EXISTS patchbay_review_models (
      service_provider_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
      is_enabled BOOLEAN NOT NULL,
      url VARCHAR(512) NOT NULL,
      model VARCHAR(128) NOT NULL,
      api_key MEDIUMTEXT,
      instructions MEDIUMTEXT NOT NULL,
      is_automatic BOOLEAN NOT NULL,
      daily_limit INTEGER NOT NULL,
      used_on INTEGER NOT NULL,
      used INTEGER NOT NULL
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

export const up: Migration = async (context) => {
  await createTables(context, tables)
}
