import { hourMs, minuteMs } from '@patchbay/contract/shared/durations'
import * as client from 'openid-client'

/** Used if a response has no `max-age`. */
const defaultMaxAgeMs = 5 * minuteMs
const maxAgeLimitMs = 24 * hourMs

/** The library fetches the keys again for an unknown key, if they are at least this old. */
const minRefetchAgeSeconds = 60

/** Returns how long a response may be cached (RFC 9111 §5.2.2.1), at most a day. */
const readMaxAgeMs = ({ headers }: Response): number => {
  const seconds = /(?:^|[\s,])max-age=(\d{1,9})\b/i.exec(headers.get('cache-control') ?? '')?.[1]
  return seconds === undefined ? defaultMaxAgeMs : Math.min(Number(seconds) * 1000, maxAgeLimitMs)
}

/** Keeps the signing keys of a provider between sign-ins, as long as the provider permits. */
export interface KeyCache {
  /**
   * Runs `work` with the cached keys and this `fetch`, and stores keys that it fetches. They are fetched again for a
   * token with an unknown key, at most once a minute.
   */
  use<T>(configuration: client.Configuration, fetch: client.CustomFetch, work: () => Promise<T>): Promise<T>
}

export const createKeyCache = (): KeyCache => {
  let cached: { keys: client.ExportedJWKSCache; until: number } | undefined

  return {
    async use(configuration, fetch, work) {
      const { jwks_uri } = configuration.serverMetadata()
      let until: number | undefined
      configuration[client.customFetch] = async (url, options) => {
        const response = await fetch(url, options)
        if (url === jwks_uri) until = Date.now() + readMaxAgeMs(response)
        return response
      }
      if (cached !== undefined && cached.until > Date.now()) {
        const { jwks, uat } = cached.keys
        // The library ignores keys that are older than five minutes, so this cache passes a later time.
        const latest = Math.floor(Date.now() / 1000) - minRefetchAgeSeconds
        client.setJwksCache(configuration, { jwks, uat: Math.max(uat, latest) })
      }
      try {
        return await work()
      } finally {
        const keys = client.getJwksCache(configuration)
        if (keys !== undefined && until !== undefined) cached = { keys, until }
      }
    },
  }
}
