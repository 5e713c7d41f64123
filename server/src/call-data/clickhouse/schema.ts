import { countedDurations } from '@patchbay/rules/calls/call-durations'
import { idsPerMs } from '../conversations/transcripts.ts'
import { createTable, createView, type RowTable, type View } from './create-table.ts'
import { addNumberIndex } from './number-index.ts'

/**
 * The tables of call data in ClickHouse, as versioned migrations. Each statement can run repeatedly, because several
 * processes can start at the same time, and a process can end in the middle of a migration.
 *
 * - `calls` is sorted by account and time, and by provider and time in a projection, with a partition per month.
 * - `call_costs` contains the costs that were added to calls afterwards, in the order of the calls.
 * - `call_ids` leads from an id of a call to its account and time, so that opening a call reads one partition.
 * - `by_outcome` is a projection of `calls` with their number by hour, duration, and the other filters of a list.
 * - `numbers` is a text index of `calls` with the calling and called numbers.
 * - `call_hours` contains sums of an hour for accounts and providers. They provide totals, and locate pages.
 * - `trace_parts` and `log_parts` are sorted by trace and call, with a partition per day of receipt. A row has the spans
 *   or the lines of one delivery. `sip_messages` is sorted by Call-ID, with the same partitions.
 * - `transcript_tokens` contains the words of transcripts with a text index. The texts are in the database.
 * - `id_days` leads from an id of these tables to its days, so that opening a trace reads their partitions.
 *
 * The materialized views fill `call_ids`, `call_hours`, and `id_days` in the insert of the rows.
 */

/** With a type, because ClickHouse would convert the time to an unsigned number otherwise. */
const nanosecondsPerHour = 'toInt64(3600000000000)'

/** Month of a time in nanoseconds since the Unix epoch, such as 202611. */
const month = "toYYYYMM(fromUnixTimestamp64Nano(attempted_at, 'UTC'))"

/** Complete hours since the epoch, rounded down also before 1970. */
export const hourOfCall = `toInt32(intDiv(attempted_at - positiveModulo(attempted_at, ${nanosecondsPerHour}), ${nanosecondsPerHour}))`

/** The largest counted duration that a call reached, as in the counts of the database, or 0. */
export const durationClass = `multiIf(${countedDurations
  .toReversed()
  .map((seconds) => `duration >= ${seconds}, ${seconds}`)
  .join(', ')}, 0)`

const calls: RowTable = {
  name: 'calls',
  columns: `
  account_sid LowCardinality(String),
  attempted_at Int64 COMMENT 'nanoseconds since the Unix epoch' CODEC(Delta, ZSTD),
  call_key String CODEC(ZSTD),
  has_call_sid Bool COMMENT 'whether call_key is the call_sid',
  service_provider_sid LowCardinality(String) COMMENT 'empty if unknown',
  direction LowCardinality(Nullable(String)),
  answered Bool,
  answered_at Nullable(Int64) COMMENT 'milliseconds since the Unix epoch' CODEC(Delta, ZSTD),
  terminated_at Nullable(Int64) COMMENT 'milliseconds since the Unix epoch' CODEC(Delta, ZSTD),
  duration Int32 COMMENT 'seconds' CODEC(ZSTD),
  from Nullable(String) CODEC(ZSTD),
  to Nullable(String) CODEC(ZSTD),
  host LowCardinality(Nullable(String)),
  remote_host LowCardinality(Nullable(String)),
  trunk LowCardinality(Nullable(String)),
  application_sid LowCardinality(Nullable(String)),
  sip_callid Nullable(String) CODEC(ZSTD),
  sip_parent_callid Nullable(String) CODEC(ZSTD),
  sip_status Nullable(Int32) CODEC(ZSTD),
  termination_reason LowCardinality(Nullable(String)),
  trace_id Nullable(String) CODEC(ZSTD),
  recording_url Nullable(String) CODEC(ZSTD),
  cost Nullable(Float64) CODEC(ZSTD),
  rate Nullable(Float64) CODEC(ZSTD),
  billed_seconds Nullable(Int32) CODEC(ZSTD),
  post_dial_delay Nullable(Int32) COMMENT 'milliseconds' CODEC(ZSTD),
  extra String COMMENT 'JSON object of fields that newer writers add, or empty' CODEC(ZSTD),
  attempted_time DateTime64(9, 'UTC') ALIAS fromUnixTimestamp64Nano(attempted_at, 'UTC'),
  PROJECTION by_provider (SELECT * ORDER BY service_provider_sid, attempted_at, call_key)
`,
  engine: 'MergeTree',
  order: `PARTITION BY ${month} ORDER BY (account_sid, attempted_at, call_key)`,
  settings: [],
}

const callCosts: RowTable = {
  name: 'call_costs',
  columns: `
  account_sid LowCardinality(String),
  attempted_at Int64 COMMENT 'nanoseconds since the Unix epoch' CODEC(Delta, ZSTD),
  call_key String CODEC(ZSTD),
  cost Nullable(Float64) CODEC(ZSTD),
  rate Nullable(Float64) CODEC(ZSTD),
  billed_seconds Nullable(Int32) CODEC(ZSTD),
  rated_at DateTime64(6, 'UTC') DEFAULT now64(6)
`,
  engine: 'ReplacingMergeTree',
  order: `PARTITION BY ${month} ORDER BY (account_sid, attempted_at, call_key)`,
  settings: [],
}

const callIds: RowTable = {
  name: 'call_ids',
  columns: `
  id_hash UInt64,
  attempted_at Int64 CODEC(Delta, ZSTD),
  account_sid LowCardinality(String),
  service_provider_sid LowCardinality(String)
`,
  engine: 'MergeTree',
  order: `PARTITION BY ${month} ORDER BY (id_hash, attempted_at)`,
  settings: [],
}

const fillCallIds: View = {
  name: 'fill_call_ids',
  target: 'call_ids',
  select: `SELECT cityHash64(id.1, id.2) AS id_hash, attempted_at, account_sid, service_provider_sid
FROM calls
ARRAY JOIN arrayFilter(pair -> pair.2 != '', [
  ('call_sid', if(has_call_sid, call_key, '')),
  ('sip_callid', ifNull(sip_callid, '')),
  ('sip_parent_callid', ifNull(sip_parent_callid, '')),
  ('trace_id', ifNull(trace_id, ''))
]) AS id`,
}

const sum = 'SimpleAggregateFunction(sum, UInt64)'

const callHours: RowTable = {
  name: 'call_hours',
  columns: `
  owner_sid LowCardinality(String),
  hour Int32 COMMENT 'hours since the Unix epoch',
  trunk LowCardinality(String) COMMENT 'empty if unknown',
  direction LowCardinality(String) COMMENT 'empty if unknown',
  answered Bool,
  sip_status UInt16 COMMENT '0 if unknown',
  provider_sid LowCardinality(String) COMMENT 'provider of the account, or empty',
  calls ${sum},
  seconds ${sum},
  pdd_calls ${sum},
  pdd_milliseconds ${sum}
`,
  engine: 'AggregatingMergeTree',
  order: `PARTITION BY intDiv(hour, 720) ORDER BY (owner_sid, hour, trunk, direction, answered, sip_status, provider_sid)`,
  settings: [],
}

const fillCallHours: View = {
  name: 'fill_call_hours',
  target: 'call_hours',
  select: `SELECT
  owner.1 AS owner_sid,
  ${hourOfCall} AS hour,
  ifNull(trunk, '') AS trunk,
  ifNull(direction, '') AS direction,
  answered,
  toUInt16(if(sip_status BETWEEN 1 AND 999, sip_status, 0)) AS sip_status,
  owner.2 AS provider_sid,
  count() AS calls,
  sum(toUInt64(greatest(duration, 0))) AS seconds,
  count(post_dial_delay) AS pdd_calls,
  sum(toUInt64(ifNull(post_dial_delay, 0))) AS pdd_milliseconds
FROM calls
ARRAY JOIN arrayFilter(pair -> pair.1 != '', [
  (toString(account_sid), toString(service_provider_sid)),
  (toString(service_provider_sid), '')
]) AS owner
GROUP BY owner_sid, hour, trunk, direction, answered, sip_status, provider_sid`,
}

/** Day of receipt, such as 2026-11-26. */
export const receivedDay = "toDate(fromUnixTimestamp64Milli(received_at, 'UTC'))"

/**
 * Maximum size of a granule, which is the smallest unit of a read. Rows of the default size of 10 MiB would make opening
 * a trace read that of hundreds of others.
 */
const granuleBytes = 1024 * 1024

const detailSettings = [`index_granularity_bytes = ${granuleBytes}`, 'ttl_only_drop_parts = 1']

/** Tables with one row per delivery and id, and the column of the id. The order is that of a read. */
const createParts = (name: string, id: string): RowTable => ({
  name,
  columns: `
  ${id} String CODEC(ZSTD),
  received_at Int64 COMMENT 'milliseconds since the Unix epoch' CODEC(Delta, ZSTD),
  part_key String COMMENT 'SHA-256 of the content' CODEC(ZSTD),
  account_sid LowCardinality(String) COMMENT 'first account that the content names, or empty',
  items UInt32 COMMENT 'spans or lines' CODEC(ZSTD),
  bytes UInt32 COMMENT 'size of the content' CODEC(ZSTD),
  content String COMMENT 'JSON' CODEC(ZSTD)
`,
  engine: 'MergeTree',
  order: `PARTITION BY ${receivedDay} ORDER BY (${id}, received_at, part_key)`,
  settings: detailSettings,
})

const idDays: RowTable = {
  name: 'id_days',
  columns: `
  id_hash UInt64,
  day Date
`,
  engine: 'ReplacingMergeTree',
  order: `PARTITION BY toYYYYMM(day) ORDER BY (id_hash, day)`,
  settings: [],
}

const fillIdDays = (table: string, id: string): View => ({
  name: `fill_id_days_of_${table}`,
  target: 'id_days',
  select: `SELECT DISTINCT cityHash64('${id}', ${id}) AS id_hash, ${receivedDay} AS day FROM ${table}`,
})

const sipMessages: RowTable = {
  name: 'sip_messages',
  columns: `
  sip_callid String CODEC(ZSTD),
  captured_at Int64 COMMENT 'microseconds since the Unix epoch' CODEC(Delta, ZSTD),
  message_key String COMMENT 'SHA-256 of endpoints and content' CODEC(ZSTD),
  received_at Int64 COMMENT 'milliseconds since the Unix epoch' CODEC(Delta, ZSTD),
  method LowCardinality(String) COMMENT 'of the request, also for responses',
  transport UInt8 COMMENT 'IP protocol number',
  source LowCardinality(String),
  source_port UInt16,
  destination LowCardinality(String),
  destination_port UInt16,
  is_base64 Bool COMMENT 'whether the content is in base64, because it is not UTF-8',
  content String CODEC(ZSTD)
`,
  engine: 'MergeTree',
  order: `PARTITION BY ${receivedDay} ORDER BY (sip_callid, captured_at, message_key)`,
  settings: detailSettings,
}

/** Start of the call of a transcript in milliseconds since the Unix epoch, from its ID (conversations/transcripts.ts). */
const transcriptTime = `intDiv(transcript_id, ${idsPerMs})`
const transcriptTimestamp = `fromUnixTimestamp64Milli(${transcriptTime}, 'UTC')`

/** Month of the call of a transcript, such as 202611. */
export const transcriptMonth = `toYYYYMM(${transcriptTimestamp})`

/** The days come first in the order, because searches of accounts and of providers read the newest days. */
const transcriptTokens: RowTable = {
  name: 'transcript_tokens',
  columns: `
  transcript_id Int64 COMMENT 'in the order of the beginning of the calls' CODEC(Delta, ZSTD),
  account_sid LowCardinality(String),
  service_provider_sid LowCardinality(String) COMMENT 'empty if unknown',
  application_sid LowCardinality(String) COMMENT 'empty if unknown',
  generation UInt32 COMMENT 'of the settings of the account' CODEC(ZSTD),
  index_version UInt32 COMMENT 'of the tokens' CODEC(ZSTD),
  tokens String COMMENT 'words with the speaker, and with spaces between them and at both ends' CODEC(ZSTD),
  INDEX tokens_index tokens TYPE text(tokenizer = splitByNonAlpha)
`,
  engine: 'ReplacingMergeTree',
  order: `PARTITION BY ${transcriptMonth} ORDER BY (toDate(${transcriptTimestamp}), account_sid, transcript_id)`,
  // A row has one to two kilobytes, and searches for phrases read the words of all rows of a granule.
  settings: ['index_granularity = 256'],
}

/** Columns of the projection `by_outcome`. A query that filters and groups by these expressions reads the projection. */
const outcomeColumns = [
  'account_sid',
  'service_provider_sid',
  hourOfCall,
  durationClass,
  'trunk',
  'direction',
  'answered',
  'sip_status',
].join(', ')

/** Adds the projection. ClickHouse computes it for existing calls in the background, and reads their rows until then. */
const addOutcomes = [
  `ALTER TABLE calls ADD PROJECTION IF NOT EXISTS by_outcome (
     SELECT ${outcomeColumns}, count() GROUP BY ${outcomeColumns})`,
  'ALTER TABLE calls MATERIALIZE PROJECTION by_outcome SETTINGS mutations_sync = 0',
]

/** Adds the capture agent and the order of arrival to captured messages. */
const addCaptureAgents = [
  `ALTER TABLE sip_messages
   ADD COLUMN IF NOT EXISTS agent Nullable(UInt32) COMMENT 'ID of the capture agent' CODEC(ZSTD),
   ADD COLUMN IF NOT EXISTS arrival Int64 COMMENT 'order of messages with the same time' CODEC(Delta, ZSTD)`,
]

/** The tables, views, and other changes of a version. */
interface SchemaVersion {
  tables?: readonly RowTable[]
  views?: readonly View[]
  changes?: readonly string[]
}

/** The versions, from the oldest. */
const versions: readonly SchemaVersion[] = [
  { tables: [calls, callIds, callHours], views: [fillCallIds, fillCallHours] },
  {
    tables: [idDays, createParts('trace_parts', 'trace_id'), createParts('log_parts', 'call_id'), sipMessages],
    views: [
      fillIdDays('trace_parts', 'trace_id'),
      fillIdDays('log_parts', 'call_id'),
      fillIdDays('sip_messages', 'sip_callid'),
    ],
  },
  // Earlier versions created the table of alerts that `return-alerts.ts` empties.
  {},
  { tables: [transcriptTokens] },
  { changes: addOutcomes },
  { changes: addNumberIndex },
  { changes: addCaptureAgents },
  { tables: [callCosts] },
]

export const schemaVersion = versions.length

/** The statements by version, from the oldest. */
export const migrations: readonly string[][] = versions.map(({ tables = [], views = [], changes = [] }) => [
  ...tables.map(createTable),
  ...views.map(createView),
  ...changes,
])

/** Latest time of the type DateTime, in seconds since the Unix epoch, with a margin. */
const latestSecond = 4_294_000_000

/** Tables whose rows expire, and the second since the Unix epoch of a row. */
const expiring = {
  calls: 'intDiv(attempted_at, 1000000000)',
  call_costs: 'intDiv(attempted_at, 1000000000)',
  call_ids: 'intDiv(attempted_at, 1000000000)',
  call_hours: 'toInt64(hour) * 3600',
  transcript_tokens: `intDiv(${transcriptTime}, 1000)`,
  trace_parts: 'intDiv(received_at, 1000)',
  log_parts: 'intDiv(received_at, 1000)',
  sip_messages: 'intDiv(received_at, 1000)',
  id_days: '(toInt64(toUInt16(day)) + 1) * 86400',
} as const

export type ExpiringTable = keyof typeof expiring

export const expiringTables = Object.keys(expiring) as readonly ExpiringTable[]

/**
 * Returns the statement that makes ClickHouse delete rows of a table after a number of days. 0 keeps them. Times outside
 * the range of the type DateTime count as its ends.
 */
export const retentionStatement = (table: ExpiringTable, days: number): string => {
  if (days === 0) return `ALTER TABLE ${table} REMOVE TTL`
  const inRange = `least(greatest(${expiring[table]}, 0), ${latestSecond - days * 86_400})`
  return `ALTER TABLE ${table} MODIFY TTL toDateTime(${inRange}, 'UTC') + toIntervalDay(${days})`
}

/** Creates the table of the schema versions and the retention that were applied, newest last. */
export const stateTableStatement = `CREATE TABLE IF NOT EXISTS patchbay_schema (
  name LowCardinality(String), value UInt32, applied_at DateTime64(3, 'UTC') DEFAULT now64(3)
) ENGINE = MergeTree ORDER BY (name, applied_at)`
