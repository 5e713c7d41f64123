import type { MaskingPattern, MaskingRules } from '@patchbay/contract/masking-rules'
import type { Kysely } from 'kysely'
import type { Database } from '../../database/engine.ts'
import { prepared } from '../../database/prepared-query.ts'
import type { Tables } from '../../database/tables.ts'
import { defaultRules } from './text-masker.ts'

/**
 * Reads masking rules. Nothing is cached: an intake reads the rules of a request with one or two look-ups by key, so a
 * change applies to the next request of every process.
 */

interface RulesRow {
  card_numbers: 0 | 1
  pressed_digits: 0 | 1
  patterns: string
  mute_recordings: 0 | 1
}

const columns = [
  'patchbay_masking_rules.service_provider_sid',
  'card_numbers',
  'pressed_digits',
  'patterns',
  'mute_recordings',
] as const

/** Rules with the provider that they belong to, whose time their patterns use. Null for the default rules. */
export interface OwnedRules extends MaskingRules {
  service_provider_sid: string | null
}

export const unownedRules: OwnedRules = { ...defaultRules, service_provider_sid: null }

const toRules = (row: RulesRow | undefined): MaskingRules =>
  row === undefined
    ? defaultRules
    : {
        card_numbers: row.card_numbers,
        pressed_digits: row.pressed_digits,
        patterns: JSON.parse(row.patterns) as MaskingPattern[],
        mute_recordings: row.mute_recordings,
      }

/** MySQL compares the SIDs of providers without case, but those of Patchbay's own tables exactly. */
const selectOfProvider = (db: Kysely<Tables>, service_provider_sid: string) =>
  db
    .selectFrom('service_providers')
    .innerJoin(
      'patchbay_masking_rules',
      'patchbay_masking_rules.service_provider_sid',
      'service_providers.service_provider_sid',
    )
    .select(columns)
    .where('service_providers.service_provider_sid', '=', service_provider_sid)

/** Returns the rules of a service provider: its own, or those that apply without any. */
export const readProviderRules = async (db: Kysely<Tables>, service_provider_sid: string): Promise<MaskingRules> =>
  toRules(await selectOfProvider(db, service_provider_sid).executeTakeFirst())

const toOwnedRules = (row: (RulesRow & { service_provider_sid: string }) | undefined): OwnedRules =>
  row === undefined ? unownedRules : { ...toRules(row), service_provider_sid: row.service_provider_sid }

export interface StoredRules {
  /** Returns the rules of the provider of an account. */
  ofAccount(account_sid: string): Promise<OwnedRules>
  ofProvider(service_provider_sid: string): Promise<OwnedRules>
  /**
   * Returns the rules for data whose account is unknown: those of the provider if there is only one. With several, no
   * provider's patterns may change the data of another, so only card numbers are masked.
   */
  ofUnknownAccount(): Promise<OwnedRules>
}

/** Creates the look-up of stored rules. */
export const createStoredRules = ({ db }: Database): StoredRules => {
  const selectOfAccount = prepared(db, (account_sid: string) =>
    db
      .selectFrom('accounts')
      .innerJoin(
        'patchbay_masking_rules',
        'patchbay_masking_rules.service_provider_sid',
        'accounts.service_provider_sid',
      )
      .select(columns)
      .where('accounts.account_sid', '=', account_sid),
  )
  const selectProviders = prepared(db, () => db.selectFrom('service_providers').select('service_provider_sid').limit(2))
  const selectRules = prepared(db, (service_provider_sid: string) => selectOfProvider(db, service_provider_sid))
  const ofProvider = async (service_provider_sid: string) => {
    const [row] = await selectRules(service_provider_sid)
    return toOwnedRules(row)
  }
  return {
    async ofAccount(account_sid) {
      const [row] = await selectOfAccount(account_sid)
      return toOwnedRules(row)
    },
    ofProvider,
    async ofUnknownAccount() {
      const [provider, another] = await selectProviders()
      return provider === undefined || another !== undefined ? unownedRules : ofProvider(provider.service_provider_sid)
    },
  }
}
