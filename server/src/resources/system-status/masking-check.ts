import { maxParts } from '@patchbay/contract/system-status'
import type { PatternOverruns } from '../../call-data/masking/pattern-overruns.ts'
import type { Database } from '../../database/engine.ts'
import { type Check, limitParts, toInstant } from './finding.ts'

/** Creates the check of the patterns of service providers: it names those whose patterns exceeded their time. */
export const createMaskingCheck =
  ({ reader }: Database, overruns: PatternOverruns): Check =>
  async () => {
    const all = overruns.list().sort((one, other) => other.lastAt - one.lastAt)
    if (all.length === 0)
      return { state: 'ok', detail: 'No patterns exceeded their time in this process within a day.' }
    const named = all.slice(0, maxParts)
    const providers = await reader
      .selectFrom('service_providers')
      .select(['service_provider_sid', 'name'])
      .where(
        'service_provider_sid',
        'in',
        named.map(({ service_provider_sid }) => service_provider_sid),
      )
      .execute()
    const names = new Map(providers.map(({ service_provider_sid, name }) => [service_provider_sid, name]))
    const parts = named.map(({ service_provider_sid, lastAt }) => ({
      name: names.get(service_provider_sid) ?? service_provider_sid,
      state: 'warning' as const,
      detail: 'Texts were replaced as a whole, because the patterns took too long.',
      last_contact: toInstant(lastAt),
    }))
    return {
      state: 'warning',
      detail: `The patterns of ${all.length === 1 ? 'a service provider' : `${all.length} service providers`} exceeded their time in this process within a day.`,
      ...limitParts(parts, all.length),
    }
  }
