import { createSqlAlerts } from '@patchbay/server/call-data/alerts/sql-alerts'
import { createSqlCalls } from '@patchbay/server/call-data/calls/sql-calls'
import type { AlertRecord, CallRecord } from '@patchbay/server/call-data/ingest/parse-call-point'
import { type InfluxServer, startInfluxDb } from '@patchbay/testkit/influxdb'
import { createTestApi, type TestApi } from '@patchbay/testkit/test-api'
import { isMysql } from '@patchbay/testkit/test-database'

/** Where call records and alerts may be: what reads them answers alike. */

export interface CallData {
  api: TestApi
  storeCalls(records: readonly CallRecord[]): Promise<void>
  storeAlerts(records: readonly AlertRecord[]): Promise<void>
  close(): Promise<void>
}

type Value = string | number | boolean | null

const escapedTag = (text: string): string => text.replaceAll(/[ ,=]/g, (character) => `\\${character}`)
const fieldText = (value: Value): string =>
  typeof value === 'string' ? `"${value.replaceAll(/["\\]/g, (character) => `\\${character}`)}"` : String(value)

/** A point as the platform's writers write it: the tags in any order, and nothing where there is nothing. */
const lineOf = (measurement: string, time: bigint, tags: Record<string, Value>, fields: Record<string, Value>) => {
  const held = (members: Record<string, Value>) => Object.entries(members).filter(([, value]) => value !== null)
  const tagged = held(tags).map(([name, value]) => `,${name}=${escapedTag(String(value))}`)
  const said = held(fields).map(([name, value]) => `${escapedTag(name)}=${fieldText(value)}`)
  return `${measurement}${tagged.join('')} ${said.join(',')} ${time}`
}

const callLine = ({ time, extra, ...call }: CallRecord): string => {
  const { service_provider_sid, account_sid, host, trunk, direction, answered, ...fields } = call
  const tags = { service_provider_sid, account_sid, host, trunk, direction, answered }
  return lineOf('cdrs', time, tags, { ...fields, ...extra })
}

const alertLine = ({ time, extra, ...alert }: AlertRecord): string => {
  const { alert_type, service_provider_sid, account_sid, vendor, ...fields } = alert
  return lineOf('alerts', time, { alert_type, service_provider_sid, account_sid, vendor }, { ...fields, ...extra })
}

const inOurTables = async (): Promise<CallData> => {
  const api = await createTestApi()
  const { database } = api.test
  return {
    api,
    storeCalls: (records) => createSqlCalls(database).store(records),
    storeAlerts: (records) => createSqlAlerts(database).store(records),
    close: () => api.close(),
  }
}

const inInfluxDb = async (): Promise<CallData> => {
  const influx: InfluxServer = await startInfluxDb()
  const api = await createTestApi(influx.settings)
  return {
    api,
    storeCalls: (records) => influx.write('cdrs', records.map(callLine)),
    storeAlerts: (records) => influx.write('alerts', records.map(alertLine)),
    close: async () => {
      await api.close()
      await influx.stop()
    },
  }
}

/** The platform's own is looked at once, beside its database. */
export const callDataPlaces = [
  ['our tables', inOurTables],
  ...(isMysql ? [['InfluxDB', inInfluxDb] as const] : []),
] as const
