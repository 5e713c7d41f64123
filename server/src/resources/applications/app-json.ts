import { throwInvalid } from '@patchbay/contract/api/errors'
import { applicationLengths } from '@patchbay/contract/applications/record'
import { isRejected, parseVerbNames, validateVerbs } from '@patchbay/rules/webhooks/verbs'

const getMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/**
 * Validates verbs and returns the text to store. Uses the error messages of jambonz
 * (docs/reference/platform-api/applications.md#verbs). Unknown properties, and unknown verbs that are stored already, are accepted,
 * because a newer platform may know them.
 * @param stored The present value
 */
export const validateAppJson = (
  appJson: string | null | undefined,
  stored: string | null,
): string | null | undefined => {
  if (!appJson) return appJson === undefined ? undefined : null
  if (appJson === stored) return appJson
  if (Buffer.byteLength(appJson) > applicationLengths.stored)
    return throwInvalid(`app_json must be at most ${applicationLengths.stored} bytes long`, 'app_json')
  let verbs: unknown
  try {
    verbs = JSON.parse(appJson)
  } catch (error) {
    return throwInvalid(`app_json must be JSON: ${getMessage(error)}`, 'app_json')
  }
  const storedVerbs = parseVerbNames(stored ?? '')
  const problem = validateVerbs(verbs).find((error) => isRejected(error, storedVerbs))
  return problem === undefined ? appJson : throwInvalid(`Error: ${problem.message}`, 'app_json')
}
