import { createTables, fillTables, type Migration, type Statements } from './statements.ts'

/** Adds counts for the filters of calls by SIP status and duration. */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_call_outcomes (
      owner_sid TEXT NOT NULL,
      hour INTEGER NOT NULL,
      sip_status INTEGER NOT NULL,
      min_seconds INTEGER NOT NULL,
      trunk TEXT NOT NULL,
      direction TEXT NOT NULL,
      answered INTEGER CHECK ("answered" IN (0, 1)) NOT NULL,
      calls INTEGER NOT NULL
    )`,
    'CREATE UNIQUE INDEX IF NOT EXISTS patchbay_call_outcomes_idx_1 ON patchbay_call_outcomes (owner_sid, hour, sip_status, min_seconds, trunk, direction, answered)',
    'CREATE INDEX IF NOT EXISTS patchbay_call_outcomes_idx_2 ON patchbay_call_outcomes (hour)',
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_call_outcomes (
      owner_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      hour INTEGER NOT NULL,
      sip_status INTEGER NOT NULL,
      min_seconds INTEGER NOT NULL,
      trunk VARCHAR(255) COLLATE utf8mb4_bin NOT NULL,
      direction VARCHAR(16) COLLATE utf8mb4_bin NOT NULL,
      answered BOOLEAN NOT NULL,
      calls INTEGER NOT NULL,
      UNIQUE INDEX patchbay_call_outcomes_idx_1 (owner_sid, hour, sip_status, min_seconds, trunk, direction, answered),
      INDEX patchbay_call_outcomes_idx_2 (hour)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

/** Complete hours since the epoch, rounded down also before 1970. */
const hour = {
  sqlite: '(attempted_at - ((attempted_at % 3600000) + 3600000) % 3600000) / 3600000',
  mysql: '(attempted_at - ((attempted_at % 3600000) + 3600000) % 3600000) DIV 3600000',
}

/** Counts the calls of versions without the counts. */
const countCalls = (engine: keyof Statements): string[] => [
  'DELETE FROM patchbay_call_outcomes',
  ...['account_sid', 'service_provider_sid'].map(
    (owner) =>
      `INSERT INTO patchbay_call_outcomes (owner_sid, hour, sip_status, min_seconds, trunk, direction, answered, calls)
       SELECT ${owner} AS count_owner, ${hour[engine]} AS count_hour, CASE WHEN sip_status BETWEEN 1 AND 999 THEN sip_status ELSE 0 END AS count_status,
         CASE WHEN duration >= 3600 THEN 3600 WHEN duration >= 1800 THEN 1800 WHEN duration >= 600 THEN 600
           WHEN duration >= 300 THEN 300 WHEN duration >= 120 THEN 120 WHEN duration >= 60 THEN 60
           WHEN duration >= 30 THEN 30 WHEN duration >= 10 THEN 10 WHEN duration >= 5 THEN 5
           WHEN duration >= 1 THEN 1 ELSE 0 END AS count_duration,
         COALESCE(trunk, '') AS count_trunk, COALESCE(direction, '') AS count_direction, answered, COUNT(*)
       FROM patchbay_calls WHERE ${owner} IS NOT NULL
       GROUP BY count_owner, count_hour, count_status, count_duration, count_trunk, count_direction, answered`,
  ),
]

export const up: Migration = async (context) => {
  await createTables(context, tables)
  await fillTables(context, { sqlite: countCalls('sqlite'), mysql: countCalls('mysql') })
}
