import type { AlertDestination } from '@patchbay/contract/alert-destinations'
import { alertDestinationLengths as lengths } from '@patchbay/contract/alert-destinations/record'
import {
  type DestinationKind,
  destinationKinds,
  validateDestination,
} from '@patchbay/contract/shared/destination-kinds'
import type { ApiError } from '../../../api/api-error.ts'
import type { FieldErrors } from '../../../form/server-errors.ts'
import { requiredText, z } from '../../../zod.ts'

/** Form values of an alert destination, shared by the add and edit screens. */

const invalidTargetMessages: Readonly<Record<DestinationKind, string>> = {
  webhook: 'Enter an http or https address',
  slack: 'Enter the address of the incoming webhook, which begins with https',
  pagerduty: 'Enter the integration key, which has 32 letters and digits',
  email: 'Enter an email address',
}

export const destinationValues = z
  .object({
    name: requiredText(lengths.name, 'Enter a name'),
    /** Empty if the destination belongs to the service provider. */
    account_sid: z.string(),
    kind: z.enum(destinationKinds),
    target: requiredText(lengths.target, 'Enter where the alerts are sent to'),
    is_active: z.boolean(),
    once_per_hour: z.boolean(),
    /** True if only alerts of the selected types are sent. */
    is_narrowed: z.boolean(),
    types: z.array(z.string()),
  })
  .check(
    z.superRefine(({ kind, target, is_narrowed, types }, context) => {
      if (target !== '' && validateDestination(kind, target) !== undefined)
        context.issues.push({ code: 'custom', input: target, path: ['target'], message: invalidTargetMessages[kind] })
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
  once_per_hour,
  types,
}: AlertDestination): DestinationValues => ({
  name,
  account_sid: account_sid ?? '',
  kind,
  target,
  is_active: is_active === 1,
  once_per_hour: once_per_hour === 1,
  is_narrowed: types.length > 0,
  types,
})

/** Returns the request body for both creating and updating a destination. */
export const toPayload = ({ is_narrowed, types, account_sid: _owner, ...settings }: DestinationValues) => ({
  ...settings,
  types: is_narrowed ? types : [],
})

const errorFields = ['name', 'kind', 'target', 'account_sid'] as const

export const destinationFieldErrors = ({ field, message }: ApiError): FieldErrors<DestinationValues> => {
  const at = errorFields.find((name) => name === field)
  return at ? { [at]: message } : {}
}
