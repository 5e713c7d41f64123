import { throwInvalid } from '@patchbay/contract/api/errors'
import { maskKey } from '@patchbay/rules/masking/masking'

const looksMasked = /^.{0,6}X{4,}$/

/**
 * Returns whether a secret in a request is the mask of the stored one, which means no change. Rejects any other mask.
 */
export const isUnchangedMask = (
  secret: string,
  stored: string | null | undefined,
  field: string,
  mask: (secret: string) => string = maskKey,
): boolean => {
  if (stored !== null && stored !== undefined && secret === mask(stored)) return true
  if (looksMasked.test(secret)) return throwInvalid(`${field} is masked: send the complete value`, field)
  return false
}
