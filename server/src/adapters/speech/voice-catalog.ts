import { createHash } from 'node:crypto'
import type { Outgoing } from '../outbound-http/outgoing.ts'
import type { Choice, Credential, VendorContext, SpeechLists, SynthesisLanguage } from './speech.ts'
import { speechVendor } from './vendors.ts'
import { withVendorTimeout } from './vendor-timeout.ts'

/** Languages, voices and models of vendors: asked for live where the vendor can be, else the lists that are known. */

/** What the vendor said no with, or that it has no lists at all. */
export class ListsRefused extends Error {}

export interface VoiceCatalog {
  /** `credential` is the one that is used to ask; without one the known lists are given */
  of(vendor: string, credential: Credential | undefined): Promise<SpeechLists>
}

/** Of a vendor whose voices speak every language they stand once. */
interface KnownLists extends Omit<SpeechLists, 'tts'> {
  tts?: (Choice & { voices?: SynthesisLanguage['voices'] })[]
  voices?: SynthesisLanguage['voices']
}

const known = async (vendor: string): Promise<SpeechLists | undefined> => {
  const all: Record<string, KnownLists> = (await import('./voice-catalog.json', { with: { type: 'json' } })).default
  const found = Object.hasOwn(all, vendor) ? all[vendor] : undefined
  if (found === undefined) return undefined
  const { voices = [], tts, ...others } = found
  return tts ? { ...others, tts: tts.map((language) => ({ ...language, voices: language.voices ?? voices })) } : others
}

type Ask = (far: VendorContext) => Promise<SpeechLists>

const keptMilliseconds = 10 * 60_000
const maxEntries = 100

/** Live lists are kept for ten minutes, by vendor and what the credential says. */
export const createListsOfVendors = (outgoing: Outgoing, seconds?: number): VoiceCatalog => {
  const kept = new Map<string, { until: number; lists: Promise<SpeechLists> }>()

  const remembered = (vendor: string, credential: Credential, ask: Ask): Promise<SpeechLists> => {
    const key = createHash('sha256')
      .update(JSON.stringify([vendor, credential]))
      .digest('base64')
    const now = Date.now()
    const found = kept.get(key)
    if (found && found.until > now) return found.lists
    const asked = withVendorTimeout(outgoing, ask, seconds)
    kept.delete(key)
    kept.set(key, { until: now + keptMilliseconds, lists: asked })
    const [oldest] = kept.keys()
    if (kept.size > maxEntries && oldest !== undefined) kept.delete(oldest)
    // What went wrong is asked for again.
    asked.catch(() => kept.delete(key))
    return asked
  }

  return {
    async of(vendor, credential) {
      const all = await known(vendor)
      if (all === undefined) throw new ListsRefused(`Invalid vendor ${vendor}`)
      const adapter = await speechVendor(vendor)
      const live = adapter?.lists
      const asking = credential ?? (adapter?.listsForAll ? {} : undefined)
      if (live === undefined || asking === undefined) return all
      const lists = adapter?.knownFor?.(asking, all) ?? all
      try {
        return await remembered(vendor, asking, (far) => live(asking, lists, far))
      } catch {
        if (adapter?.listsRefused !== undefined) throw new ListsRefused(adapter.listsRefused)
        return lists
      }
    },
  }
}
