import { TextField } from '../ui/fields/text-field.tsx'

interface NameToConfirmProps {
  name: string
  typed: string
  onType: (typed: string) => void
}

/** A field in which the user types the name of a record to confirm that it can be deleted permanently. */
export const ConfirmByNameField = ({ name, typed, onType }: NameToConfirmProps) => (
  <TextField
    label={
      <>
        Type <bdi>{name}</bdi> to confirm
      </>
    }
    value={typed}
    autoComplete="off"
    spellCheck={false}
    onChange={({ target }) => onType(target.value)}
  />
)

/** Returns whether the typed text is the name, ignoring white space around it. */
export const isConfirmed = (name: string, typed: string): boolean => typed.trim() === name.trim()
