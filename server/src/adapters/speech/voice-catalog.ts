import { createHash } from 'node:crypto'
import type { Outgoing } from '../outbound-http/outgoing.ts'
import type { Choice, Credential, SpeechLists, SynthesisLanguage, VendorContext } from './speech.ts'
import { withVendorTimeout } from './vendor-timeout.ts'
import { loadSpeechVendor } from './vendors.ts'

/**
 * Thrown if a vendor is unknown or has no lists, or if the vendor's lists cannot be requested and static ones must not
 * replace them.
 */

/**
 * Thrown if the vendor is unknown, or if it rejects the request for its lists and has no static ones to fall back to.
 */
export class VoiceCatalogError extends Error {}

/** Languages, voices, and models of the speech vendors. */
export interface VoiceCatalog {
  /**
   * Returns the lists of a vendor. The live lists are requested with `credential`; without one, the static lists are
   * returned.
   */
  getLists(vendor: string, credential: Credential | undefined): Promise<SpeechLists>
}

/** Lists as voice-catalog.json stores them. `voices` applies to every language that has no voices of its own. */
interface StaticLists extends Omit<SpeechLists, 'tts'> {
  tts?: (Choice & { voices?: SynthesisLanguage['voices'] })[]
  voices?: SynthesisLanguage['voices']
}

const loadStaticLists = async (vendor: string): Promise<SpeechLists | undefined> => {
  const listsByVendor: Record<string, StaticLists> = (await import('./voice-catalog.json', { with: { type: 'json' } }))
    .default
  const vendorLists = Object.hasOwn(listsByVendor, vendor) ? listsByVendor[vendor] : undefined
  if (vendorLists === undefined) return undefined
  const { voices = [], tts, ...others } = vendorLists
  return tts ? { ...others, tts: tts.map((language) => ({ ...language, voices: language.voices ?? voices })) } : others
}

type RequestLists = (context: VendorContext) => Promise<SpeechLists>

const cacheTtlMs = 10 * 60_000
const maxEntries = 100

/** Creates a catalog that caches live lists for ten minutes, keyed by vendor and credential. */
export const createVoiceCatalog = (outgoing: Outgoing, seconds?: number): VoiceCatalog => {
  const cache = new Map<string, { until: number; lists: Promise<SpeechLists> }>()

  const getCached = (vendor: string, credential: Credential, requestLists: RequestLists): Promise<SpeechLists> => {
    const key = createHash('sha256')
      .update(JSON.stringify([vendor, credential]))
      .digest('base64')
    const now = Date.now()
    const cached = cache.get(key)
    if (cached && cached.until > now) return cached.lists
    const response = withVendorTimeout(outgoing, requestLists, seconds)
    cache.delete(key)
    cache.set(key, { until: now + cacheTtlMs, lists: response })
    const [oldest] = cache.keys()
    if (cache.size > maxEntries && oldest !== undefined) cache.delete(oldest)
    // Failed requests are not cached.
    response.catch(() => cache.delete(key))
    return response
  }

  return {
    async getLists(vendor, credential) {
      const staticLists = await loadStaticLists(vendor)
      if (staticLists === undefined) throw new VoiceCatalogError(`Invalid vendor ${vendor}`)
      const adapter = await loadSpeechVendor(vendor)
      const live = adapter?.lists
      const effectiveCredential = credential ?? (adapter?.hasPublicLists ? {} : undefined)
      if (live === undefined || effectiveCredential === undefined) return staticLists
      const applicableLists = adapter?.selectStaticLists?.(effectiveCredential, staticLists) ?? staticLists
      try {
        return await getCached(vendor, effectiveCredential, (context) =>
          live(effectiveCredential, applicableLists, context),
        )
      } catch {
        if (adapter?.listsErrorMessage !== undefined) throw new VoiceCatalogError(adapter.listsErrorMessage)
        return applicableLists
      }
    },
  }
}
