import { Fragment, useState } from 'react'
import { SearchableSelectField } from '../../fields/searchable-select-field.tsx'
import { findOnlyAccount, startAccount } from '../../record/default-account.ts'
import { useKnownAccounts } from '../../record/use-accounts-in-scope.ts'
import { countText } from '../../ui/format/text.ts'
import { Dialog, DialogActions } from '../../ui/overlay/dialog.tsx'
import type { EditableField } from './bulk-fields.ts'
import { clearing, EditField } from './edit-field.tsx'
import styles from './outcome.module.css'
import { ReviewUpdate } from './review-update.tsx'
import type { BulkDialogProps } from './use-bulk-change.ts'

interface EditSelectedProps extends BulkDialogProps {
  fields: readonly EditableField[]
  /** The account of all selected records, if that is known. */
  account_sid: string | undefined
}

/** Returns the value of a field in a request. */
const toValue = ({ type }: EditableField, value: string): string | boolean | null => {
  if (value === clearing) return null
  return type === 'flag' ? value === '1' : value
}

/**
 * Dialog that sets fields of the selected records. It starts without a choice, and changes only chosen fields, after a
 * dry run.
 */
export const EditSelected = ({ fields, account_sid, ...dialog }: EditSelectedProps) => {
  const { nouns, sids, onClose } = dialog
  const accounts = useKnownAccounts().data ?? []
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [chosenAccount, setChosenAccount] = useState<string>()
  const [isReviewing, setReviewing] = useState(false)
  const onlyAccount = account_sid ?? findOnlyAccount(accounts)
  const moved = values['account_sid'] === clearing ? undefined : values['account_sid']
  const account = moved || (onlyAccount ?? chosenAccount ?? startAccount(accounts))
  const chosen = fields.filter(({ name }) => values[name])
  const setValue = ({ name, type }: EditableField, value: string) => {
    // An application belongs to one account.
    const isMove = type === 'account' && values['application_sid'] !== clearing
    setValues({ ...values, [name]: value, ...(isMove && { application_sid: '' }) })
  }
  if (isReviewing)
    return (
      <ReviewUpdate
        {...dialog}
        fields={chosen}
        values={Object.fromEntries(chosen.map((field) => [field.name, toValue(field, values[field.name] ?? '')]))}
        accounts={accounts}
        onClose={() => setReviewing(false)}
      />
    )
  return (
    <Dialog
      title={`Edit ${countText(sids.length, sids.length, nouns)}`}
      onClose={onClose}
      footer={
        <DialogActions
          busy={false}
          disabledReason={chosen.length === 0 ? 'Choose a value for at least one field' : undefined}
          onConfirm={() => setReviewing(true)}
          onCancel={onClose}
        >
          Continue
        </DialogActions>
      }
    >
      <div className={styles['fields']}>
        {fields.map((field) => (
          <Fragment key={field.name}>
            {field.type === 'application' && onlyAccount === undefined && !moved && (
              <SearchableSelectField
                label="Applications of"
                hint="An application is only given to records of its own account. The others are listed before the change."
                placeholder="Choose an account"
                options={accounts.map(({ account_sid: value, name: label }) => ({ value, label }))}
                value={account}
                onChange={(sid) => {
                  setChosenAccount(sid)
                  setValues({ ...values, application_sid: '' })
                }}
              />
            )}
            <EditField
              field={field}
              accounts={accounts}
              account_sid={account}
              value={values[field.name] ?? ''}
              onChange={(value) => setValue(field, value)}
            />
          </Fragment>
        ))}
      </div>
    </Dialog>
  )
}
