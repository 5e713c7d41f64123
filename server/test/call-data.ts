import type { AlertRecord } from '@patchbay/server/call-data/alerts/alert-record'
import type { CallRecord } from '@patchbay/server/call-data/calls/call-record'
import { isClickHouse } from '@patchbay/testkit/servers/clickhouse/clickhouse-test-database'
import { type InfluxServer, startInfluxDb } from '@patchbay/testkit/servers/influxdb'
import type { TestApi } from '@patchbay/testkit/test-api'
import { isMysql } from '@patchbay/testkit/test-database'
import { openTestApi } from '@patchbay/testkit/test-world'
import { afterAll } from 'vitest'

/** Stores of call records and alerts. Tests run against each of them. */

interface CallData {
  api: TestApi
  storeCalls(records: readonly CallRecord[]): Promise<void>
  storeAlerts(records: readonly AlertRecord[]): Promise<void>
}

type Value = string | number | boolean | null

const escapedTag = (text: string): string => text.replaceAll(/[ ,=]/g, (character) => `\\${character}`)
const fieldText = (value: Value): string =>
  typeof value === 'string' ? `"${value.replaceAll(/["\\]/g, (character) => `\\${character}`)}"` : String(value)

/** Formats a point in line protocol like jambonz's writers, without null values. */
const formatPoint = (measurement: string, time: bigint, tags: Record<string, Value>, fields: Record<string, Value>) => {
  const nonNullEntries = (members: Record<string, Value>) =>
    Object.entries(members).filter(([, value]) => value !== null)
  const tagged = nonNullEntries(tags).map(([name, value]) => `,${name}=${escapedTag(String(value))}`)
  const formattedFields = nonNullEntries(fields).map(([name, value]) => `${escapedTag(name)}=${fieldText(value)}`)
  return `${measurement}${tagged.join('')} ${formattedFields.join(',')} ${time}`
}

const callLine = ({ time, extra, ...call }: CallRecord): string => {
  const { service_provider_sid, account_sid, host, trunk, direction, answered, ...fields } = call
  const tags = { service_provider_sid, account_sid, host, trunk, direction, answered }
  return formatPoint('cdrs', time, tags, { ...fields, ...extra })
}

const alertLine = ({ time, extra, ...alert }: AlertRecord): string => {
  const { alert_type, service_provider_sid, account_sid, vendor, ...fields } = alert
  return formatPoint('alerts', time, { alert_type, service_provider_sid, account_sid, vendor }, { ...fields, ...extra })
}

/** Opens Patchbay's own tables for the tests of a suite, or ClickHouse if the test project stores call data there. */
const openOurStore = async (): Promise<CallData> => {
  const api = await openTestApi()
  return {
    api,
    storeCalls: (records) => api.sinks.calls.store(records),
    storeAlerts: (records) => api.sinks.alerts.store(records),
  }
}

/** Opens an InfluxDB for the tests of a suite. */
const openInfluxDb = async (): Promise<CallData> => {
  const influx: InfluxServer = await startInfluxDb()
  afterAll(() => influx.stop())
  const api = await openTestApi(influx.settings)
  return {
    api,
    storeCalls: (records) => influx.write('cdrs', records.map(callLine)),
    storeAlerts: (records) => influx.write('alerts', records.map(alertLine)),
  }
}

/** InfluxDB is tested only once, together with the database that jambonz uses. */
export const callDataPlaces = [
  [isClickHouse ? 'ClickHouse' : 'our tables', openOurStore] as const,
  ...(isMysql ? [['InfluxDB', openInfluxDb] as const] : []),
] as const

/** Endpoints that read or write call data. */
const callDataPath =
  /RecentCalls|recent-calls|call-legs|quality|conversation|overview|\/Alerts|alert-groups|open-alerts|new-alerts|seen-alerts|acknowledgments|reviews|assignee|Shares|shared-call|call-report|shared-report|TranscriptSettings|deletions|system-status/i

/** Whether a test of all endpoints includes this one. With ClickHouse, only endpoints of call data behave differently. */
export const isTestedEndpoint = (key: string): boolean => !isClickHouse || callDataPath.test(key)
