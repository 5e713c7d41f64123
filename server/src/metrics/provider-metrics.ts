import { hourMs } from '@patchbay/contract/shared/durations'
import { Gauge, type Registry } from 'prom-client'
import type { CallActivity } from '../call-data/calls/call-activity.ts'
import type { Database } from '../database/engine.ts'
import { monotonicMs } from '../lib/clock.ts'
import { withTimeout } from '../lib/timeout.ts'

/** Business figures by service provider. Off by default, because each provider adds time series. */

/** Stores that contain the figures. */
export interface FigureSources {
  database: Pick<Database, 'reader'>
  callActivity: Pick<CallActivity, 'countByOwner'>
}

interface ProviderFigures {
  service_provider_sid: string
  accounts: number
  answered: number
  unanswered: number
}

/** Figures change slowly, and a scrape every few seconds must not load the database. */
const cacheMs = 60_000
const timeoutSeconds = 5
const hoursPerDay = 24

/** Reads the figures of the providers with the most accounts, at most `maxProviders`. */
const readFigures = async (
  { database, callActivity }: FigureSources,
  maxProviders: number,
): Promise<ProviderFigures[]> => {
  const providers = await database.reader
    .selectFrom('accounts')
    .select(['service_provider_sid', (query) => query.fn.countAll<number>().as('accounts')])
    .groupBy('service_provider_sid')
    .orderBy('accounts', 'desc')
    .orderBy('service_provider_sid')
    .limit(maxProviders)
    .execute()
  if (providers.length === 0) return []
  const sids = providers.map(({ service_provider_sid }) => service_provider_sid)
  const firstHour = Math.floor(Date.now() / hourMs) - hoursPerDay + 1
  const calls = (await callActivity.countByOwner?.(sids, firstHour)) ?? []
  const countCalls = (sid: string, answered: boolean) =>
    calls.find((row) => row.owner_sid === sid && row.answered === answered)?.calls ?? 0
  return providers.map(({ service_provider_sid, accounts }) => ({
    service_provider_sid,
    accounts,
    answered: countCalls(service_provider_sid, true),
    unanswered: countCalls(service_provider_sid, false),
  }))
}

/**
 * Adds the figures of providers. If they cannot be read in time, the previous ones are reported until they can.
 *
 * @param maxProviders number of providers, those with the most accounts
 */
export const observeProviders = (
  registry: Registry,
  sources: FigureSources,
  maxProviders: number,
  now: () => number = monotonicMs,
): void => {
  let figures: ProviderFigures[] = []
  let nextReadAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined
  const refresh = async (): Promise<void> => {
    const current = await readFigures(sources, maxProviders)
    figures = current
    nextReadAt = now() + cacheMs
  }
  const getFigures = async (): Promise<readonly ProviderFigures[]> => {
    if (now() >= nextReadAt)
      reading ??= refresh().finally(() => {
        reading = undefined
      })
    const tooLate = () => new Error('the figures of providers could not be read in time')
    if (reading) await withTimeout(reading, timeoutSeconds, tooLate).catch(() => {})
    return figures
  }
  const accountsGauge = new Gauge({
    name: 'patchbay_provider_accounts',
    help: 'Accounts of a service provider.',
    labelNames: ['service_provider_sid'],
    registers: [],
    async collect() {
      const current = await getFigures()
      this.reset()
      for (const { service_provider_sid, accounts } of current) this.set({ service_provider_sid }, accounts)
    },
  })
  const callsGauge = new Gauge({
    name: 'patchbay_provider_calls_last_day',
    help: 'Calls of a service provider in the current hour and the 23 hours before it.',
    labelNames: ['service_provider_sid', 'answered'],
    registers: [],
    async collect() {
      const current = await getFigures()
      this.reset()
      for (const { service_provider_sid, answered, unanswered } of current) {
        this.set({ service_provider_sid, answered: 'true' }, answered)
        this.set({ service_provider_sid, answered: 'false' }, unanswered)
      }
    },
  })
  for (const gauge of [accountsGauge, callsGauge]) registry.registerMetric(gauge)
}
