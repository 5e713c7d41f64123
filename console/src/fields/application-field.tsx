import type { Application } from '@patchbay/contract/applications'
import { applicationQuery, applicationsQuery } from '../api/record-queries.ts'
import { RecordSelectField, type RecordFieldProps } from './record-select-field.tsx'

interface ApplicationFieldProps extends RecordFieldProps {
  /** whose applications there are to choose from */
  account_sid: string
}

const optionOf = ({ application_sid, name }: Pick<Application, 'application_sid' | 'name'>) => ({
  value: application_sid,
  label: name,
})

/** One of an account's applications, or none where it need not be one. */
export const ApplicationField = ({ account_sid, ...field }: ApplicationFieldProps) => (
  <RecordSelectField
    {...field}
    source={{
      noun: 'application',
      found: (name) => applicationsQuery(account_sid, name),
      one: applicationQuery,
      optionOf,
      ...(field.required ? {} : { none: 'None' }),
    }}
  />
)
