import { hourMs } from '@patchbay/contract/shared/durations'
import { sql } from 'kysely'
import { operatorTransport } from '../../adapters/outbound-http/transport.ts'
import type { Captures } from '../../call-data/captures/captures.ts'
import type { CallDataStore } from '../../call-data/clickhouse/status.ts'
import {
  describeRejectedSender,
  describeRejectedSenders,
  describeSenders,
} from '../../call-data/ingest/describe-senders.ts'
import type { IntakeName, IntakeStatus } from '../../call-data/ingest/intake-status.ts'
import type { RejectedSender } from '../../call-data/ingest/rejected-senders.ts'
import { describeUnstored, type UnstoredCounts } from '../../call-data/ingest/unstored-records.ts'
import type { Configuration } from '../../config/configuration.ts'
import type { IntakeAddress } from '../../config/settings/intake-settings.ts'
import type { Database } from '../../database/engine.ts'
import {
  type Check,
  checkTimeoutSeconds,
  describeFailure,
  type Finding,
  limitParts,
  notConfigured,
  toInstant,
} from './finding.ts'

/** Checks of the ways in which the data of calls arrives. */

/** Calls with a later start have a wrong clock and do not count as the latest call. */
const maxClockSkewMs = 5 * 60_000

const listenErrors: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program uses it',
  EACCES: 'the operating system does not allow it',
  EADDRNOTAVAIL: 'this machine does not have its address',
}

interface Received {
  name: IntakeName
  /** Such as "traces". */
  nouns: string
  address: IntakeAddress
  /** The senders whose data was rejected, with the latest one first. */
  rejectedSenders: readonly RejectedSender[]
  status: ReturnType<IntakeStatus['get']>
  /** Records that could not be stored. */
  unstored?: ReturnType<UnstoredCounts['list']> | undefined
  /** Epoch milliseconds of the latest record, or null if there is none. */
  last: number | null
  /** Start of the latest call, or null if there is none. */
  lastCall: number | null
}

/** A sender that gave up, or that was configured meanwhile, does not remain a warning. */
const recentRejectionMs = hourMs

/**
 * Judges an intake by its port, by the senders that it rejects, and by the time of the latest record in comparison with
 * the latest call.
 */
export const judgeIntake = (received: Received, now = Date.now()): Finding => {
  const { name, nouns, address, rejectedSenders, unstored, status, last, lastCall } = received
  const { port } = address
  const last_contact = last === null ? null : toInstant(last)
  if (status?.is === 'failed') {
    const reason = listenErrors[status.code] ?? status.code
    return { state: 'failing', detail: `Port ${port} cannot be opened: ${reason}. Nothing arrives.`, last_contact }
  }
  const recent = rejectedSenders.filter(({ lastAt }) => now - lastAt < recentRejectionMs)
  const parts = recent.map((sender) => ({
    name: sender.address,
    state: 'warning' as const,
    detail: describeRejectedSender(name, sender),
    last_contact: toInstant(sender.lastAt),
  }))
  const arrived = last === null ? ' Nothing has arrived yet.' : ''
  const notStored = unstored && describeUnstored(unstored, now)
  const listening = `Port ${port} receives ${nouns}.${arrived}${notStored === undefined ? '' : ` ${notStored.detail}`}`
  const rejection = describeRejectedSenders(name, recent)
  if (rejection !== undefined)
    return { state: 'warning', detail: `${listening} ${rejection}`, last_contact, ...limitParts(parts) }
  if (notStored?.isWarning) return { state: 'warning', detail: listening, last_contact }
  if (last === null) return { state: 'unknown', detail: `${listening} ${describeSenders(name, address)}`, last_contact }
  if (lastCall !== null && lastCall - last > hourMs)
    return {
      state: 'warning',
      detail: `Calls arrive, but no ${nouns} arrived for more than an hour. ${describeSenders(name, address)}`,
      last_contact,
    }
  return { state: 'ok', detail: listening, last_contact }
}

/** Requests a page of a service of the platform. Every response except a server error shows that the service runs. */
const checkHttp = async (url: string, name: string, versionHeader?: string): Promise<Finding> => {
  const { status, headers, body } = await operatorTransport.send(url, {
    limits: { timeoutMs: checkTimeoutSeconds * 1000, maxResponseBytes: 64 * 1024 },
  })
  body.destroy()
  return {
    state: status >= 500 ? 'failing' : 'ok',
    detail: status >= 500 ? `${name} responds with status ${status}.` : `${name} of the platform responds.`,
    last_contact: toInstant(Date.now()),
    version: (versionHeader === undefined ? undefined : headers[versionHeader]) ?? null,
  }
}

/** Signs in at Homer. */
const checkHomer = async ({ check }: Pick<Captures, 'check'>): Promise<Finding> => {
  await check?.()
  return {
    state: 'ok',
    detail: 'The Homer of the platform accepts the credentials.',
    last_contact: toInstant(Date.now()),
  }
}

const tables = {
  traces: 'patchbay_trace_parts',
  logs: 'patchbay_log_parts',
  captures: 'patchbay_sip_messages',
} as const

const createLastTimes = ({ reader }: Database) => {
  const received = async (kind: keyof typeof tables) => {
    const row = await reader
      .selectFrom(tables[kind])
      .select(({ fn }) => fn.max('received_at').as('last'))
      .executeTakeFirst()
    return row?.last ?? null
  }
  return {
    received,
    /** Start of the latest call. Looks it up by provider, because there is no index on the time alone. */
    calls: async () => {
      const row = await reader
        .selectFrom((from) =>
          from
            .selectFrom('service_providers')
            .select((each) =>
              each
                .selectFrom('patchbay_calls')
                .select(({ fn }) => fn.max('attempted_at').as('last'))
                .whereRef('patchbay_calls.service_provider_sid', '=', 'service_providers.service_provider_sid')
                .where('attempted_at', '<=', Date.now() + maxClockSkewMs)
                .as('last'),
            )
            .as('latest'),
        )
        .select(sql<number | string | null>`MAX(latest.last)`.as('last'))
        .executeTakeFirst()
      return row?.last === null || row?.last === undefined ? null : Number(row.last)
    },
  }
}

interface CallDataSources {
  configuration: Configuration
  database: Database
  intakes: IntakeStatus
  captures: Pick<Captures, 'check'>
  callDataStore: CallDataStore | undefined
}

const megabyte = 1_000_000

type ReceivedKind = 'calls' | keyof typeof tables

/** Nouns of the received data. */
const nounsByKind: Readonly<Record<ReceivedKind, string>> = {
  calls: 'call records',
  traces: 'traces',
  logs: 'log lines',
  captures: 'captured SIP',
}

const formatMegabytes = (bytes: number): string => `${Math.ceil(bytes / megabyte).toLocaleString('en-US')} MB`

/** Judges a store in ClickHouse by its response and by the data that waits for it. */
const checkStore = async (
  { readStatus }: CallDataStore,
  kind: ReceivedKind,
  waitingBytes: number,
  judge: (last: number | null, lastCall: number | null) => Finding,
): Promise<Finding> => {
  const nouns = nounsByKind[kind]
  const waiting =
    waitingBytes > 0 ? ` ${formatMegabytes(waitingBytes)} of ${nouns} wait on the disk of this process.` : ''
  try {
    const { version, stored } = await readStatus()
    const { rows = 0, bytes = 0, last = null } = stored.get(kind) ?? {}
    const finding = judge(last, stored.get('calls')?.last ?? null)
    const count = kind === 'calls' ? `${rows.toLocaleString('en-US')} ` : ''
    const state = waiting !== '' && finding.state === 'ok' ? 'warning' : finding.state
    const detail = `${finding.detail} ClickHouse stores ${count}${nouns} in ${formatMegabytes(bytes)}.${waiting}`
    return { ...finding, state, detail, version }
  } catch (error) {
    return { state: 'failing', detail: `${describeFailure(error, 'ClickHouse server')}${waiting}` }
  }
}

/** Creates the checks of all kinds of call data. */
export const createCallDataChecks = ({
  configuration,
  database,
  intakes,
  captures,
  callDataStore,
}: CallDataSources) => {
  const { timeSeries, jaeger, homer, awsRegion, influxIntake, otlpIntake, hepIntake, recordSocket } = configuration
  const last = createLastTimes(database)

  const receive = async (kind: ReceivedKind, name: IntakeName, address: IntakeAddress | null): Promise<Finding> => {
    const nouns = nounsByKind[kind]
    if (address === null) return notConfigured(`Patchbay does not receive ${nouns}: the port is set to 0.`)
    const judge = (lastRecord: number | null, lastCall: number | null): Finding =>
      judgeIntake({
        name,
        nouns,
        address,
        rejectedSenders: intakes.rejectedSenders[name].list(),
        ...(name === 'hep' ? { unstored: intakes.unstored.list() } : {}),
        status: intakes.get(name),
        last: lastRecord,
        lastCall,
      })
    if (callDataStore !== undefined) return checkStore(callDataStore, kind, intakes.getWaitingBytes(kind), judge)
    const lastCall = await last.calls()
    return judge(kind === 'calls' ? lastCall : await last.received(kind), lastCall)
  }

  return {
    calls: () =>
      timeSeries === null
        ? receive('calls', 'influx', influxIntake)
        : checkHttp(`${timeSeries}/ping`, 'The InfluxDB', 'x-influxdb-version'),
    traces: () => (jaeger === null ? receive('traces', 'otlp', otlpIntake) : checkHttp(jaeger, 'The Jaeger')),
    logs: async () =>
      awsRegion === null
        ? receive('logs', 'otlp', otlpIntake)
        : { state: 'unknown', detail: `Log lines are read from CloudWatch in ${awsRegion} when a call is opened.` },
    captures: () => (homer === null ? receive('captures', 'hep', hepIntake) : checkHomer(captures)),
    recordings: async () => {
      if (recordSocket === null)
        return notConfigured(
          'Recordings are rejected, because other machines can reach this server and no credentials are set.',
        )
      const at = intakes.lastRecordingAt()
      const senders =
        'credentials' in recordSocket
          ? 'Feature servers with the credentials can send recordings.'
          : 'Only feature servers on this machine can send recordings.'
      return at === null
        ? { state: 'unknown', detail: `${senders} None has arrived since the server started.` }
        : { state: 'ok', detail: senders, last_contact: toInstant(at) }
    },
  } satisfies Record<string, Check>
}
