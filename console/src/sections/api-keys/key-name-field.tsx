import { apiKeyLengths } from '@patchbay/contract/api-keys/record'
import { TextField } from '../../ui/fields/text-field.tsx'

/** The name of an API key, in the dialogs that create and rename it. */
export const KeyNameField = ({ value, onChange }: { value: string; onChange: (name: string) => void }) => (
  <TextField
    label="Name"
    data-autofocus
    hint="The program that uses the key, such as Billing export."
    maxLength={apiKeyLengths.name}
    value={value}
    onChange={({ target }) => onChange(target.value)}
  />
)
