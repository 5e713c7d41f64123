import type { Actor } from '@patchbay/contract/access'
import { type AppEnv, validateEnv, isAppEnv } from '@patchbay/contract/webhooks/app-env'
import { throwInvalid } from '@patchbay/contract/errors'
import { AddressNotAllowedError } from '../../adapters/outbound-http/ssrf-guard.ts'
import type { Outgoing } from '../../adapters/outbound-http/outgoing.ts'
import type { Rates } from '../../auth/rate-limit/rate-limit-store.ts'
import type { Owners } from '../../auth/owner-lookup.ts'
import { isWithin } from '../shared/tenant-quota.ts'

/** What webhooks say of their environment variables (api/1-identity.md §11.7, §12). Nobody vouches for a webhook. */

export type AskHook = (url: string, stop: AbortSignal) => Promise<unknown>

const maxBytes = 2 ** 18
const timeoutMs = 5000

/** Each is a call to where the tenant says: of one account, and of all accounts of a provider. */
export const hooksAskedAMinute = { account: 60, provider: 180 }

/** Counts one; answers whether it may be asked now. */
export const createHookCount =
  (rates: Rates, owners: Owners) =>
  async ({ account_sid, service_provider_sid }: Actor): Promise<boolean> => {
    const account = account_sid === null ? undefined : await owners.account(account_sid)
    const provider = service_provider_sid ?? account?.service_provider_sid ?? 'admins'
    const tenant = { account_sid, service_provider_sid: provider }
    return isWithin(rates, 'hooks-asked', hooksAskedAMinute, tenant)
  }

/** What is nested too deep could not be written out again. */
export const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1)))

/** Its JSON, whatever that is; undefined where there is none. An address that may not be called is refused. */
export const createHookAsker =
  (outgoing: Outgoing, milliseconds = timeoutMs): AskHook =>
  async (url, stop) => {
    try {
      const answer = await outgoing.send(url, {
        method: 'OPTIONS',
        headers: { accept: 'application/json' },
        max: maxBytes,
        stop: AbortSignal.any([stop, AbortSignal.timeout(milliseconds)]),
      })
      if (answer.status < 200 || answer.status > 299) return undefined
      const said: unknown = JSON.parse(answer.body.toString('utf8'))
      return said === null || said === false ? undefined : said
    } catch (error) {
      if (error instanceof AddressNotAllowedError) return throwInvalid(error.message, 'url')
      return undefined
    }
  }

const deepest = 16

const described = (said: unknown): said is AppEnv => !isDeeper(said, deepest) && isAppEnv(said)

/** What it describes, undefined where it says nothing; anything else is refused. */
export const readAppEnv = (said: unknown): AppEnv | undefined => {
  if (said === undefined) return undefined
  return described(said) ? said : throwInvalid('Invalid appenv schema', 'url')
}

const reasons = { missing: 'Missing required value', invalid: 'Invalid value/type for' } as const

/** Values are held against what the webhook describes; where it does not, nothing is. */
export const checkVariables = (said: unknown, values: Readonly<Record<string, unknown>>): void => {
  const last = described(said) ? validateEnv(said, values).at(-1) : undefined
  if (last) throwInvalid(`${reasons[last.fault]} env_vars.${last.name}`, `env_vars.${last.name}`)
}
