import type { Actor } from '@patchbay/contract/api/access'
import { throwInvalid } from '@patchbay/contract/api/errors'
import { type AppEnv, isAppEnv, validateEnv } from '@patchbay/rules/webhooks/app-env'
import type { Outgoing } from '../../adapters/outbound-http/outgoing.ts'
import { AddressNotAllowedError } from '../../adapters/outbound-http/ssrf-guard.ts'
import type { Owners } from '../../auth/owner-lookup.ts'
import type { Rates } from '../../auth/rate-limit/rate-limit-store.ts'
import { isWithin } from '../shared/tenant-quota.ts'

/**
 * Descriptions of environment variables that webhooks provide
 * (docs/reference/platform-api/applications.md#environment-variables). Their content is untrusted.
 */

export type FetchAppEnv = (url: string, signal: AbortSignal) => Promise<unknown>

const maxBytes = 2 ** 18
const timeoutMs = 5000

/**
 * Maximum requests per minute of an account, and of all accounts of a provider. Each request is sent to a host that the
 * tenant chose.
 */
export const maxAppEnvFetchesPerMinute = { account: 60, provider: 180 }

/** Creates a function that counts a request and returns whether it is within the limits. */
export const createFetchCounter =
  (rates: Rates, owners: Owners) =>
  async ({ account_sid, service_provider_sid }: Actor): Promise<boolean> => {
    const account = account_sid === null ? undefined : await owners.account(account_sid)
    const provider = service_provider_sid ?? account?.service_provider_sid ?? 'admins'
    const tenant = { account_sid, service_provider_sid: provider }
    return isWithin(rates, 'hooks-asked', maxAppEnvFetchesPerMinute, tenant)
  }

/** Returns whether a value is nested more deeply than `levels`. JSON.stringify would fail for such values. */
export const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1)))

/**
 * Creates a function that requests the description of a webhook. It returns the parsed JSON, or undefined if there is
 * no valid response. Rejects URLs that may not be requested.
 */
export const createAppEnvFetcher =
  (outgoing: Outgoing, milliseconds = timeoutMs): FetchAppEnv =>
  async (url, stop) => {
    try {
      const response = await outgoing.send(url, {
        method: 'OPTIONS',
        headers: { accept: 'application/json' },
        max: maxBytes,
        stop: AbortSignal.any([stop, AbortSignal.timeout(milliseconds)]),
      })
      if (response.status < 200 || response.status > 299) return undefined
      const parsed: unknown = JSON.parse(response.body.toString('utf8'))
      return parsed === null || parsed === false ? undefined : parsed
    } catch (error) {
      if (error instanceof AddressNotAllowedError) return throwInvalid(error.message, 'url')
      return undefined
    }
  }

const maxDepth = 16

const isValidAppEnv = (value: unknown): value is AppEnv => !isDeeper(value, maxDepth) && isAppEnv(value)

/** Returns the description of a webhook, or undefined if there is no response. Rejects an invalid description. */
export const readAppEnv = (value: unknown): AppEnv | undefined => {
  if (value === undefined) return undefined
  return isValidAppEnv(value) ? value : throwInvalid('Invalid appenv schema', 'url')
}

const reasons = { missing: 'Missing required value', invalid: 'Invalid value/type for' } as const

/** Validates values against the description of a webhook. Without a valid description, nothing is validated. */
export const checkVariables = (description: unknown, values: Readonly<Record<string, unknown>>): void => {
  const last = isValidAppEnv(description) ? validateEnv(description, values).at(-1) : undefined
  if (last) throwInvalid(`${reasons[last.fault]} env_vars.${last.name}`, `env_vars.${last.name}`)
}
