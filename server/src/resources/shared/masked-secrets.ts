import { throwInvalid } from '@patchbay/contract/errors'
import { maskKey } from '@patchbay/contract/shared/masking'

const looksMasked = /^.{0,6}X{4,}$/

/** Whether a secret that is sent is the mask of the stored one, which then stays; any other mask is no secret. */
export const isUnchangedMask = (
  sent: string,
  stored: string | null | undefined,
  field: string,
  mask: (secret: string) => string = maskKey,
): boolean => {
  if (stored !== null && stored !== undefined && sent === mask(stored)) return true
  if (looksMasked.test(sent)) return throwInvalid(`${field} is masked: send it whole`, field)
  return false
}
