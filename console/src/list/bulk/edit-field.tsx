import { ApplicationField } from '../../fields/application-field.tsx'
import { SearchableSelectField } from '../../fields/searchable-select-field.tsx'
import { dtmfOptions } from '../../record/dtmf-options.ts'
import type { AccountSummary } from '../../record/use-accounts-in-scope.ts'
import type { SelectOption } from '../../ui/fields/field.tsx'
import type { EditableField } from './bulk-fields.ts'

/** The choice for no value. An empty choice changes nothing. */
export const clearing = 'none'

const unchanged = { value: '', label: 'No change' }
const switchOptions = [unchanged, { value: '1', label: 'Yes' }, { value: '0', label: 'No' }]

/** Returns the choice for no value, if records can have none. */
const toNone = ({ canBeEmpty }: EditableField): SelectOption[] =>
  canBeEmpty ? [{ value: clearing, label: 'None' }] : []

interface EditFieldProps {
  field: EditableField
  accounts: readonly AccountSummary[]
  /** The account of the applications to choose from. Empty if it is unknown. */
  account_sid: string
  value: string
  onChange: (value: string) => void
}

/** A field that starts without a choice. */
export const EditField = ({ field, accounts, account_sid, value, onChange }: EditFieldProps) => {
  const { label, type, name } = field
  const common = { label, name, value, onChange }
  if (type === 'application' && account_sid !== '')
    return (
      <ApplicationField {...common} key={account_sid} owner={{ account_sid }} choices={[unchanged, ...toNone(field)]} />
    )
  const options = {
    flag: () => switchOptions,
    // Without an account, an application can only be removed.
    application: () => [unchanged, ...toNone(field)],
    account: () => [
      unchanged,
      ...toNone(field),
      ...accounts.map((account) => ({ value: account.account_sid, label: account.name })),
    ],
    dtmf_type: () => [unchanged, ...dtmfOptions()],
  }
  return <SearchableSelectField {...common} options={options[type]()} />
}
