import { throwInvalid } from '@patchbay/contract/errors'
import { applicationLengths } from '@patchbay/contract/shared/column-lengths'
import { createRequire } from 'node:module'

/** Types for the used part of a package without type declarations. */
interface VerbSpecifications {
  /** Throws an Error that describes the first invalid verb. */
  validate(logger: { info(...details: unknown[]): void }, verbs: unknown): void
}

const require = createRequire(import.meta.url)
const { validate } = require('@jambonz/verb-specifications') as VerbSpecifications

const silent = { info: () => {} }

const getMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/**
 * Validates verbs and returns the text to store. Uses the validation and error messages of jambonz
 * (docs/reference/platform-api/applications.md#verbs).
 */
export const validateAppJson = (appJson: string | null | undefined): string | null | undefined => {
  if (!appJson) return appJson === undefined ? undefined : null
  if (Buffer.byteLength(appJson) > applicationLengths.stored)
    return throwInvalid(`app_json must be at most ${applicationLengths.stored} bytes long`, 'app_json')
  let verbs: unknown
  try {
    verbs = JSON.parse(appJson)
  } catch (error) {
    return throwInvalid(`app_json must be JSON: ${getMessage(error)}`, 'app_json')
  }
  // The package would fail with a TypeError for null.
  if (Array.isArray(verbs) && verbs.includes(null))
    return throwInvalid('Error: malformed jambonz payload: must be array of objects', 'app_json')
  try {
    validate(silent, verbs)
  } catch (error) {
    return throwInvalid(`Error: ${getMessage(error)}`, 'app_json')
  }
  return appJson
}
