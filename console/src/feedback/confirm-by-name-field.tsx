import { TextField } from '../ui/text-field.tsx'

interface NameToConfirmProps {
  name: string
  typed: string
  onType: (typed: string) => void
}

/** Before something is deleted that cannot be brought back, its name is typed. */
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

export const isConfirmed = (name: string, typed: string): boolean => typed.trim() === name.trim()
