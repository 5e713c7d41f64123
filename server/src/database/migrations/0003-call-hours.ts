import { alterTables, createTables, fillTables, type Migration, type Statements } from './statements.ts'

/** Adds counts of calls per hour, and indexes that contain what a search of calls reads. */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_call_hours (
      owner_sid TEXT NOT NULL,
      by_kind INTEGER CHECK ("by_kind" IN (0, 1)) NOT NULL,
      hour INTEGER NOT NULL,
      trunk TEXT NOT NULL,
      direction TEXT NOT NULL,
      answered INTEGER CHECK ("answered" IN (0, 1)) NOT NULL,
      calls INTEGER NOT NULL
    )`,
    'CREATE UNIQUE INDEX IF NOT EXISTS patchbay_call_hours_idx_1 ON patchbay_call_hours (owner_sid, by_kind, hour, trunk, direction, answered)',
    'CREATE INDEX IF NOT EXISTS patchbay_call_hours_idx_2 ON patchbay_call_hours (hour)',
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_call_hours (
      owner_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      by_kind BOOLEAN NOT NULL,
      hour INTEGER NOT NULL,
      trunk VARCHAR(255) COLLATE utf8mb4_bin NOT NULL,
      direction VARCHAR(16) COLLATE utf8mb4_bin NOT NULL,
      answered BOOLEAN NOT NULL,
      calls INTEGER NOT NULL,
      UNIQUE INDEX patchbay_call_hours_idx_1 (owner_sid, by_kind, hour, trunk, direction, answered),
      INDEX patchbay_call_hours_idx_2 (hour)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

const changes: Statements = {
  sqlite: [
    'CREATE INDEX IF NOT EXISTS patchbay_calls_search ON patchbay_calls (account_sid, attempted_at, "from", "to", call_sid)',
    'CREATE INDEX IF NOT EXISTS patchbay_calls_search_sp ON patchbay_calls (service_provider_sid, attempted_at, "from", "to", call_sid)',
  ],
  mysql: [
    'CREATE INDEX patchbay_calls_search ON patchbay_calls (account_sid, attempted_at, `from`, `to`, call_sid)',
    'CREATE INDEX patchbay_calls_search_sp ON patchbay_calls (service_provider_sid, attempted_at, `from`, `to`, call_sid)',
  ],
}

/** Complete hours since the epoch, rounded down also before 1970. */
const hour = {
  sqlite: '(attempted_at - ((attempted_at % 3600000) + 3600000) % 3600000) / 3600000',
  mysql: '(attempted_at - ((attempted_at % 3600000) + 3600000) % 3600000) DIV 3600000',
}

/** Counts the calls of versions without the counts, in total and by kind. */
const countCalls = (engine: keyof Statements): string[] => [
  'DELETE FROM patchbay_call_hours',
  ...['account_sid', 'service_provider_sid'].flatMap((owner) => [
    `INSERT INTO patchbay_call_hours (owner_sid, by_kind, hour, trunk, direction, answered, calls)
     SELECT ${owner}, 0, ${hour[engine]} AS call_hour, '', '', 0, COUNT(*) FROM patchbay_calls
     WHERE ${owner} IS NOT NULL GROUP BY ${owner}, call_hour`,
    `INSERT INTO patchbay_call_hours (owner_sid, by_kind, hour, trunk, direction, answered, calls)
     SELECT ${owner}, 1, ${hour[engine]} AS call_hour, COALESCE(trunk, '') AS call_trunk,
       COALESCE(direction, '') AS call_direction, answered, COUNT(*) FROM patchbay_calls
     WHERE ${owner} IS NOT NULL GROUP BY ${owner}, call_hour, call_trunk, call_direction, answered`,
  ]),
]

export const up: Migration = async (context) => {
  await createTables(context, tables)
  await alterTables(context, changes)
  await fillTables(context, { sqlite: countCalls('sqlite'), mysql: countCalls('mysql') })
}
