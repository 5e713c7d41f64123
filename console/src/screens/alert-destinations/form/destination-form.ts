import type { AlertDestination } from '@patchbay/contract/alert-destinations'
import { validateDestination, destinationKinds } from '@patchbay/contract/shared/alert-destinations'
import { alertDestinationLengths as lengths } from '@patchbay/contract/shared/column-lengths'
import type { ApiError } from '../../../api/api-error.ts'
import type { FieldErrors } from '../../../form/use-record-form.tsx'
import { requiredText, z } from '../../../zod.ts'

/** Form values of an alert destination, shared by the add and edit screens. */

const wrongTarget = { webhook: 'Enter an http or https address', email: 'Enter an email address' }

export const destinationValues = z
  .object({
    name: requiredText(lengths.name, 'Enter a name'),
    /** Empty if the destination belongs to the service provider. */
    account_sid: z.string(),
    kind: z.enum(destinationKinds),
    target: requiredText(lengths.target, 'Enter the URL or email address that receives alerts'),
    is_active: z.boolean(),
    /** True if only alerts of the selected types are sent. */
    is_narrowed: z.boolean(),
    types: z.array(z.string()),
  })
  .check(
    z.superRefine(({ kind, target, is_narrowed, types }, context) => {
      if (target !== '' && validateDestination(kind, target) !== undefined)
        context.issues.push({ code: 'custom', input: target, path: ['target'], message: wrongTarget[kind] })
      if (is_narrowed && types.length === 0)
        context.issues.push({
          code: 'custom',
          input: types,
          path: ['is_narrowed'],
          message: 'Choose at least one type',
        })
    }),
  )
export type DestinationValues = z.infer<typeof destinationValues>

export const toFormValues = ({
  name,
  account_sid,
  kind,
  target,
  is_active,
  types,
}: AlertDestination): DestinationValues => ({
  name,
  account_sid: account_sid ?? '',
  kind,
  target,
  is_active: is_active === 1,
  is_narrowed: types.length > 0,
  types,
})

/** Returns the request body for both creating and updating a destination. */
export const toPayload = ({ name, kind, target, is_active, is_narrowed, types }: DestinationValues) => ({
  name,
  kind,
  target,
  is_active,
  types: is_narrowed ? types : [],
})

const errorFields = ['name', 'kind', 'target', 'account_sid'] as const

export const destinationFieldErrors = ({ field, message }: ApiError): FieldErrors<DestinationValues> => {
  const at = errorFields.find((name) => name === field)
  return at ? { [at]: message } : {}
}
