import { createTables, fillTables, type Migration, type Statements } from './statements.ts'

/** Adds sums of calls per day. */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_call_days (
      owner_sid TEXT NOT NULL,
      provider_sid TEXT NOT NULL,
      day INTEGER NOT NULL,
      trunk TEXT NOT NULL,
      direction TEXT NOT NULL,
      sip_status INTEGER NOT NULL,
      answered INTEGER CHECK ("answered" IN (0, 1)) NOT NULL,
      calls INTEGER NOT NULL,
      seconds INTEGER NOT NULL,
      pdd_calls INTEGER NOT NULL,
      pdd_milliseconds INTEGER NOT NULL
    )`,
    'CREATE UNIQUE INDEX IF NOT EXISTS patchbay_call_days_idx_1 ON patchbay_call_days (owner_sid, day, provider_sid, trunk, direction, sip_status, answered)',
    'CREATE INDEX IF NOT EXISTS patchbay_call_days_idx_2 ON patchbay_call_days (provider_sid, day)',
    'CREATE INDEX IF NOT EXISTS patchbay_call_days_idx_3 ON patchbay_call_days (day)',
    `CREATE TABLE IF NOT EXISTS patchbay_call_delays (
      call_sid TEXT NOT NULL PRIMARY KEY,
      dialled_at INTEGER,
      rung_at INTEGER,
      received_at INTEGER NOT NULL
    )`,
    'CREATE INDEX IF NOT EXISTS patchbay_call_delays_idx_1 ON patchbay_call_delays (received_at)',
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_call_days (
      owner_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      provider_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      day INTEGER NOT NULL,
      trunk VARCHAR(255) COLLATE utf8mb4_bin NOT NULL,
      direction VARCHAR(16) COLLATE utf8mb4_bin NOT NULL,
      sip_status INTEGER NOT NULL,
      answered BOOLEAN NOT NULL,
      calls INTEGER NOT NULL,
      seconds BIGINT NOT NULL,
      pdd_calls INTEGER NOT NULL,
      pdd_milliseconds BIGINT NOT NULL,
      UNIQUE INDEX patchbay_call_days_idx_1 (owner_sid, day, provider_sid, trunk, direction, sip_status, answered),
      INDEX patchbay_call_days_idx_2 (provider_sid, day),
      INDEX patchbay_call_days_idx_3 (day)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
    `CREATE TABLE IF NOT EXISTS patchbay_call_delays (
      call_sid VARCHAR(64) COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
      dialled_at BIGINT,
      rung_at BIGINT,
      received_at BIGINT NOT NULL,
      INDEX patchbay_call_delays_idx_1 (received_at)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

/** Complete days since the epoch, rounded down also before 1970. */
const day = {
  sqlite: '(attempted_at - ((attempted_at % 86400000) + 86400000) % 86400000) / 86400000',
  mysql: '(attempted_at - ((attempted_at % 86400000) + 86400000) % 86400000) DIV 86400000',
}

/** Sums the calls of versions without the sums. */
const countCalls = (engine: keyof Statements): string[] => [
  'DELETE FROM patchbay_call_days',
  ...(
    [
      ['account_sid', "COALESCE(service_provider_sid, '')"],
      ['service_provider_sid', "''"],
    ] as const
  ).map(
    ([owner, provider]) =>
      `INSERT INTO patchbay_call_days (owner_sid, provider_sid, day, trunk, direction, sip_status, answered, calls, seconds,
         pdd_calls, pdd_milliseconds)
       SELECT ${owner} AS sum_owner, ${provider} AS sum_provider, ${day[engine]} AS sum_day,
         COALESCE(trunk, '') AS sum_trunk, COALESCE(direction, '') AS sum_direction,
         CASE WHEN sip_status BETWEEN 1 AND 999 THEN sip_status ELSE 0 END AS sum_status, answered, COUNT(*), SUM(duration), 0, 0
       FROM patchbay_calls WHERE ${owner} IS NOT NULL
       GROUP BY sum_owner, sum_provider, sum_day, sum_trunk, sum_direction, sum_status, answered`,
  ),
]

export const up: Migration = async (context) => {
  await createTables(context, tables)
  await fillTables(context, { sqlite: countCalls('sqlite'), mysql: countCalls('mysql') })
}
