import { throwInvalid } from '@patchbay/contract/errors'
import { applicationLengths } from '@patchbay/contract/shared/column-lengths'
import { createRequire } from 'node:module'

/** What is used of the published package, which has no types of its own. */
interface VerbSpecifications {
  /** Throws an Error whose message says what is wrong with the first verb that is. */
  validate(logger: { info(...told: unknown[]): void }, verbs: unknown): void
}

const require = createRequire(import.meta.url)
const { validate } = require('@jambonz/verb-specifications') as VerbSpecifications

const silent = { info: () => {} }

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Verbs as they are to be stored; what the platform's own check refuses is refused in its words (api/1-identity.md §11.6). */
export const checkedAppJson = (sent: string | null | undefined): string | null | undefined => {
  if (!sent) return sent === undefined ? undefined : null
  if (Buffer.byteLength(sent) > applicationLengths.stored)
    return throwInvalid(`app_json must be at most ${applicationLengths.stored} bytes long`, 'app_json')
  let verbs: unknown
  try {
    verbs = JSON.parse(sent)
  } catch (error) {
    return throwInvalid(`app_json must be JSON: ${messageOf(error)}`, 'app_json')
  }
  // The package looks into every one without asking.
  if (Array.isArray(verbs) && verbs.includes(null))
    return throwInvalid('Error: malformed jambonz payload: must be array of objects', 'app_json')
  try {
    validate(silent, verbs)
  } catch (error) {
    return throwInvalid(`Error: ${messageOf(error)}`, 'app_json')
  }
  return sent
}
