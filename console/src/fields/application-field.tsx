import type { Application } from '@patchbay/contract/applications'
import { applicationQuery, applicationsQuery, type OwnerSid } from '../api/record-queries.ts'
import type { SelectOption } from '../ui/fields/field.tsx'
import { type RecordFieldProps, RecordSelectField } from './record-select-field.tsx'

interface ApplicationFieldProps extends RecordFieldProps {
  /** The account of the applications, or the service provider for those of all its accounts. */
  owner: OwnerSid
  /** The label of the choice for no application. */
  none?: string
  /** The value of that choice. Empty by default, so that no choice and no application are the same. */
  noneValue?: string
  /** The choices for no application, if there are several. */
  choices?: readonly SelectOption[]
}

const toOption = ({ application_sid, name }: Pick<Application, 'application_sid' | 'name'>) => ({
  value: application_sid,
  label: name,
})

/** Selects an application of an account, or none if the field is optional. */
export const ApplicationField = ({
  owner,
  none = 'None',
  noneValue = '',
  choices,
  ...field
}: ApplicationFieldProps) => (
  <RecordSelectField
    {...field}
    source={{
      noun: 'application',
      searchQuery: (name) => applicationsQuery(owner, name),
      one: applicationQuery,
      toOption,
      none: choices ?? (field.required ? [] : [{ value: noneValue, label: none }]),
    }}
  />
)
