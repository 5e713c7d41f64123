import { alterTables, createTables, fillTables, type Migration, type Statements } from './statements.ts'

/** Adds counts for the filter of calls by application, and indexes that find these calls, and calls by status. */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_call_applications (
      owner_sid TEXT NOT NULL,
      application_sid TEXT NOT NULL,
      hour INTEGER NOT NULL,
      direction TEXT NOT NULL,
      answered INTEGER CHECK ("answered" IN (0, 1)) NOT NULL,
      calls INTEGER NOT NULL
    )`,
    'CREATE UNIQUE INDEX IF NOT EXISTS patchbay_call_applications_idx_1 ON patchbay_call_applications (owner_sid, application_sid, hour, direction, answered)',
    'CREATE INDEX IF NOT EXISTS patchbay_call_applications_idx_2 ON patchbay_call_applications (hour)',
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_call_applications (
      owner_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      application_sid VARCHAR(64) COLLATE utf8mb4_bin NOT NULL,
      hour INTEGER NOT NULL,
      direction VARCHAR(16) COLLATE utf8mb4_bin NOT NULL,
      answered BOOLEAN NOT NULL,
      calls INTEGER NOT NULL,
      UNIQUE INDEX patchbay_call_applications_idx_1 (owner_sid, application_sid, hour, direction, answered),
      INDEX patchbay_call_applications_idx_2 (hour)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

const changes: Statements = {
  sqlite: [
    'CREATE INDEX IF NOT EXISTS patchbay_calls_application_account_sid ON patchbay_calls (account_sid, application_sid, attempted_at, attempted_ns, call_key, sip_status, duration, direction, answered)',
    'CREATE INDEX IF NOT EXISTS patchbay_calls_status_account_sid ON patchbay_calls (account_sid, sip_status, attempted_at, attempted_ns, call_key)',
    'CREATE INDEX IF NOT EXISTS patchbay_calls_application_service_provider_sid ON patchbay_calls (service_provider_sid, application_sid, attempted_at, attempted_ns, call_key, sip_status, duration, direction, answered)',
    'CREATE INDEX IF NOT EXISTS patchbay_calls_status_service_provider_sid ON patchbay_calls (service_provider_sid, sip_status, attempted_at, attempted_ns, call_key)',
  ],
  mysql: [
    'CREATE INDEX patchbay_calls_application_account_sid ON patchbay_calls (account_sid, application_sid, attempted_at, attempted_ns, call_key, sip_status, duration, direction, answered)',
    'CREATE INDEX patchbay_calls_status_account_sid ON patchbay_calls (account_sid, sip_status, attempted_at, attempted_ns, call_key)',
    'CREATE INDEX patchbay_calls_application_service_provider_sid ON patchbay_calls (service_provider_sid, application_sid, attempted_at, attempted_ns, call_key, sip_status, duration, direction, answered)',
    'CREATE INDEX patchbay_calls_status_service_provider_sid ON patchbay_calls (service_provider_sid, sip_status, attempted_at, attempted_ns, call_key)',
  ],
}

/** Complete hours since the epoch, rounded down also before 1970. */
const hour = {
  sqlite: '(attempted_at - ((attempted_at % 3600000) + 3600000) % 3600000) / 3600000',
  mysql: '(attempted_at - ((attempted_at % 3600000) + 3600000) % 3600000) DIV 3600000',
}

/** Counts the calls of versions without the counts. */
const countCalls = (engine: keyof Statements): string[] => [
  'DELETE FROM patchbay_call_applications',
  ...['account_sid', 'service_provider_sid'].map(
    (owner) =>
      `INSERT INTO patchbay_call_applications (owner_sid, application_sid, hour, direction, answered, calls)
       SELECT ${owner} AS count_owner, application_sid, ${hour[engine]} AS count_hour,
         COALESCE(direction, '') AS count_direction, answered, COUNT(*)
       FROM patchbay_calls WHERE ${owner} IS NOT NULL AND application_sid IS NOT NULL AND application_sid <> ''
       GROUP BY count_owner, application_sid, count_hour, count_direction, answered`,
  ),
]

export const up: Migration = async (context) => {
  await createTables(context, tables)
  await alterTables(context, changes)
  await fillTables(context, { sqlite: countCalls('sqlite'), mysql: countCalls('mysql') })
}
